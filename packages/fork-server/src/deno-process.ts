/**
 * Starts `deno run` with a program: without any permission but its own, without an environment, in an empty directory, behind the
 * walls of the machine. A shell sets limits that hold without the host: no core file, small files only, few open files, CPU seconds, and
 * a hard limit for private memory above the watched one. Limits that the platform lacks are skipped.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { readKernelFile } from './kernel-file.ts';

/** V8 heap of a process before its action runs, including room for garbage collection (MiB). */
const BASE_HEAP_MIB = 32;
/** Private writable memory of a process before its action runs, mostly V8's reserved code range (MiB). */
const BASE_DATA_MIB = 640;
/** Joins the groups whose files are the first arguments, applies the limits in `$0`, and executes the command. */
const LAUNCH =
  'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1" 2>/dev/null; shift; n=$((n-1)); done; eval "$0"; exec "$@"';
const FLAGS = [
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
  '--deny-import',
];

/** A program for Deno. */
export type Program = {
  /** Arguments of `deno run`: permissions, the main module and its arguments. */
  args: string[];
  /** Empty directory in which a process starts. */
  cwd: string;
  /** Deno's cache; its processes keep none on disk without one. */
  cacheDir?: string | undefined;
  /** Directory of the socket to which forks connect, for the user of the processes alone. */
  socketsDir: string;
  memoryLimitMb: number;
  timeoutMs: number;
  /** The path of Deno behind the walls of the machine, and the command that runs a command behind them. */
  walls: { deno: string; wrap: (command: string[]) => string[] };
  /** Gives processes less of the processor than the services have. */
  isBackground?: boolean;
};

/** A path below it cannot exist: with it as Deno's cache directory, Deno keeps its cache in memory. */
export const NO_DIRECTORY = '/dev/null/none';

export type DenoExit = { code: number | null; signal: NodeJS.Signals | null; stderrTail: string };

/** A process that runs the program, and the streams of its standard input and output. */
export type DenoProcess = {
  input: Writable;
  output: Readable;
  /** Process id of Deno; undefined before `isReady`, and when the process is gone. */
  pid(): number | undefined;
  /** Call when the program has sent its first message. Until then the tools that make the walls may not have started Deno. */
  isReady(): void;
  readonly exited: Promise<DenoExit>;
  /** Kills the process immediately, with its group or all of its namespace. */
  kill(): void;
};

/** The time of a processor after which the kernel ends a process, in seconds. */
export const maxCpuSeconds = (timeoutMs: number): number => Math.ceil(timeoutMs / 1000) * 2 + 60;

type Start = {
  /** Flags of Deno, in addition to the flags of every process. */
  flags: string[];
  /** Options of the shell's `ulimit`, in addition to the limits of every process. */
  limits?: string[];
  /** Arguments of the program, in addition to its own. */
  args?: string[];
  /** False to keep Deno's cache in memory. */
  hasCache?: boolean;
  /** Files of control groups that the process joins. */
  procsFiles?: string[];
};

const commandOf = ({ walls, args, memoryLimitMb }: Program, { flags, args: more = [] }: Start): string[] => {
  const heapMib = BASE_HEAP_MIB + memoryLimitMb;
  const v8 = `--v8-flags=--max-heap-size=${heapMib},--max-semi-space-size=4,--single-threaded`;
  return walls.wrap([walls.deno, 'run', ...FLAGS, ...flags, v8, ...args, ...more]);
};

/** Starts a process in a process group of its own. */
export function startDeno(program: Program, start: Start): DenoProcess {
  const { cwd, memoryLimitMb, cacheDir = NO_DIRECTORY } = program;
  const { limits = [], procsFiles = [], hasCache = true } = start;
  const dataKib = (BASE_DATA_MIB + 4 * memoryLimitMb) * 1024;
  const shell = ['-c 0', '-f 32768', '-n 256', `-d ${dataKib}`, ...limits].map(
    (limit) => `ulimit ${limit} 2>/dev/null`,
  );
  const command = commandOf(program, start);
  const child = spawn(
    '/bin/sh',
    ['-c', LAUNCH, shell.join('; '), String(procsFiles.length), ...procsFiles, ...command],
    {
      cwd,
      env: {
        DENO_DIR: hasCache ? cacheDir : NO_DIRECTORY,
        DENO_NO_UPDATE_CHECK: '1',
        NO_COLOR: '1',
        TZ: 'UTC',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    },
  ) as ChildProcessByStdio<Writable, Readable, Readable>;
  if (program.isBackground && child.pid !== undefined) lowerPriority(child.pid);
  return processOf(child);
}

/** The process of a shell that becomes Deno, or a tool that starts Deno. */
function processOf(child: ChildProcessByStdio<Writable, Readable, Readable>): DenoProcess {
  const { pid } = child;
  let gone = pid === undefined;
  let denoPid: number | undefined;
  let stderrTail = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderrTail = tailOf(stderrTail, chunk);
  });
  child.stdin.on('error', () => {}); // the process is gone; `exited` reports it
  return {
    input: child.stdin,
    output: child.stdout,
    pid: () => (gone ? undefined : denoPid),
    isReady() {
      denoPid = pid === undefined ? undefined : innermost(pid);
    },
    exited: new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: null, signal: null, stderrTail: error.message }));
      // Another process can have this process id from now on.
      child.once('exit', () => {
        gone = true;
      });
      child.once('close', (code, signal) => resolve({ ...exitOf(code, signal), stderrTail }));
    }),
    kill() {
      if (gone || pid === undefined) return;
      // A tool in front of Deno waits for it and ends with it, so that the kernel adds its processor time to the runner's.
      sendKill(denoPid === undefined || denoPid === pid ? -pid : denoPid);
    },
  };
}

/** Sends SIGKILL, also to a process that has ended. */
export const sendKill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited and was not reaped yet.
  }
};

/** Gives the process, and the threads that it starts from now on, less of the processor than the services have. */
export const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has exited.
  }
};

/** Returns the end of the text of a stream. */
export const tailOf = (tail: string, chunk: Buffer): string =>
  (tail + chunk.toString('latin1')).slice(-4_000);

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);
/** Returns the name of a signal. */
export const signalName = (number: number): NodeJS.Signals | null => SIGNALS.get(number) ?? null;

/** A shell and bubblewrap tell with an exit code above 128 which signal ended the process behind it. */
const exitOf = (code: number | null, signal: NodeJS.Signals | null): Pick<DenoExit, 'code' | 'signal'> => {
  const told = signal ?? signalName((code ?? 0) - 128);
  return { code: told ? null : code, signal: told };
};

/** Returns the last process in the chain of children. Deno has none. */
const innermost = (pid: number): number => {
  const [child] = childrenOf(pid);
  return child === undefined ? pid : innermost(child);
};

/** Returns the ids of the children of a process's main thread, the oldest first. */
export const childrenOf = (pid: number): number[] => {
  try {
    return readKernelFile(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};
