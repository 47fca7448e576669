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
  stats(): { idle: number; starting: number; running: number; queued: number };
  /** Refuses further callers. Resolves when no process is taken, at the latest after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  /** Kills all processes, including taken ones. Resolves when the last one is gone. */
  close(): Promise<void>;
};

export const createPool = (options: PoolOptions): Pool => {
  const limits: Limits = { ...options, maxStarting: availableParallelism() };
  const { tell, state, started, drained, close } = openScheduler(limits, options);
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
      tell({ type: 'asked', account, caller });
      return promise.finally(() => signal?.removeEventListener('abort', onAbort));
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
  const starts = new Set<Promise<void>>();
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
      const starting = start().finally(() => starts.delete(starting));
      starts.add(starting);
    }
  };
  const start = async (): Promise<void> => {
    try {
      const process = await startProcess(options.process);
      process.onViolation = () => {};
      void process.exited.then(() => tell({ type: 'exited', process }));
      tell({ type: 'started', process });
      started.resolve();
      if (isClosed) process.kill();
    } catch (error) {
      tell({ type: 'start failed' });
      started.reject(error);
    }
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    tell({ type: 'closing' });
    clearTimeout(retry);
    for (const process of [...state.idle, ...state.taken.keys()]) process.kill();
    await Promise.all(starts);
    await Promise.all([...state.idle, ...state.taken.keys()].map(({ exited }) => exited));
  };

  tell({ type: 'retry' });
  return { tell, state: () => state, started: started.promise, drained, close };
}
