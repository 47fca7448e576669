/**
 * One process for one action: Deno without any permission but to read its own program, without an environment, in an empty directory, behind the
 * walls of the machine, connected only to its standard input and output.
 */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { closeSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { curvePathOf } from './bundle.ts';
import type { Cgroup, Cgroups } from './cgroup.ts';
import { importMapFor } from './import-map.ts';
import { type ChildMessage, createFrameDecoder, encodeFrame, type HostMessage } from './protocol.ts';
import type { Walls } from './walls.ts';

/** V8 heap of a process before its action runs, including room for garbage collection (MiB). */
const BASE_HEAP_MIB = 24;
/** Private writable memory of a process before its action runs, mostly V8's reserved code range (MiB). */
const BASE_DATA_MIB = 640;
const START_TIMEOUT_MS = 20_000;
/** Time after which a start that others hold up claims its share of the processor. */
const PATIENCE_MS = 1_000;
/** Bytes of frames read from a process per second. Above this, the process blocks in its write. */
const MAX_BYTES_PER_SEC = 16 * 1024 * 1024;
/** Joins the groups whose files are the first arguments, applies the limits in `$0`, and executes the command. */
const LAUNCH =
  'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1" 2>/dev/null; shift; n=$((n-1)); done; eval "$0"; exec "$@"';
const DENO_FLAGS = [
  '--no-prompt',
  '--no-remote',
  '--no-npm',
  '--no-config',
  '--no-lock',
  '--quiet',
  // Denied by default; explicit flags keep it so when a later Deno changes its defaults.
  '--deny-write',
  '--deny-net',
  '--deny-env',
  '--deny-sys',
  '--deny-run',
  '--deny-ffi',
  '--deny-import',
];

export type ProcessOptions = {
  scriptPath: string;
  /** Empty directory in which the process starts. */
  cwd: string;
  /** Deno's own cache (compiled code of `scriptPath`). */
  cacheDir: string;
  memoryLimitMb: number;
  timeoutMs: number;
  maxFrameBytes: number;
  walls: Walls;
  /** Absent where only the shell's limits apply. */
  cgroups?: Pick<Cgroups, 'create'> | undefined;
  /** Aborts when the start is to claim its share of the processor. */
  hurry?: AbortSignal;
};

export type Exit = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderrTail: string;
  /** The kernel killed the process at its memory limit. */
  ranOutOfMemory: boolean;
};

export type ActionProcess = {
  /** URL of the script, as stack traces name it. */
  readonly scriptUrl: string;
  /** Resolves when the message has left the host, or the process is gone. */
  send(message: HostMessage, body?: Uint8Array): Promise<void>;
  /** `frameBytes` is the size of the message on the wire, including its body. */
  onMessage: (message: ChildMessage, body: Uint8Array, frameBytes: number) => void;
  /** The process violated the protocol and was killed. */
  onViolation: () => void;
  readonly exited: Promise<Exit>;
  /** Returns the bytes of anonymous memory; 0 when the process is gone. */
  anonymousBytes(): number;
  /** Returns the processor time since its start, in milliseconds; 0 when the process is gone. */
  cpuMs(): number;
  /**
   * Returns the time for which its main thread could compute and had no processor, in milliseconds; 0 when the process is gone or the
   * kernel does not count it.
   */
  waitedMs(): number;
  /** Returns the time that the runner spent on its messages, in milliseconds. */
  servedMs(): number;
  /** Makes the kernel end the process when it uses this many bytes more than now. No effect without a control group. */
  limitMemory(bytes: number): void;
  /** Gives the process its share of the processor. No effect without a control group. */
  claimShare(): void;
  /** Leaves the process only the processor time that no other process needs. No effect without a control group. */
  yieldToOthers(): void;
  /** Kills the process immediately, with its group or all of its namespace. */
  kill(): void;
};

/**
 * Starts a process. Resolves when it can take its run. The shell sets limits that hold without the host: no core file,
 * small files only (Deno's cache), few open files, CPU seconds, and a hard limit for private memory above the watched
 * one. Limits that the platform lacks are skipped.
 */
