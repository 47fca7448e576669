/**
 * Action processes that are started ahead of runs and shared fairly between accounts. Each one serves one run and is
 * replaced.
 */
import { availableParallelism } from 'node:os';
import { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { type ActionProcess, type ProcessOptions, startProcess } from '../processes/action-process.ts';
import { type AccountCounts, countFor } from './account-counts.ts';
import type { ProcessorShares } from './processor-shares.ts';

export type PoolOptions = {
  /** Target number of idle processes. */
  size: number;
  /** Maximum number of taken processes that have not ended. */
  maxTaken: number;
  /** Maximum number of taken processes per account. */
  maxTakenPerAccount: number;
  /** Called when the number of processes or waiting runs has changed. */
  onChange?: () => void;
  shares: Pick<ProcessorShares, 'lighterThan' | 'hasOthersThan'>;
  process: ProcessOptions;
};

const RETRY_MS = 1_000;
/** Time until a taken process is replaced: a start would slow short runs and their replies. */
const REFILL_AFTER_MS = 25;
/** A run begins until it first waits or ends, for this time at most. */
const MAX_BEGIN_MS = 250;
/**
 * Maximum pause of an account between two begins while another one is active. It grows with the runs that continue: they end in the order in
 * which they began, and the requests of others would wait for all ends and begins together. A heavy account also pauses between runs that only
 * compute.
 */
const MAX_PAUSE_MS = 100;
/**
 * Maximum number of runs of an account that begin concurrently while another account is active. Runs that begin together often end
 * together, and the account's next ones begin then: the requests of the other would wait for all of them again and again.
 */
const MAX_BEGINNING = Math.max(1, Math.floor(availableParallelism() / 2));
/** Consecutive failed starts after which the waiting callers are rejected. */
const MAX_FAILURES = 3;

type Waiting = {
  resolve: (process: ActionProcess) => void;
  reject: (error: unknown) => void;
};

export type Pool = {
  /** Resolves when the first process is idle; rejects when it does not start. */
  started: Promise<void>;
  /** Returns a process for one run; the caller must kill it. Rejects with the reason of `signal` when it aborts. */
  take(account: bigint, signal?: AbortSignal): Promise<ActionProcess>;
  /** Returns an idle process that the account can take now. */
  takeIdle(account: bigint): ActionProcess | undefined;
  /** Lets the next run of the account begin: the one of this process waits. */
  hasBegun(process: ActionProcess): void;
  /** Leaves a taken process out where accounts share the idle ones: its run has ended, and its own end can take a while. */
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
  const idle: ActionProcess[] = [];
  /** Taken processes, each with its account. */
  const taken = new Map<ActionProcess, bigint>();
  const takenBy: AccountCounts = new Map();
  /** Taken processes whose run has not ended, each with its account. */
  const running = new Map<ActionProcess, bigint>();
  const isRunning = (account: bigint): boolean => [...running.values()].includes(account);
  /** Taken processes whose run begins. */
  const beginning = new Map<ActionProcess, { account: bigint; startedAt: number }>();
  /** Pauses after begins, per account. */
  const pauses: AccountCounts = new Map();
  /** Waiting callers per account, the account whose turn is next first. An account without callers is absent. */
  const queues = new Map<bigint, Set<Waiting>>();
  /** Processes that start, each with the controller that makes it claim its share of the processor. */
  const starts = new Map<Promise<void>, AbortController>();
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {}); // reported through `started`
  /** Number of idle processes that an account leaves to others. */
  const kept = { byAccountWithProcess: Math.min(1, options.size - 1), byHeavy: Math.floor(options.size / 2) };
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let refill: NodeJS.Timeout | undefined;
  let closed = false;
  let draining: PromiseWithResolvers<void> | undefined;

  const closedError = () => new RuntimeUnavailableError('the runtime is closed');
  const rejectAll = (error: Error): void => {
    for (const queue of queues.values()) for (const waiting of queue) waiting.reject(error);
    queues.clear();
  };
  const queued = (): number => [...queues.values()].reduce((sum, { size }) => sum + size, 0);
  /** Returns how many more processes the account can take. */
  const remainingFor = (account: bigint): number => options.maxTakenPerAccount - (takenBy.get(account) ?? 0);

  const onFailure = (error: unknown): void => {
    failures += 1;
    started.reject(error);
    if (failures >= MAX_FAILURES) rejectAll(new RuntimeUnavailableError('failed to start a process'));
    retry ??= setTimeout(() => {
      retry = undefined;
      pump();
    }, RETRY_MS);
  };

  const isHeavy = (account: bigint): boolean => options.shares.lighterThan(account).length > 0;
  /** Returns how many idle processes the account leaves to others. */
  const leaves = (account: bigint): number => {
    if (options.shares.lighterThan(account).some((other) => !isRunning(other))) return kept.byHeavy;
    return isRunning(account) ? kept.byAccountWithProcess : 0;
  };
  const canBegin = (account: bigint): boolean => {
    const begins = [...beginning.values()].filter((begin) => begin.account === account).length;
    return begins + (pauses.get(account) ?? 0) < MAX_BEGINNING || !options.shares.hasOthersThan(account);
  };
  /** True when other accounts took processes that a heavy account left to them. */
  const isShort = (): boolean =>
    idle.length < kept.byHeavy && [...running.values(), ...queues.keys()].some(isHeavy);
  /** Makes starts claim their share: one per light account that waits for its first process, and one when idle processes are short. */
  const hurryStarts = (): void => {
    if (starts.size === 0) return;
    const firsts = [...queues.keys()].filter((account) => !takenBy.has(account) && !isHeavy(account));
    const count = Math.max(firsts.length, isShort() ? 1 : 0);
    for (const starting of [...starts.values()].slice(0, count)) starting.abort();
  };
  const hasBegun = (process: ActionProcess): void => {
    const begin = beginning.get(process);
    if (!begin) return;
    beginning.delete(process);
    const { account, startedAt } = begin;
    const continuing = [...running.values()].filter((other) => other === account).length;
    const pauseMs = (continuing + Number(isHeavy(account))) * (performance.now() - startedAt);
    countFor(pauses, account, 1);
    const endPause = (): void => {
      countFor(pauses, account, -1);
      if (queues.has(account)) pump();
    };
    if (pauseMs === 0) endPause();
    else setTimeout(endPause, Math.min(pauseMs, MAX_PAUSE_MS));
  };
  const give = (process: ActionProcess, account: bigint): void => {
    taken.set(process, account);
    running.set(process, account);
    beginning.set(process, { account, startedAt: performance.now() });
    setTimeout(hasBegun, MAX_BEGIN_MS, process);
    countFor(takenBy, account, 1);
  };
  const giveIdle = (account: bigint): ActionProcess => {
    const process = idle.shift() as ActionProcess;
    give(process, account);
    failures = 0;
    return process;
  };
  /** Returns false when the process was not taken. */
  const takeBack = (process: ActionProcess): boolean => {
    const account = taken.get(process);
    if (account === undefined) return false;
    running.delete(process);
    beginning.delete(process);
    taken.delete(process);
    if (taken.size === 0) draining?.resolve();
    countFor(takenBy, account, -1);
    return true;
  };

  const start = async (hurry: AbortSignal): Promise<void> => {
    try {
      const process = await startProcess({ ...options.process, hurry });
      if (closed) return process.kill();
      process.onViolation = () => {};
      idle.push(process);
      started.resolve();
      void process.exited.then((exit) => {
        if (takeBack(process)) return pump();
        const at = idle.indexOf(process);
        if (at < 0) return;
        idle.splice(at, 1);
        if (!closed) onFailure(new Error(`an idle process exited: ${exit.stderrTail}`));
      });
    } catch (error) {
      if (!closed) onFailure(error);
    }
  };

  const hasIdle = (): boolean => idle.length > 0 && taken.size < options.maxTaken;
  /** True when one of the idle processes is for the account. */
  const canTake = (account: bigint): boolean =>
    idle.length > leaves(account) && remainingFor(account) > 0 && canBegin(account);
  /** Returns the next account in turn that can take an idle process now. */
  const nextAccount = (): bigint | undefined => {
    if (hasIdle()) for (const account of queues.keys()) if (canTake(account)) return account;
    return undefined;
  };

  /** Serves one caller of the account and moves the account to the end of the queue. */
  const serve = (account: bigint): void => {
    const queue = queues.get(account) as Set<Waiting>;
    const waiting = queue.values().next().value as Waiting;
    queue.delete(waiting);
    queues.delete(account);
    if (queue.size > 0) queues.set(account, queue);
    waiting.resolve(giveIdle(account));
  };

  /**
   * Gives idle processes to waiting callers and starts the missing ones: as many as there are cores while callers wait,
   * otherwise one after the other. A start claims its share of the processor only for lighter accounts, so that many short
   * runs of an account slow only its own.
   */
  const pump = (): void => {
    if (closed) return;
    options.onChange?.();
    for (let account = nextAccount(); account !== undefined; account = nextAccount()) serve(account);
    if (retry) return;
    let wanted = 0;
    for (const [account, queue] of queues) wanted += Math.min(queue.size, Math.max(0, remainingFor(account)));
    const needed = Math.min(wanted, options.maxTaken - taken.size);
    // Processes that were given back, or started for callers that gave up.
    for (const surplus of idle.splice(options.size + needed)) surplus.kill();
    const missing = options.size + needed - idle.length - starts.size;
    if (missing > 0) startMissing(missing, needed > 0);
    hurryStarts();
  };
  const startMissing = (missing: number, isAwaited: boolean): void => {
    if (isAwaited) startUpTo(Math.min(missing, availableParallelism() - starts.size));
    else if (isShort()) startUpTo(1 - starts.size);
    else refill ??= setTimeout(refillOne, REFILL_AFTER_MS);
  };
  const refillOne = (): void => {
    refill = undefined;
    if (!closed) startUpTo(1 - starts.size);
  };

  const startUpTo = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const hurry = new AbortController();
      const starting = start(hurry.signal).finally(() => {
        starts.delete(starting);
        pump();
      });
      starts.set(starting, hurry);
    }
  };

  pump();
  return {
    started: started.promise,
    async take(account, signal) {
      if (closed || draining) throw closedError();
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<ActionProcess>();
      const waiting = { resolve, reject };
      const onAbort = () => {
        const queue = queues.get(account);
        queue?.delete(waiting);
        if (queue?.size === 0) queues.delete(account);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort);
      queues.set(account, (queues.get(account) ?? new Set()).add(waiting));
      pump();
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    takeIdle(account) {
      if (closed || draining || queues.size > 0 || !hasIdle() || !canTake(account)) return undefined;
      const process = giveIdle(account);
      pump();
      return process;
    },
    hasBegun,
    finish(process) {
      running.delete(process);
      hasBegun(process);
      if (queues.size > 0) pump();
    },
    giveBack(process) {
      if (!takeBack(process)) return;
      process.yieldToOthers();
      idle.push(process);
      pump();
    },
    stats: () => ({ idle: idle.length, starting: starts.size, running: taken.size, queued: queued() }),
    async drain(timeoutMs) {
      draining ??= Promise.withResolvers();
      rejectAll(closedError());
      if (taken.size === 0) return;
      const timer = setTimeout(draining.resolve, timeoutMs);
      await draining.promise;
      clearTimeout(timer);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      clearTimeout(refill);
      rejectAll(closedError());
      const processes = [...idle, ...taken.keys()];
      for (const process of processes) process.kill();
      await Promise.all([...starts.keys(), ...processes.map((process) => process.exited)]);
    },
  };
};
