/** Processes the queue: claims runs, sends them to the relayer and stores the outcomes. */
import { setTimeout as delay } from 'node:timers/promises';
import { SealError, type Sealer } from '@latchkey/service/sealer';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { RunCounters } from '../metrics.ts';
import type { RelayerClient, RunAnswer } from '../relayer-client.ts';
import { createLiveOutput } from './live-output.ts';
import { type Decision, decide, failure, HOLD_MS } from './outcome.ts';
import { toParams } from './params.ts';
import {
  type Attempt,
  type ClaimedRun,
  claim,
  finish,
  haveOthersRun,
  holdTrigger,
  type Outcome,
  pauseTrigger,
  renew,
  requeueLost,
} from './queue.ts';

const POLL_MS = 1_000;
/** Interval of the search for expired leases, which last longer. */
const LOST_MS = 5_000;
const RENEWAL_MS = 10_000;
const FIRST_PROBE_MS = 1_000;
const LONGEST_PROBE_MS = 30_000;

const sealError = {
  name: 'SealError',
  message: 'The usage key of the trigger cannot be decrypted. Set usage_api_key of the trigger again.',
};

const unknownError = {
  name: 'unknown',
  message:
    'The reply to this run was lost, and the relayer no longer knows whether it was executed. It was not executed again. Replay the run to execute it.',
};

export type WorkerOptions = {
  db: Database;
  relayer: Pick<RelayerClient, 'run' | 'ping'>;
  sealer: Sealer;
  log: Logger;
  counters?: RunCounters;
  maxConcurrent: number;
  maxConcurrentPerAccount: number;
};

export type Worker = {
  counters?: RunCounters | undefined;
  /** Call after a run was stored. Claims immediately, unless `userId` already has its maximum of running runs. */
  wake: (userId?: string) => void;
  /** Number of runs in flight in this process. */
  running: () => number;
  /** False while the relayer cannot run actions. Nothing is claimed then. */
  isReachable: () => boolean;
  /** Stops claiming, and requeues the runs in flight. */
  close: () => Promise<void>;
};