export const startProcess = async (options: ProcessOptions): Promise<ActionProcess> => {
  const scriptUrl = pathToFileURL(options.scriptPath).href;
  const heapMib = BASE_HEAP_MIB + options.memoryLimitMb;
  const dataKib = (BASE_DATA_MIB + 4 * options.memoryLimitMb) * 1024;
  const cpuSeconds = Math.ceil(options.timeoutMs / 1000) * 2 + 60;
  const limits = ['-c 0', '-f 32768', '-n 256', `-t ${cpuSeconds}`, `-d ${dataKib}`].map(
    (limit) => `ulimit ${limit} 2>/dev/null`,
  );
  const { walls } = options;
  const command = walls.wrap([
    walls.deno,
    'run',
    ...DENO_FLAGS,
    `--allow-read=${curvePathOf(options.scriptPath)}`,
    `--import-map=${importMapFor(scriptUrl)}`,
    `--v8-flags=--max-heap-size=${heapMib},--max-semi-space-size=4`,
    options.scriptPath,
  ]);
  const cgroup: Cgroup | undefined = options.cgroups?.create();
  const claimShare = () => cgroup?.claimShare();
  const patience = setTimeout(claimShare, PATIENCE_MS);
  options.hurry?.addEventListener('abort', claimShare);
  if (options.hurry?.aborted) claimShare();
  const procsFiles = cgroup?.procsFiles ?? [];
  const files = walls.openFiles();
  const child = spawn(
    '/bin/sh',
    ['-c', LAUNCH, limits.join('; '), String(procsFiles.length), ...procsFiles, ...command],
    {
      cwd: options.cwd,
      env: { DENO_DIR: options.cacheDir, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1', TZ: 'UTC' },
      stdio: ['pipe', 'pipe', 'pipe', ...files],
      detached: true, // a process group of its own
    },
  ) as ChildProcessByStdio<Writable, Readable, Readable>;
  files.forEach(closeSync);
  const { pid } = child;
  let gone = pid === undefined;
  /** Process id of Deno, from before its action runs: the tools that make the walls stay in front of it. */
  let denoPid: number | undefined;
  const kill = () => {
    if (gone || pid === undefined) return;
    try {
      // A tool in front of Deno waits for it and ends with it, so that the kernel adds its processor time to the runner's.
      process.kill(denoPid === undefined || denoPid === pid ? -pid : denoPid, 'SIGKILL');
    } catch {
      // The process has exited and was not reaped yet.
    }
  };
  if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);

  let stderrTail = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderrTail = (stderrTail + chunk.toString('latin1')).slice(-4_000);
  });
  child.stdin.on('error', () => {}); // the process is gone; `exited` reports it
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) =>
      resolve({ code: null, signal: null, stderrTail: error.message, ranOutOfMemory: false }),
    );
    // From here on another process can have this process id.
    child.once('exit', () => {
      gone = true;
    });
    child.once('close', (code, signal) =>
      resolve({ ...exitOf(code, signal), stderrTail, ranOutOfMemory: cgroup?.ranOutOfMemory() ?? false }),
    );
  });
  void exited.then(() => cgroup?.remove());

  const ready = Promise.withResolvers<void>();
  let servedMs = 0;
  const handle: ActionProcess = {
    scriptUrl,
    send(message, body) {
      const sent = Promise.withResolvers<void>();
      child.stdin.write(encodeFrame(message, body), () => sent.resolve());
      return sent.promise;
    },
    onMessage: (message) => {
      if (message.type === 'ready') ready.resolve();
    },
    onViolation: () => ready.reject(new Error('the process violated the protocol before it was ready')),
    exited,
    anonymousBytes: () => (gone || denoPid === undefined ? 0 : anonymousBytes(denoPid)),
    cpuMs: () => (gone || denoPid === undefined ? 0 : cpuMs(denoPid)),
    waitedMs: () => (gone || denoPid === undefined ? 0 : waitedMs(denoPid)),
    servedMs: () => servedMs,
    limitMemory: (bytes) => cgroup?.limitMemory(bytes),
    claimShare,
    yieldToOthers: () => cgroup?.yieldToOthers(),
    kill,
  };

  const decode = createFrameDecoder(options.maxFrameBytes, (message, body, frameBytes) =>
    handle.onMessage(message, body, frameBytes),
  );
  const spend = paced(child.stdout, MAX_BYTES_PER_SEC);
  child.stdout.on('data', (chunk: Buffer) => {
    spend(chunk.length);
    const startedAt = performance.now();
    try {
      decode(chunk);
    } catch {
      child.stdout.removeAllListeners('data').resume();
      kill();
      handle.onViolation();
    }
    servedMs += performance.now() - startedAt;
  });

  void exited.then((exit) =>
    ready.reject(new Error(`the process ended before it was ready: ${exit.stderrTail}`)),
  );
  const timer = setTimeout(
    () => ready.reject(new Error('the process was not ready in time')),
    START_TIMEOUT_MS,
  );
  try {
    await ready.promise;
    denoPid = pid === undefined ? undefined : innermost(pid);
    cgroup?.yieldToOthers();
  } catch (error) {
    kill();
    throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(patience);
    options.hurry?.removeEventListener('abort', claimShare);
  }
  return handle;
};

/** Limits the rate of the stream: pauses it for the rest of a second in which more than `bytesPerSec` were read. */
const paced = (stream: Readable, bytesPerSec: number): ((bytes: number) => void) => {
  let spent = 0;
  let second = 0;
  return (bytes) => {
    const now = performance.now();
    if (now - second >= 1_000) {
      second = now;
      spent = 0;
    }
    spent += bytes;
    if (spent <= bytesPerSec) return;
    stream.pause();
    setTimeout(() => stream.resume(), second + 1_000 - now);
  };
};

/** Exit codes from which a shell or bubblewrap tells the signal that ended the process behind it. */
const SIGNAL_CODES = new Map(
  Object.entries(constants.signals).map(([name, number]) => [128 + number, name as NodeJS.Signals]),
);

const exitOf = (code: number | null, signal: NodeJS.Signals | null): Pick<Exit, 'code' | 'signal'> => {
  const told = signal ?? SIGNAL_CODES.get(code ?? 0) ?? null;
  return { code: told ? null : code, signal: told };
};

/** Returns the last process in the chain of children. Deno has none. */
const innermost = (pid: number): number => {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
    return child ? innermost(Number(child)) : pid;
  } catch {
    return pid;
  }
};

const anonymousBytes = (pid: number): number => {
  try {
    if (process.platform === 'linux') {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      return (kib(status, 'RssAnon') + kib(status, 'RssShmem') + kib(status, 'VmSwap')) * 1024;
    }
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'latin1' })) * 1024;
  } catch {
    return 0;
  }
};

/** Milliseconds per unit of the kernel's accounting, which is the same on all machines. */
const TICK_MS = 10;

const cpuMs = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, can contain anything.
    const [userTicks, systemTicks] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(userTicks) + Number(systemTicks)) * TICK_MS;
  } catch {
    return 0;
  }
};

const waitedMs = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
};

const kib = (status: string, field: string): number =>
  Number(status.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0);
