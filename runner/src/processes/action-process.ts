/** One process for one action, connected only to its standard input and output. */
import type { Readable } from 'node:stream';
import type { DenoExit, Spawner } from '@latchkey/fork-server';
import { type ChildMessage, createFrameDecoder, encodeFrame, type HostMessage } from '../runs/protocol.ts';
import type { Cgroup, Cgroups } from './cgroup.ts';
import { openProcessUsage, type ProcessUsage } from './process-usage.ts';

const START_TIMEOUT_MS = 20_000;
/** Time after which a start that others hold up claims its share of the processor. */
const PATIENCE_MS = 1_000;
/** The same for the end of a process, which is a few milliseconds of the kernel's work. */
const END_PATIENCE_MS = 100;
/** Bytes of frames read from a process per second. Above this, the process blocks in its write. */
const MAX_BYTES_PER_SEC = 16 * 1024 * 1024;
/** Time for the frames of a process per turn of the event loop, in milliseconds: a frame can start a fetch, or be one of thousands. */
const TURN_MS = 0.5;
/** Bytes of frames between two looks at the clock. */
const PART_BYTES = 512;

export type ProcessOptions = {
  spawner: Pick<Spawner, 'spawn'>;
  maxFrameBytes: number;
  /** Absent where only the shell's limits apply. */
  cgroups?: Pick<Cgroups, 'create'> | undefined;
  /** Aborts when the start is to claim its share of the processor. */
  hurry?: AbortSignal;
};

export type Exit = DenoExit & {
  /** The kernel killed the process at its memory limit. */
  ranOutOfMemory: boolean;
};

export type ActionProcess = Omit<ProcessUsage, 'close'> & {
  /** Resolves when the message has left the host, or the process is gone. */
  send(message: HostMessage, body?: Uint8Array): Promise<void>;
  /** `frameBytes` is the size of the message on the wire, including its body. */
  onMessage: (message: ChildMessage, body: Uint8Array, frameBytes: number) => void;
  /** The process violated the protocol and was killed. */
  onViolation: () => void;
  readonly exited: Promise<Exit>;
  /** Returns the time that the runner spent on its messages, in milliseconds. */
  servedMs(): number;
  /** Makes the kernel end the process when it uses this many bytes more than now. No effect without a control group. */
  limitMemory(bytes: number): void;
  /** Gives the process its share of the processor, or a part of it. No effect without a control group. */
  claimShare(part?: number): void;
  /** Leaves the process only the processor time that no other process needs. No effect without a control group. */
  yieldToOthers(): void;
  /** Kills the process immediately, with its group or all of its namespace. */
  kill(): void;
};

/** Starts a process. Resolves when it can take its run. */
export const startProcess = async (options: ProcessOptions): Promise<ActionProcess> => {
  const cgroup: Cgroup | undefined = options.cgroups?.create();
  const claimShare = () => cgroup?.claimShare();
  const patience = setTimeout(claimShare, PATIENCE_MS);
  options.hurry?.addEventListener('abort', claimShare);
  if (options.hurry?.aborted) claimShare();
  const deno = await options.spawner.spawn(cgroup).catch((error) => {
    clearTimeout(patience);
    cgroup?.remove();
    throw error;
  });
  const { input, output } = deno;
  let ending: NodeJS.Timeout | undefined;
  const kill = (): void => {
    deno.kill();
    if (deno.pid() !== undefined) ending ??= setTimeout(claimShare, END_PATIENCE_MS);
  };
  const exited = deno.exited.then((exit) => {
    clearTimeout(ending);
    usage?.close();
    const ranOutOfMemory = cgroup?.ranOutOfMemory() ?? false;
    cgroup?.remove();
    return { ...exit, ranOutOfMemory };
  });

  const ready = Promise.withResolvers<void>();
  let servedMs = 0;
  let usage: ProcessUsage | undefined;
  const openUsage = (): ProcessUsage | undefined => {
    const pid = deno.pid();
    if (pid === undefined) return undefined;
    usage ??= openProcessUsage(pid);
    return usage;
  };
  const handle: ActionProcess = {
    send(message, body) {
      const sent = Promise.withResolvers<void>();
      // The messages of a turn leave together: each would wake the process.
      if (input.writableCorked === 0) {
        input.cork();
        process.nextTick(() => input.uncork());
      }
      input.write(encodeFrame(message, body), () => sent.resolve());
      return sent.promise;
    },
    onMessage: (message) => {
      if (message.type === 'ready') ready.resolve();
    },
    onViolation: () => ready.reject(new Error('the process violated the protocol before it was ready')),
    exited,
    anonymousBytes: () => openUsage()?.anonymousBytes() ?? 0,
    cpuMs: () => openUsage()?.cpuMs() ?? 0,
    waitedMs: () => openUsage()?.waitedMs() ?? 0,
    isRunnable: () => openUsage()?.isRunnable() ?? false,
    servedMs: () => servedMs,
    limitMemory: (bytes) => cgroup?.limitMemory(bytes),
    claimShare: (part) => cgroup?.claimShare(part),
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
      const endsAt = performance.now() + TURN_MS;
      let at = 0;
      do {
        if (!take(rest.subarray(at, at + PART_BYTES))) {
          stream.off('data', onData);
          return;
        }
        at += PART_BYTES;
      } while (at < rest.length && performance.now() < endsAt);
      if (at < rest.length) {
        stream.pause();
        setImmediate(takeParts, rest.subarray(at));
      } else if (pauseMs > 0) {
        stream.pause();
        setTimeout(() => stream.resume(), pauseMs);
      } else if (stream.isPaused()) stream.resume();
    };
    takeParts(chunk);
  };
  stream.on('data', onData);
};
