/**
 * One process for one action: a fork of the template, or a start of Deno where processes cannot be forked. It is connected only to
 * its standard input and output.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Cgroup, Cgroups } from './cgroup.ts';
import {
  type DenoExit,
  type DenoProcess,
  lowerPriority,
  maxCpuSeconds,
  type ProgramOptions,
  startDeno,
} from './deno-process.ts';
import { type ChildMessage, createFrameDecoder, encodeFrame, type HostMessage } from './protocol.ts';
import type { Template } from './template.ts';

const START_TIMEOUT_MS = 20_000;
/** Time after which a start that others hold up claims its share of the processor. */
const PATIENCE_MS = 1_000;
/** Bytes of frames read from a process per second. Above this, the process blocks in its write. */
const MAX_BYTES_PER_SEC = 16 * 1024 * 1024;
/** Bytes of frames per turn of the event loop: the smallest ones take half a millisecond. */
const TURN_BYTES = 8 * 1024;

export type ProcessOptions = ProgramOptions & {
  maxFrameBytes: number;
  /** Deno's own cache, for processes that are not forked. */
  cacheDir: string;
  /** Absent where processes cannot be forked. */
  template?: Pick<Template, 'fork'> | undefined;
  /** Absent where only the shell's limits apply. */
  cgroups?: Pick<Cgroups, 'create'> | undefined;
  /** Aborts when the start is to claim its share of the processor. */
  hurry?: AbortSignal;
};

export type Exit = DenoExit & {
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

/** Starts a process. Resolves when it can take its run. */
export const startProcess = async (options: ProcessOptions): Promise<ActionProcess> => {
  const scriptUrl = pathToFileURL(options.scriptPath).href;
  const cgroup: Cgroup | undefined = options.cgroups?.create();
  const claimShare = () => cgroup?.claimShare();
  const patience = setTimeout(claimShare, PATIENCE_MS);
  options.hurry?.addEventListener('abort', claimShare);
  if (options.hurry?.aborted) claimShare();
  const deno = await launch(options, cgroup).catch((error) => {
    clearTimeout(patience);
    cgroup?.remove();
    throw error;
  });
  const { input, output, kill } = deno;
  const exited = deno.exited.then((exit) => {
    const ranOutOfMemory = cgroup?.ranOutOfMemory() ?? false;
    cgroup?.remove();
    return { ...exit, ranOutOfMemory };
  });

  const ready = Promise.withResolvers<void>();
  let servedMs = 0;
  const ofProcess = (measure: (pid: number) => number): number => {
    const pid = deno.pid();
    return pid === undefined ? 0 : measure(pid);
  };
  const handle: ActionProcess = {
    scriptUrl,
    send(message, body) {
      const sent = Promise.withResolvers<void>();
      input.write(encodeFrame(message, body), () => sent.resolve());
      return sent.promise;
    },
    onMessage: (message) => {
      if (message.type === 'ready') ready.resolve();
    },
    onViolation: () => ready.reject(new Error('the process violated the protocol before it was ready')),
    exited,
    anonymousBytes: () => ofProcess(anonymousBytes),
    cpuMs: () => ofProcess(cpuMs),
    waitedMs: () => ofProcess(waitedMs),
    servedMs: () => servedMs,
    limitMemory: (bytes) => cgroup?.limitMemory(bytes),
    claimShare,
    yieldToOthers: () => cgroup?.yieldToOthers(),
    kill,
  };

  const decode = createFrameDecoder(options.maxFrameBytes, (message, body, frameBytes) =>
    handle.onMessage(message, body, frameBytes),
  );
  readInTurns(output, (part) => {
    const startedAt = performance.now();
    try {
      decode(part);
      return true;
    } catch {
      output.resume();
      kill();
      handle.onViolation();
      return false;
    } finally {
      servedMs += performance.now() - startedAt;
    }
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
    deno.isReady();
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

/** Forks the template, or starts Deno. The process joins its control group. */
async function launch(options: ProcessOptions, cgroup: Cgroup | undefined): Promise<DenoProcess> {
  const { template, cacheDir, timeoutMs } = options;
  const procsFiles = cgroup?.procsFiles ?? [];
  if (!template) {
    const limits = [`-t ${maxCpuSeconds(timeoutMs)}`];
    return startDeno(options, { flags: ['--deny-ffi'], limits, cacheDir, procsFiles, yields: true });
  }
  const forked = await template.fork();
  const pid = forked.pid();
  if (pid === undefined) return forked;
  lowerPriority(pid);
  // The kernel makes a process that joins a group wait for ten milliseconds when no other joined one just before.
  await Promise.all(procsFiles.map((file) => writeFile(file, String(pid)).catch(() => {})));
  return forked;
}

/**
 * Reads a stream in parts, with a turn of the event loop between them, and pauses it for the rest of a second in which it had
 * `MAX_BYTES_PER_SEC`. After the first part for which `take` returns false the rest is ignored.
 */
const readInTurns = (stream: Readable, take: (part: Buffer) => boolean): void => {
  let second = { startedAt: 0, bytes: 0 };
  /** Returns how long to pause. */
  const spend = (bytes: number): number => {
    const now = performance.now();
    if (now - second.startedAt >= 1_000) second = { startedAt: now, bytes: 0 };
    second.bytes += bytes;
    return second.bytes <= MAX_BYTES_PER_SEC ? 0 : second.startedAt + 1_000 - now;
  };
  const onData = (chunk: Buffer): void => {
    const pauseMs = spend(chunk.length);
    const takeParts = (rest: Buffer): void => {
      if (!take(rest.subarray(0, TURN_BYTES))) {
        stream.off('data', onData);
        return;
      }
      if (rest.length > TURN_BYTES) {
        stream.pause();
        setImmediate(takeParts, rest.subarray(TURN_BYTES));
      } else if (pauseMs > 0) {
        stream.pause();
        setTimeout(() => stream.resume(), pauseMs);
      } else if (stream.isPaused()) stream.resume();
    };
    takeParts(chunk);
  };
  stream.on('data', onData);
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
    // The first of all threads in ticks, the second of the main thread in nanoseconds: most runs take less than a tick.
    return Math.max((Number(userTicks) + Number(systemTicks)) * TICK_MS, schedule(pid)[0] / 1e6);
  } catch {
    return 0;
  }
};

const waitedMs = (pid: number): number => schedule(pid)[1] / 1e6;

/** Returns for how long the main thread had a processor and for how long it waited for one, in nanoseconds. */
const schedule = (pid: number): [ran: number, waited: number] => {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return [Number(ran), Number(waited)];
  } catch {
    return [0, 0];
  }
};

const kib = (status: string, field: string): number =>
  Number(status.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0);
