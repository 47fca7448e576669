/**
 * The seccomp filter of an action process: system calls that running JavaScript never needs fail with EPERM, and with them every
 * call that reaches another process, because action processes have one user. Lists the refused calls, because the calls that Deno and
 * the C library need change with their versions.
 */

type Architecture = 'x64' | 'arm64';
/** Number on x64 and on arm64. */
type Numbers = [x64: number | undefined, arm64: number | undefined];
/** Calls that have the same number everywhere. */
const same = (number: number): Numbers => [number, number];

export const refusedCalls: Record<string, Numbers> = {
  // The network.
  socket: [41, 198],
  connect: [42, 203],
  accept: [43, 202],
  bind: [49, 200],
  listen: [50, 201],
  accept4: [288, 242],
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
  // Other processes. `clone` that makes one, and `clone3`, are below.
  fork: [57, undefined],
  vfork: [58, undefined],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_open: same(434),
  pidfd_getfd: same(438),
  process_madvise: same(440),
  process_mrelease: same(448),
  get_robust_list: [274, 100],
  kill: [62, 129],
  tkill: [200, 130],
  tgkill: [234, 131],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  pidfd_send_signal: same(424),
  execve: [59, 221],
  execveat: [322, 281],
  setpgid: [109, 154],
  setsid: [112, 157],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  inotify_init: [253, undefined],
  inotify_init1: [294, 26],
  // Other views of the machine.
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  statmount: same(457),
  listmount: same(458),
  open_tree_attr: same(467),
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  mknod: [133, undefined],
  mknodat: [259, 33],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  quotactl_fd: same(443),
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  // The kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  syslog: [103, 116],
  personality: [135, 92],
  modify_ldt: [154, undefined],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  vhangup: [153, 58],
};

const CLONE: Numbers = [56, 220];
const CLONE_THREAD = 0x00010000;
const CLONE3 = 435;
const OWN_PROCESS = 0;
/** The limits of another process. */
const PRLIMIT: Numbers = [302, 261];
const IOCTL: Numbers = [16, 29];
/** Requests that type into the terminal of another process, or name another process as the receiver of a signal. */
const IOCTL_REQUESTS = [
  0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */,
];
const FCNTL: Numbers = [72, 25];
/** Commands that name another process as the receiver of a signal, or delay or report the use of a file by others. */
const FCNTL_COMMANDS = [
  ...[8 /* F_SETOWN */, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */],
  ...[1024 /* F_SETLEASE */, 1026 /* F_NOTIFY */],
];

/** Audit numbers of the architectures. */
const ARCHITECTURES: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Calls of the other instruction set of x64 have this bit. */
const X32 = 0x40000000;

/** Places in the data that the kernel gives to a filter. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

/** Instructions of classic BPF. */
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_BITS = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refuse = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
/** The C library then uses `clone`, whose flags the filter can read. */
const ENOSYS = 38;

/** An instruction, with the number of instructions that it skips when its condition is true and when it is false. */
type Instruction = [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** Returns the filter for this machine as the kernel reads it, or undefined where there is none. */
export function buildSyscallFilter(architecture: string = process.arch): Buffer | undefined {
  if (!isKnown(architecture)) return undefined;
  const numberOf = ([x64, arm64]: Numbers) => (architecture === 'x64' ? x64 : arm64);
  const numbers = Object.values(refusedCalls)
    .map(numberOf)
    .filter((number) => number !== undefined);
  const onCall = (number: number | undefined, then: Instruction[]): Instruction[] =>
    number === undefined ? [] : [[JUMP_IF_EQUAL, number, 0, then.length], ...then];
  const refuseSecondArguments = (values: number[]): Instruction[] => [
    [LOAD, SECOND_ARGUMENT],
    ...values.flatMap((value) => onCall(value, [[RETURN, refuse(EPERM)]])),
    [RETURN, ALLOW],
  ];
  return encode([
    [LOAD, ARCHITECTURE],
    [JUMP_IF_EQUAL, ARCHITECTURES[architecture], 1, 0],
    [RETURN, KILL],
    [LOAD, NUMBER],
    [JUMP_IF_AT_LEAST, X32, 0, 1],
    [RETURN, refuse(EPERM)],
    ...numbers.flatMap((number) => onCall(number, [[RETURN, refuse(EPERM)]])),
    ...onCall(CLONE3, [[RETURN, refuse(ENOSYS)]]),
    ...onCall(numberOf(CLONE), [
      [LOAD, FIRST_ARGUMENT],
      [JUMP_IF_BITS, CLONE_THREAD, 1, 0],
      [RETURN, refuse(EPERM)],
      [RETURN, ALLOW],
    ]),
    ...onCall(numberOf(PRLIMIT), [
      [LOAD, FIRST_ARGUMENT],
      [JUMP_IF_EQUAL, OWN_PROCESS, 1, 0],
      [RETURN, refuse(EPERM)],
      [RETURN, ALLOW],
    ]),
    ...onCall(numberOf(IOCTL), refuseSecondArguments(IOCTL_REQUESTS)),
    ...onCall(numberOf(FCNTL), refuseSecondArguments(FCNTL_COMMANDS)),
    [RETURN, ALLOW],
  ]);
}

const isKnown = (architecture: string): architecture is Architecture => architecture in ARCHITECTURES;

/** `struct sock_filter`, little endian as both architectures are. */
function encode(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, [code, value, ifTrue = 0, ifFalse = 0]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4);
  }
  return bytes;
}