export function startWorker({ db, relayer, sealer, log, counters, ...limits }: WorkerOptions): Worker {
  const inFlight = new Map<string, { run: ClaimedRun; stop: AbortController; done: Promise<void> }>();
  const closing = new AbortController();
  let wakeUp = Promise.withResolvers<void>();
  const isFull = (userId: string): boolean =>
    [...inFlight.values()].filter(({ run }) => run.userId === userId).length >=
    limits.maxConcurrentPerAccount;
  const wake = (userId?: string): void => {
    // Without this check, a flood of one user would cause claims that find nothing. Every finished run wakes the worker too.
    if (userId === undefined || !isFull(userId)) wakeUp.resolve();
  };

  let probing: Promise<void> | undefined;
  /** Asks until the relayer can run actions. */
  const probe = async (): Promise<void> => {
    const { signal } = closing;
    for (let waitMs = FIRST_PROBE_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_PROBE_MS)) {
      const isBack = await relayer.ping().then(
        () => true,
        () => false,
      );
      if (isBack) return;
      await delay(waitMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    }
  };
  const startProbing = (httpStatus: number): void => {
    if (probing || closing.signal.aborted) return;
    log.warn({ http_status: httpStatus }, 'the relayer cannot run actions: runs wait');
    probing = probe().finally(() => {
      probing = undefined;
      wake();
    });
  };

  const end = async (run: ClaimedRun, outcome: Outcome, attempt?: Attempt): Promise<boolean> => {
    const isHeld = await finish(db, run, outcome, attempt);
    if (isHeld) counters?.ended(outcome);
    return isHeld;
  };

  const processRun = async (run: ClaimedRun, signal: AbortSignal): Promise<void> => {
    if (run.isForgotten) {
      await end(run, failure(unknownError));
      return;
    }
    const startedAt = new Date();
    let answer: RunAnswer;
    try {
      await using output = createLiveOutput(db, run, log);
      answer = await relayer.run({
        key: sealer.openText(run.usageApiKey, run.triggerId),
        body: {
          code: run.actionCode,
          ipfs_id: run.actionCid,
          ...toParams(run),
        },
        idempotencyKey: run.idempotencyKey,
        onStart: output.start,
        onLog: output.add,
        signal,
      });
    } catch (thrown) {
      if (thrown instanceof SealError) {
        await end(run, failure(sealError));
        log.error({ err: thrown, trigger_id: run.triggerId }, 'failed to open a usage key');
        return;
      }
      if (!signal.aborted) throw thrown;
      if (closing.signal.aborted) await end(run, { status: 'queued', delayMs: 0, mayHaveRun: true });
      return;
    }
    if (answer.kind === 'unreachable') startProbing(answer.httpStatus);
    const othersRan = answer.kind === 'crashed' && (await haveOthersRun(db, run, startedAt));
    const { outcome, attempt, trigger } = decide(answer, { ...run, othersRan });
    // First, so that the run is not claimed again meanwhile.
    if (trigger) await stopTrigger(run, trigger);
    const isHeld = await end(run, outcome, attempt && { ...attempt, startedAt });
    const { httpStatus } = answer;
    log.info(
      { run_id: run.id, status: isHeld ? outcome.status : 'lost', http_status: httpStatus },
      'run request finished',
    );
  };

  const stopTrigger = async (
    { triggerId: id, revision }: ClaimedRun,
    stop: NonNullable<Decision['trigger']>,
  ): Promise<void> => {
    log.warn({ trigger_id: id, ...stop }, 'the runs of a trigger wait');
    if (stop.state === 'held') await holdTrigger(db, { id, revision, ms: HOLD_MS, reason: stop.reason });
    else await pauseTrigger(db, { id, revision, reason: stop.reason });
  };

  const startRun = (run: ClaimedRun): void => {
    counters?.claimed(run);
    const stop = new AbortController();
    const done = processRun(run, stop.signal)
      // The run is retried when its lease expires.
      .catch((err: unknown) => log.error({ err, run_id: run.id }, 'failed to process a run'))
      .finally(() => {
        if (inFlight.get(run.id)?.run === run) inFlight.delete(run.id);
        wake();
      });
    // The lease expired while this process was stalled.
    inFlight.get(run.id)?.stop.abort(new Error('claimed again'));
    inFlight.set(run.id, { run, stop, done });
  };

  let after: string | undefined;
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      wakeUp = Promise.withResolvers();
      const free = limits.maxConcurrent - inFlight.size;
      try {
        if (free > 0 && !probing) {
          const claimed = await claim(db, { limit: free, perUser: limits.maxConcurrentPerAccount, after });
          for (const run of claimed) startRun(run);
          after = claimed.at(-1)?.userId ?? after;
        }
      } catch (err) {
        log.error({ err }, 'failed to claim runs');
      }
      const timer = setTimeout(wakeUp.resolve, POLL_MS);
      await wakeUp.promise;
      clearTimeout(timer);
    }
  };
  const looping = loop();

  const renewal = setInterval(() => {
    const held = [...inFlight.values()].map(({ run }) => run);
    renew(db, held).then(
      (kept) => {
        for (const [id, { stop, run }] of inFlight)
          if (held.includes(run) && !kept.has(id)) stop.abort(new Error('lease expired'));
      },
      (err: unknown) => log.error({ err }, 'failed to renew leases'),
    );
  }, RENEWAL_MS);
  const sweep = setInterval(() => {
    requeueLost(db).then(
      (count) => {
        if (count === 0) return;
        log.warn({ count }, 'requeued runs with expired leases');
        wake();
      },
      (err: unknown) => log.error({ err }, 'failed to requeue runs with expired leases'),
    );
  }, LOST_MS);

  return {
    counters,
    wake,
    running: () => inFlight.size,
    isReachable: () => probing === undefined,
    async close() {
      closing.abort(new Error('service shutdown'));
      wake();
      clearInterval(renewal);
      clearInterval(sweep);
      await looping;
      for (const { stop } of inFlight.values()) stop.abort(closing.signal.reason);
      await Promise.all([...inFlight.values()].map(({ done }) => done));
      await probing;
    },
  };
}
