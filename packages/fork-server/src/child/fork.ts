/** The template's side of `../fork-server.ts`: it executes the commands of the fork server, and returns in every fork. */
import { DENO_VERSION, SOCKET_NAME, type TemplateSetup } from '../fork-protocol.ts';
import { unrefOpPromise } from './internals.ts';

const { args, permissions, UnsafePointer, UnsafePointerView, build, dlopen } = Deno;

// Constants of Linux, the same on x64 and arm64.
const MADV_DOFORK = 11;
const CLOEXEC = 0o2000000;
const NONBLOCK = 0o4000;
const EPOLL_CTL_ADD = 1;
const POLLIN = 1;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const RLIMIT_CPU = 0;
const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2;
const SIGKILL = 9;

/** All addresses that a process can have. */
const ADDRESSES = (1n << 48n) - 4096n;

const openLibrary = () => {
  const number = 'i32';
  const call = <const Parameters extends readonly Deno.Native[]>(...parameters: Parameters) =>
    ({ parameters, result: number }) as const;
  return dlopen('libc.so.6', {
    read: call(number, 'buffer', 'usize'),
    write: call(number, 'buffer', 'usize'),
    poll: call('buffer', 'usize', number),
    fork: call(),
    wait4: call(number, 'buffer', number, 'pointer'),
    _exit: call(number),
    pause: { ...call(), nonblocking: true },
    madvise: call('usize', 'usize', number),
    socket: call(number, number, number),
    connect: call(number, 'buffer', number),
    chdir: call('buffer'),
    close: call(number),
    dup3: call(number, number, number),
    epoll_create1: call(number),
    epoll_ctl: call(number, number, number, 'buffer'),
    eventfd: call(number, number),
    setrlimit: call(number, 'buffer'),
    prctl: call(number, 'usize', 'usize', 'usize', 'usize'),
    setFilter: { ...call(number, 'usize', 'buffer'), name: 'prctl' },
    malloc_trim: call('usize'),
    alarm: call(number),
    __errno_location: { parameters: [], result: 'pointer' },
  });
};
type Library = ReturnType<typeof openLibrary>['symbols'];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** True in the process that the fork server started as the template. */
export const isTemplate = args.at(-1) === 'template';
if (isTemplate && Deno.version.deno !== DENO_VERSION)
  throw new Error(`forks are proved with Deno ${DENO_VERSION}, and this is ${Deno.version.deno}`);

export type Fork = {
  /** Reads from the input of this fork. */
  readSync: (chunk: Uint8Array) => number;
  /** Waits for input. Returns false when there is none within this time. */
  hasInput: (withinMs: number) => boolean;
  /** Makes the kernel end this fork (SIGALRM) after so many seconds. */
  endAfter: (seconds: number) => void;
};

/** Executes commands of the fork server. Returns in every fork; the template itself exits when its input closes. */
export const serveForks = (): Fork => {
  const library = openLibrary().symbols;
  // `struct pollfd` of the input.
  const polled = new Uint8Array(new Int32Array([0, POLLIN]).buffer);
  // The first call makes its code, which every fork then has.
  library.alarm(0);
  library.poll(polled, 1n, 0);
  const readLine = lineReader(library);
  const reply = (first: number, second: number): void => {
    library.write(1, new Uint8Array(new Int32Array([first, second]).buffer), 8n);
  };
  reply(0, 0);
  let line = readLine();
  for (; line === 'park'; line = readLine()) {
    unrefOpPromise(library.pause());
    reply(0, 0);
  }
  const setup = JSON.parse(line) as TemplateSetup;
  const filter = filterProgram(setup.filter);
  // Forks inherit it: processes of one user cannot open each other's memory below `/proc`.
  library.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n);
  // Frees 12 MB, whose page tables the kernel would otherwise copy for every fork.
  library.malloc_trim(0n);
  reply(0, 0);
  // The path of a socket has at most 107 bytes; the path of the directory can be longer.
  library.chdir(encoder.encode(`${setup.socketsDir}\0`));
  const address = unixAddress(SOCKET_NAME);
  const status = new Int32Array(1);
  for (;;) {
    const [command, pid] = readLine().split(' ');
    if (command === 'wait') {
      reply(library.wait4(Number(pid), new Uint8Array(status.buffer), 0, null), status[0] as number);
      continue;
    }
    const channel = connect(library, address);
    const errors = channel < 0 ? channel : connect(library, address);
    const forked = errors < 0 ? errors : fork(library);
    if (forked === 0) {
      becomeProcess(library, setup, { channel, errors, filter });
      return {
        readSync: (chunk) => library.read(0, chunk, BigInt(chunk.length)),
        hasInput: (withinMs) => library.poll(polled, 1n, withinMs) !== 0,
        endAfter: (seconds) => void library.alarm(seconds),
      };
    }
    reply(forked, 0);
    for (const descriptor of [channel, errors]) if (descriptor >= 0) library.close(descriptor);
  }
};

