/** Processes that are started before they are needed. Each one serves one run and is replaced. */
import { availableParallelism } from 'node:os';
import { type ActionProcess, type ProcessOptions, startProcess } from './action-process.ts';
import { RuntimeUnavailableError } from './errors.ts';

export type PoolOptions = {
  /** Processes kept waiting. */
  size: number;
  /** Processes given away and not ended yet. */
  maxTaken: number;
  /** Callers that may wait for a process. */
  maxQueued: number;
  process: ProcessOptions;
};

const RETRY_MS = 1_000;
/** Starting a process takes the host some milliseconds: the run that made it necessary comes first. */
const REFILL_DELAY_MS = 20;
/** Starts that fail one after the other until those who wait are told. */
const MAX_FAILURES = 3;

type Waiting = { resolve: (process: ActionProcess) => void; reject: (error: unknown) => void };

export type Pool = {
  /** Resolves when the first process waits; rejects when it does not start. */
  started: Promise<void>;
  /** A process for one run: whoever takes it has to kill it. Rejects with the reason of `signal` when it aborts. */
  take(signal?: AbortSignal): Promise<ActionProcess>;
  stats(): { idle: number; starting: number; running: number; queued: number };
  /** Kills all processes, those taken too; resolves when the last one is gone. */
  close(): Promise<void>;
};

export const createPool = (options: PoolOptions): Pool => {
  const idle: ActionProcess[] = [];
  const taken = new Set<ActionProcess>();
  const queue = new Set<Waiting>();
  const starts = new Set<Promise<void>>();
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {}); // told by `started` to who waits for it
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let refill: NodeJS.Timeout | undefined;
  let closed = false;

  const closedError = () => new RuntimeUnavailableError('the runtime is closed');

  const onFailure = (error: unknown): void => {
    failures += 1;
    started.reject(error);
    if (failures >= MAX_FAILURES) {
      for (const waiting of queue) waiting.reject(new RuntimeUnavailableError('no process starts'));
      queue.clear();
    }
    retry ??= setTimeout(() => {
      retry = undefined;
      pump();
    }, RETRY_MS);
  };

  const start = async (): Promise<void> => {
    try {
      const process = await startProcess(options.process);
      if (closed) return process.kill();
      process.onViolation = () => {};
      idle.push(process);
      started.resolve();
      void process.exited.then((exit) => {
        if (taken.delete(process)) return pump();
        const at = idle.indexOf(process);
        if (at < 0) return;
        idle.splice(at, 1);
        if (!closed) onFailure(new Error(`a waiting process ended: ${exit.stderrTail}`));
      });
    } catch (error) {
      if (!closed) onFailure(error);
    }
  };

  /**
   * Gives waiting processes to waiting callers and starts what is missing: as many as there are cores while
   * callers wait, else one after the other.
   */
  const pump = (): void => {
    if (closed) return;
    for (const waiting of queue) {
      const process = taken.size < options.maxTaken ? idle.shift() : undefined;
      if (!process) break;
      queue.delete(waiting);
      taken.add(process);
      failures = 0;
      waiting.resolve(process);
    }
    if (retry) return;
    const needed = Math.min(queue.size, options.maxTaken - taken.size);
    const missing = options.size + needed - idle.length - starts.size;
    if (missing <= 0) return;
    if (needed > 0) startUpTo(Math.min(missing, availableParallelism() - starts.size));
    else
      refill ??= setTimeout(() => {
        refill = undefined;
        if (!closed) startUpTo(1 - starts.size);
      }, REFILL_DELAY_MS);
  };

  const startUpTo = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const starting = start().finally(() => {
        starts.delete(starting);
        pump();
      });
      starts.add(starting);
    }
  };

  pump();
  return {
    started: started.promise,
    async take(signal) {
      if (closed) throw closedError();
      signal?.throwIfAborted();
      const mustWait = idle.length === 0 || taken.size >= options.maxTaken || queue.size > 0;
      if (mustWait && queue.size >= options.maxQueued) {
        throw new RuntimeUnavailableError('too many runs wait already');
      }
      const { promise, resolve, reject } = Promise.withResolvers<ActionProcess>();
      const waiting = { resolve, reject };
      const onAbort = () => {
        queue.delete(waiting);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort);
      queue.add(waiting);
      pump();
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    stats: () => ({ idle: idle.length, starting: starts.size, running: taken.size, queued: queue.size }),
    async close() {
      closed = true;
      clearTimeout(retry);
      clearTimeout(refill);
      for (const waiting of queue) waiting.reject(closedError());
      queue.clear();
      const processes = [...idle, ...taken];
      for (const process of processes) process.kill();
      await Promise.all([...starts, ...processes.map((process) => process.exited)]);
    },
  };
};
