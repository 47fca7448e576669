/** Performs the decisions of the scheduler: action processes that are started ahead of runs. Each one serves one run and is replaced. */
import { availableParallelism } from 'node:os';
import { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { type ActionProcess, type ProcessOptions, startProcess } from '../processes/action-process.ts';
import {
  advance,
  canTakeNow,
  type Decision,
  emptyState,
  type Limits,
  type SchedulerEvent,
} from './scheduler.ts';

export type PoolOptions = Omit<Limits, 'maxStarting'> & {
  /** Called when the number of processes or waiting runs can have changed. */
  onChange?: () => void;
  process: ProcessOptions;
};

const RETRY_MS = 1_000;

type Caller = { resolve: (process: ActionProcess) => void; reject: (error: unknown) => void };

export type Pool = {
  /** Resolves when the first process is idle; rejects when it does not start. */
  started: Promise<void>;
  /** Returns a process for one run; the caller must kill it. Rejects with the reason of `signal` when it aborts. */
  take(account: bigint, signal?: AbortSignal): Promise<ActionProcess>;
  /** Returns an idle process that the account can take now. */
  takeIdle(account: bigint): ActionProcess | undefined;
  /** The run of a taken process has ended. The process no longer counts against its account's share of idle processes. */
  finish(process: ActionProcess): void;
  /** Returns a taken process that was not used. */
  giveBack(process: ActionProcess): void;
  /** The time for which the oldest waiting caller has waited, 0 without one. */
  oldestWaitMs(): number;
  /** Number of processes that were started, and of starts that failed. */
  starts(): { succeeded: number; failed: number };
  stats(): { idle: number; starting: number; running: number; queued: number };
  /** Refuses further callers. Resolves when no process is taken, at the latest after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  /** Kills all processes, including taken ones. Resolves when the last one is gone. */
  close(): Promise<void>;
};

export const createPool = (options: PoolOptions): Pool => {
  const limits: Limits = { ...options, maxStarting: availableParallelism() };
  const { tell, state, started, starts, drained, close } = openScheduler(limits, options);
  /** Times at which callers asked, oldest first. */
  const asked = new Set<{ atMs: number }>();
  return {
    started,
    async take(account, signal) {
      signal?.throwIfAborted();
      const { promise, ...caller } = Promise.withResolvers<ActionProcess>();
      const onAbort = () => {
        tell({ type: 'gave up', account, caller });
        caller.reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort);
      const waiting = { atMs: performance.now() };
      asked.add(waiting);
      tell({ type: 'asked', account, caller });
      return promise.finally(() => {
        asked.delete(waiting);
        signal?.removeEventListener('abort', onAbort);
      });
    },
    takeIdle(account) {
      if (!canTakeNow(limits, state(), account)) return undefined;
      let taken: ActionProcess | undefined;
      const resolve = (process: ActionProcess): void => {
        taken = process;
      };
      tell({ type: 'asked', account, caller: { resolve, reject() {} } });
      return taken;
    },
    finish: (process) => tell({ type: 'run ended', process }),
    giveBack: (process) => tell({ type: 'given back', process }),
    oldestWaitMs() {
      for (const { atMs } of asked) return performance.now() - atMs;
      return 0;
    },
    starts: () => ({ ...starts }),
    stats: () => ({
      idle: state().idle.length,
      starting: state().starting,
      running: state().taken.size,
      queued: [...state().queues.values()].reduce((sum, { length }) => sum + length, 0),
    }),
    async drain(timeoutMs) {
      tell({ type: 'closing' });
      const timer = setTimeout(drained.resolve, timeoutMs);
      await drained.promise;
      clearTimeout(timer);
    },
    close,
  };
};

/** Starts the first processes. */
function openScheduler(limits: Limits, options: Pick<PoolOptions, 'onChange' | 'process'>) {
  let state = emptyState<ActionProcess, Caller>();
  const starting = new Set<Promise<void>>();
  const starts = { succeeded: 0, failed: 0 };
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {}); // reported through `started`
  const drained = Promise.withResolvers<void>();
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const tell = (event: SchedulerEvent<ActionProcess, Caller>): void => {
    const step = advance(limits, state, event);
    state = step.state;
    for (const decision of step.decisions) perform(decision);
    if (state.isClosing && state.taken.size === 0) drained.resolve();
    options.onChange?.();
  };
  const perform = (decision: Decision<ActionProcess, Caller>): void => {
    const { type } = decision;
    if (type === 'give') decision.caller.resolve(decision.process);
    else if (type === 'refuse') decision.caller.reject(new RuntimeUnavailableError(decision.reason));
    else if (type === 'weigh') decision.process.weigh(decision.part);
    else if (type === 'kill') decision.process.kill();
    else if (type === 'pause') retry = setTimeout(tell, RETRY_MS, { type: 'retry' });
    else {
      const begun = start().finally(() => starting.delete(begun));
      starting.add(begun);
    }
  };
  const start = async (): Promise<void> => {
    try {
      const process = await startProcess(options.process);
      process.onViolation = () => {};
      void process.exited.then(() => tell({ type: 'exited', process }));
      starts.succeeded++;
      tell({ type: 'started', process });
      started.resolve();
      if (isClosed) process.kill();
    } catch (error) {
      starts.failed++;
      tell({ type: 'start failed' });
      started.reject(error);
    }
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    tell({ type: 'closing' });
    clearTimeout(retry);
    for (const process of [...state.idle, ...state.taken.keys()]) process.kill();
    await Promise.all(starting);
    await Promise.all([...state.idle, ...state.taken.keys()].map(({ exited }) => exited));
  };

  tell({ type: 'retry' });
  return { tell, state: () => state, started: started.promise, starts, drained, close };
}
