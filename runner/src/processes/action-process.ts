/** One process for one action, connected only to its standard input and output. */
import type { Readable } from 'node:stream';
import type { DenoExit, DenoProcess, Spawner } from '@latchkey/fork-server';
import { type ChildMessage, createFrameDecoder, encodeFrame, type HostMessage } from '../runs/protocol.ts';
import type { Cgroup, Cgroups } from './cgroup.ts';
import { openProcessUsage, type ProcessUsage } from './process-usage.ts';

const START_TIMEOUT_MS = 20_000;
/** Bytes of frames read from a process per second. Above this, the process blocks in its write. */
const MAX_BYTES_PER_SEC = 16 * 1024 * 1024;
/** Maximum time for the frames of a process per turn of the event loop, in milliseconds. */
const TURN_MS = 0.5;
/** Bytes of frames between two looks at the clock. */
const PART_BYTES = 512;

export type ProcessOptions = {
  spawner: Pick<Spawner, 'spawn'>;
  maxFrameBytes: number;
  /** Absent where only the shell's limits apply. */
  cgroups?: Pick<Cgroups, 'create'> | undefined;
};

export type Exit = DenoExit & {
  /** True when the kernel killed the process at its memory limit. */
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
  /** Makes the kernel end the process when it uses this many bytes more than now. No effect without a control group. */
  limitMemory(bytes: number): void;
  /** Gives the process a part of the weight of an account. No effect without a control group. */
  weigh(part: number): void;
  /** Kills the process immediately, with its group or all of its namespace. */
  kill(): void;
};

/** Starts a process. Resolves when it can take its run. */
export const startProcess = async ({
  spawner,
  maxFrameBytes,
  cgroups,
}: ProcessOptions): Promise<ActionProcess> => {
  const cgroup = cgroups?.create();
  const deno = await spawner.spawn(cgroup).catch((error) => {
    cgroup?.remove();
    throw error;
  });
  const ready = Promise.withResolvers<void>();
  const handle = openProcess(deno, cgroup);
  handle.onMessage = (message) => {
    if (message.type === 'ready') ready.resolve();
  };
  handle.onViolation = () => ready.reject(new Error('the process violated the protocol before it was ready'));
  readFrames(deno.output, maxFrameBytes, handle);
  void handle.exited.then((exit) =>
    ready.reject(new Error(`the process ended before it was ready: ${exit.stderrTail}`)),
  );
  const timer = setTimeout(
    () => ready.reject(new Error('the process was not ready in time')),
    START_TIMEOUT_MS,
  );
  try {
    await ready.promise;
    deno.isReady();
  } catch (error) {
    handle.kill();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return handle;
};

function openProcess(deno: DenoProcess, cgroup: Cgroup | undefined): ActionProcess {
  const { input, kill } = deno;
  let usage: ProcessUsage | undefined;
  const openUsage = (): ProcessUsage | undefined => {
    const pid = deno.pid();
    if (pid === undefined) return undefined;
    usage ??= openProcessUsage(pid);
    return usage;
  };
  return {
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
    onMessage() {},
    onViolation() {},
    exited: deno.exited.then((exit) => {
      usage?.close();
      const ranOutOfMemory = cgroup?.ranOutOfMemory() ?? false;
      cgroup?.remove();
      return { ...exit, ranOutOfMemory };
    }),
    anonymousBytes: () => openUsage()?.anonymousBytes() ?? 0,
    cpuMs: () => openUsage()?.cpuMs() ?? 0,
    limitMemory: (bytes) => cgroup?.limitMemory(bytes),
    weigh: (part) => cgroup?.weigh(part),
    kill,
  };
}

/** Kills a process that violates the protocol. */
function readFrames(output: Readable, maxFrameBytes: number, handle: ActionProcess): void {
  const decode = createFrameDecoder(maxFrameBytes, (message, body, frameBytes) =>
    handle.onMessage(message, body, frameBytes),
  );
  readInTurns(output, (part) => {
    try {
      decode(part);
      return true;
    } catch {
      output.resume();
      handle.kill();
      handle.onViolation();
      return false;
    }
  });
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