/** Returns 0 in the fork, and its process id in the template. Like `connect`, it returns the negative number of an error. */
const fork = (library: Library): number => {
  // V8 excludes its memory from forks, because most programs fork only to execute another one.
  library.madvise(0n, ADDRESSES, MADV_DOFORK);
  return orErrno(library, library.fork());
};

type Streams = { channel: number; errors: number };

/** Separates a fork from the template and from other forks. */
const becomeProcess = (
  library: Library,
  setup: TemplateSetup,
  { channel, errors, filter }: Streams & { filter: Uint8Array },
): void => {
  const must = (result: number): void => {
    if (result < 0) library._exit(1);
  };
  must(library.prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL), 0n, 0n, 0n));
  must(library.chdir(encoder.encode('/\0')));
  const own = (descriptor: number, shared: number[]): void => {
    for (const copy of shared) must(library.dup3(descriptor, copy, copy > 2 ? CLOEXEC : 0));
    library.close(descriptor);
  };
  const { descriptors } = setup;
  own(channel, descriptors.channel);
  own(errors, descriptors.errors);
  own(library.eventfd(0, CLOEXEC | NONBLOCK), descriptors.others);
  renewEventLoop(library, descriptors);
  must(library.setrlimit(RLIMIT_CPU, bytesOf(new BigUint64Array(2).fill(BigInt(setup.maxCpuSeconds)))));
  must(library.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n));
  must(library.setFilter(PR_SET_SECCOMP, BigInt(SECCOMP_MODE_FILTER), filter));
  for (const name of ['ffi', 'read'] as const) permissions.revokeSync({ name });
};

/** Gives the event loop its own epoll instance. Events of a shared one would reach other processes. */
const renewEventLoop = (
  library: Library,
  { epolls, wakers, watched }: TemplateSetup['descriptors'],
): void => {
  for (const waker of wakers) {
    const renewed = library.eventfd(0, CLOEXEC | NONBLOCK);
    library.dup3(renewed, waker, CLOEXEC);
    library.close(renewed);
  }
  const epoll = library.epoll_create1(CLOEXEC);
  for (const { descriptor, events, data } of watched) {
    // `struct epoll_event` has no padding on x64.
    const dataAt = build.arch === 'x86_64' ? 4 : 8;
    const event = new DataView(new ArrayBuffer(dataAt + 8));
    event.setUint32(0, events, true);
    event.setBigUint64(dataAt, BigInt(`0x${data}`), true);
    if (library.epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, new Uint8Array(event.buffer)) < 0)
      library._exit(1);
  }
  for (const shared of epolls) library.dup3(epoll, shared, CLOEXEC);
  library.close(epoll);
};

/** Returns a function that waits for the next line of the standard input. */
const lineReader = (library: Library): (() => string) => {
  const chunk = new Uint8Array(64 * 1024);
  let held = '';
  return () => {
    for (;;) {
      const end = held.indexOf('\n');
      if (end >= 0) {
        const line = held.slice(0, end);
        held = held.slice(end + 1);
        return line;
      }
      const size = library.read(0, chunk, BigInt(chunk.length));
      if (size <= 0) library._exit(0);
      held += decoder.decode(chunk.subarray(0, size));
    }
  };
};

/** Returns `struct sockaddr_un`. */
const unixAddress = (path: string): Uint8Array<ArrayBuffer> => {
  const name = encoder.encode(path);
  const address = new Uint8Array(2 + name.length + 1);
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(name, 2);
  return address;
};

/** Returns the descriptor of a connection to the fork server. */
const connect = (library: Library, address: Uint8Array<ArrayBuffer>): number => {
  const descriptor = orErrno(library, library.socket(AF_UNIX, SOCK_STREAM | CLOEXEC, 0));
  if (descriptor < 0) return descriptor;
  const connected = orErrno(library, library.connect(descriptor, address, address.length));
  if (connected === 0) return descriptor;
  library.close(descriptor);
  return connected;
};

/** Returns `struct sock_fprog`, which points to the filter. */
const filterProgram = (filter: number[]): Uint8Array<ArrayBuffer> => {
  const instructions = new Uint8Array(filter);
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, instructions.length / 8, true);
  program.setBigUint64(8, UnsafePointer.value(UnsafePointer.of(instructions)), true);
  kept.push(instructions);
  return new Uint8Array(program.buffer);
};
/** Bytes to which a pointer exists. */
const kept: Uint8Array[] = [];

const bytesOf = ({ buffer }: BigUint64Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

const orErrno = (library: Library, result: number): number =>
  result >= 0 ? result : -new UnsafePointerView(library.__errno_location() as Deno.Pointer).getInt32();
