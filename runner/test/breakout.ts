/** An action process that has escaped from Deno and calls the C library. */

export type Bait = {
  /** Other processes: another run, the template, the runner. */
  pids: number[];
  /** Files and directories that exist and are not the program's. */
  hidden: string[];
  /** Files of the program and of later runs. */
  program: string[];
  /** Directories in which to leave a file. */
  directories: string[];
  /** Sockets of the machine, in files and without a file. */
  sockets: string[];
  abstractSocket: string;
  tcpPort: number;
  /** Ids of System V shared memory. */
  memories: number[];
};

/** Everything that it reached, in words. Empty behind walls that stand. */
export type Reached = { processes: string[]; files: string[]; machine: string[] };

/**
 * Declares `attack`, which takes `Bait` and returns `Reached`. It opens the C library first: a fork can open none. No call changes what it
 * reaches, except for files that it creates.
 */
export const BREAKOUT = `
const n = 'i32', p = 'buffer', u = 'usize';
const c = Deno.dlopen('libc.so.6', Object.fromEntries(Object.entries({
  getpid: [], open: [p, n, n], openat: [n, p, n], unlink: [p], rename: [p, p], chmod: [p, n], symlink: [p, p], link: [p, p],
  kill: [n, n], tgkill: [n, n, n], setpriority: [n, n, n], socket: [n, n, n], connect: [n, p, n], fork: [], wait4: [n, p, n, p],
  read: [n, p, u], write: [n, p, u], close: [n], pipe: [p], _exit: [n], chroot: [p], chdir: [p], unshare: [n],
  mount: [p, p, p, u, p], prctl: [n, u, u, u, u], shmctl: [n, n, p], inotify_init1: [n], memfd_create: [p, n],
  syscall: [u, u, u, u, u], process_vm_readv: [n, p, u, p, u, u],
}).map(([name, parameters]) => [name, { parameters, result: n }]))).symbols;
const text = (value) => new TextEncoder().encode(value + '\\0');
const PTRACE = Deno.build.arch === 'x86_64' ? 101n : 117n;
const O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0o100, O_EXCL = 0o200, O_DIRECTORY = 0o200000, EPERM_SIGNAL = 18;

// \`struct iovec\` of memory that has the same address in every fork.
const memory = new Uint8Array(8);
const vector = new Uint8Array(new BigUint64Array([Deno.UnsafePointer.value(Deno.UnsafePointer.of(memory)), 8n].map(BigInt)).buffer);

const attack = (bait) => {
  const reached = { processes: [], files: [], machine: [] };
  const note = (kind, what, result) => { if (result >= 0) reached[kind].push(what); return result };
  const opens = (path, flags) => {
    const descriptor = c.open(text(path), flags, 0o600);
    if (descriptor >= 0) c.close(descriptor);
    return descriptor;
  };
  const own = c.getpid();
  const isOwnThread = (pid) => pid === own || c.tgkill(own, pid, 0) === 0;

  // Again after it has made itself accessible, which must help against itself alone.
  c.prctl(4, 1n, 0n, 0n, 0n);
  for (const pid of bait.pids.filter((pid) => !isOwnThread(pid))) {
    const look = (name, flags) => note('processes', (flags ? 'write ' : 'read ') + name, opens('/proc/' + pid + '/' + name, flags));
    for (const name of ['mem', 'environ', 'maps', 'smaps', 'map_files', 'pagemap', 'auxv', 'stack', 'syscall', 'personality', 'io',
      'fd', 'fdinfo', 'ns/net', 'ns/mnt', 'root', 'cwd', 'exe']) look(name, 0);
    for (const name of ['mem', 'oom_score_adj', 'clear_refs', 'coredump_filter', 'comm', 'sched', 'autogroup'])
      look(name, O_WRONLY);
    note('processes', 'process_vm_readv', c.process_vm_readv(pid, vector, 1n, vector, 1n, 0n));
    for (const signal of [0, EPERM_SIGNAL]) note('processes', 'signal ' + signal, c.kill(pid, signal));
    note('processes', 'PTRACE_SEIZE', c.syscall(PTRACE, 0x4206n, BigInt(pid), 0n, 0n));
    note('processes', 'pidfd_open', c.syscall(434n, BigInt(pid), 0n, 0n, 0n));
    note('processes', 'setpriority', c.setpriority(0, pid, 19));
  }

  for (const path of bait.hidden) note('files', 'read ' + path, opens(path, 0));
  for (const path of bait.program) {
    note('files', 'write ' + path, opens(path, O_WRONLY));
    const other = text(path + '-by-' + own);
    note('files', 'chmod ' + path, c.chmod(text(path), 0o755));
    note('files', 'link ' + path, c.link(text(path), other));
    c.unlink(other);
    note('files', 'rename ' + path, c.rename(text(path), other));
    c.rename(other, text(path));
  }
  for (const path of bait.directories) {
    const left = text(path + '/left-by-' + own);
    note('files', 'create in ' + path, opens(path + '/left-by-' + own, O_RDWR | O_CREAT | O_EXCL));
    c.unlink(left);
    note('files', 'link in ' + path, c.symlink(text('/'), left));
    c.unlink(left);
  }
  for (let descriptor = 0; descriptor < 256; descriptor++)
    note('files', 'directory behind descriptor ' + descriptor, c.openat(descriptor, text('.'), O_DIRECTORY));

  const connects = (family, address) => {
    const descriptor = c.socket(family, 1, 0);
    return descriptor < 0 ? -1 : c.connect(descriptor, address, address.length);
  };
  const unix = (path) => new Uint8Array([1, 0, ...new TextEncoder().encode(path)]);
  for (const path of bait.sockets) note('machine', 'socket ' + path, connects(1, unix(path + '\\0')));
  note('machine', 'abstract socket', connects(1, unix('\\0' + bait.abstractSocket)));
  note('machine', 'TCP', connects(2, new Uint8Array([2, 0, bait.tcpPort >> 8, bait.tcpPort & 255, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])));
  for (const id of bait.memories) note('machine', 'shared memory', c.shmctl(id, 2, new Uint8Array(256)));

  // Only a process with one thread can make a user namespace.
  const pipe = new Int32Array(2);
  if (c.pipe(new Uint8Array(pipe.buffer)) < 0) return reached;
  const child = c.fork();
  if (child === 0) {
    const lines = [];
    const CLONE_NEWUSER = 0x10000000, CLONE_NEWNS = 0x20000, MS_REMOUNT = 32, MS_BIND = 4096;
    c.unshare(CLONE_NEWUSER | CLONE_NEWNS);
    for (const path of ['/', ...bait.program]) {
      c.mount(text('none'), text(path), text(''), BigInt(MS_REMOUNT | MS_BIND), text(''));
      if (opens(path === '/' ? '/left' : path, O_WRONLY | (path === '/' ? O_CREAT : 0)) >= 0)
        lines.push('write after a remount ' + path);
    }
    c.mount(text('proc'), text('/proc'), text('proc'), 0n, text(''));
    c.mount(text('none'), text('.'), text('tmpfs'), 0n, text(''));
    c.chroot(text('.'));
    for (let i = 0; i < 30; i++) c.chdir(text('..'));
    c.chroot(text('.'));
    for (const path of bait.hidden) if (opens(path, 0) >= 0) lines.push('read after chroot ' + path);
    const bytes = new TextEncoder().encode(JSON.stringify(lines));
    c.write(pipe[1], bytes, BigInt(bytes.length));
    c._exit(0);
  }
  c.close(pipe[1]);
  const bytes = new Uint8Array(65536);
  const size = child > 0 ? c.read(pipe[0], bytes, 65536n) : 0;
  if (size > 0) reached.files.push(...JSON.parse(new TextDecoder().decode(bytes.subarray(0, size))));
  return reached;
};
`;
