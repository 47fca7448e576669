/** Processes the queue: claims runs, sends them to the relayer and stores the outcomes. */
import { SealError, type Sealer } from '@latchkey/service/sealer';
import { inSpan } from '@latchkey/service/tracing';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { RunCounters } from '../metrics.ts';
import type { RelayerClient } from '../relayer-client.ts';
import type { RunAnswer } from '../run-request.ts';
import { type ClaimedRun, claim, settle } from './claim.ts';
import { accountKeyOf } from './concurrency-key.ts';
import { createLiveOutput } from './live-output.ts';
import { type Decision, decide, failure, HOLD_MS } from './outcome.ts';
import { toParams } from './params.ts';
import { startProber } from './prober.ts';
import {
  type Attempt,
  finish,
  haveOthersRun,
  holdTrigger,
  type Outcome,
  pauseTrigger,
  renew,
  requeueLost,
} from './queue.ts';
import type { RunEnds } from './run-ends.ts';
import { spanOfRun } from './trace.ts';

const POLL_MS = 1_000;
/** Interval of the search for expired leases, which last longer. */
const LOST_MS = 5_000;
const RENEWAL_MS = 10_000;
/** Interval of reading the changes of the queue, which claims read too, but not while this process has its maximum of runs. */
const SETTLE_MS = 5_000;
/** Time for which a stopped run is not claimed again: `startStopper` ends it. */
const STOPPED_MS = 5_000;

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
  /** Told of the runs that end. */
  runEnds?: Pick<RunEnds, 'tell'>;
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

export function startWorker(options: WorkerOptions): Worker {
  const { db, relayer, log, counters, maxConcurrent, maxConcurrentPerAccount: perUser } = options;
  const inFlight = new Map<string, InFlight>();
  const closing = new AbortController();
  const { signal } = closing;
  let wakeUp = Promise.withResolvers<void>();
  const wake = (userId?: string): void => {
    const isOwn = ({ run }: InFlight): boolean => run.userId === userId;
    // Otherwise a flood of one user would cause claims that find nothing. Every finished run wakes the worker too.
    if (userId === undefined || [...inFlight.values()].filter(isOwn).length < perUser) wakeUp.resolve();
  };
  const prober = startProber({ relayer, log, onBack: wake, signal });
  const startRun = (run: ClaimedRun): void => {
    counters?.claimed(run);
    const stop = new AbortController();
    const done = processRun(run, { ...options, stop: stop.signal, closing: signal, onDown: prober.start })
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
  const claimSome = async (): Promise<void> => {
    const limit = maxConcurrent - inFlight.size;
    if (limit <= 0 || prober.probing()) return;
    await claim(db, { limit, perUser }, startRun);
  };
  const looping = (async () => {
    while (!signal.aborted) {
      wakeUp = Promise.withResolvers();
      await claimSome().catch((err: unknown) => log.error({ err }, 'failed to claim runs'));
      const timer = setTimeout(wakeUp.resolve, POLL_MS);
      await wakeUp.promise;
      clearTimeout(timer);
    }
  })();
  const leases = keepLeases(options, inFlight, wake);
  return {
    counters,
    wake,
    running: () => inFlight.size,
    isReachable: () => prober.probing() === undefined,
    async close() {
      closing.abort(new Error('service shutdown'));
      wake();
      leases[Symbol.dispose]();
      await looping;
      for (const { stop } of inFlight.values()) stop.abort(signal.reason);
      await Promise.all([...inFlight.values()].map(({ done }) => done));
      await prober.probing();
    },
  };
}

type InFlight = { run: ClaimedRun; stop: AbortController; done: Promise<void> };

/** Renews the leases of the runs in flight, and requeues runs of processes that did not renew theirs. */
function keepLeases(
  { db, log }: Pick<WorkerOptions, 'db' | 'log'>,
  inFlight: ReadonlyMap<string, InFlight>,
  wake: () => void,
): Disposable {
  const every = (intervalMs: number, what: string, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => {
      work().catch((err: unknown) => log.error({ err }, `failed to ${what}`));
    }, intervalMs);
  const timers = [
    every(RENEWAL_MS, 'renew leases', async () => {
      const held = [...inFlight.values()];
      const kept = await renew(
        db,
        held.map(({ run }) => run),
      );
      for (const { run, stop } of held) if (!kept.has(run.id)) stop.abort(new Error('lease expired'));
    }),
    every(LOST_MS, 'requeue runs with expired leases', async () => {
      const count = await requeueLost(db);
      if (count === 0) return;
      log.warn({ count }, 'requeued runs with expired leases');
      wake();
    }),
    every(SETTLE_MS, 'settle the queue', () => settle(db)),
  ];
  return { [Symbol.dispose]: () => timers.forEach(clearInterval) };
}

type ProcessOptions = Pick<WorkerOptions, 'db' | 'relayer' | 'sealer' | 'log' | 'counters' | 'runEnds'> & {
  /** Ends the request. */
  stop: AbortSignal;
  /** Aborted when the service stops. */
  closing: AbortSignal;
  /** Called when the relayer cannot run actions. */
  onDown: (httpStatus: number) => void;
};

const processRun = (run: ClaimedRun, options: ProcessOptions): Promise<void> =>
  inSpan('run', () => requestAndFinish(run, options), spanOfRun(run));

async function requestAndFinish(run: ClaimedRun, options: ProcessOptions): Promise<void> {
  const { db, log, counters, runEnds, stop, closing, onDown } = options;
  const end = async (outcome: Outcome, attempt?: Attempt): Promise<boolean> => {
    const isHeld = await finish(db, run, outcome, attempt);
    if (isHeld) counters?.ended(outcome);
    if (isHeld && outcome.status !== 'queued') runEnds?.tell(run.id, outcome);
    return isHeld;
  };
  if (run.isForgotten) {
    await end(failure(unknownError));
    return;
  }
  if (run.isStopped) {
    await end({ status: 'queued', delayMs: STOPPED_MS, executed: 'not now' });
    return;
  }
  const startedAt = new Date();
  let answer: RunAnswer;
  try {
    answer = await request(run, options);
  } catch (thrown) {
    if (thrown instanceof SealError) {
      await end(failure(sealError));
      log.error({ err: thrown, trigger_id: run.triggerId }, 'failed to open a usage key');
      return;
    }
    if (!stop.aborted) throw thrown;
    if (closing.aborted) await end({ status: 'queued', delayMs: 0, executed: 'perhaps' });
    return;
  }
  if (answer.kind === 'unreachable') onDown(answer.httpStatus);
  const othersRan = answer.kind === 'crashed' && (await haveOthersRun(db, run, startedAt));
  const { outcome, attempt, trigger } = decide(answer, { ...run, othersRan });
  // Before the run is queued again, so that it is not claimed meanwhile.
  if (trigger) await stopTrigger(options, run, trigger);
  const isHeld = await end(outcome, attempt && { ...attempt, startedAt });
  const { httpStatus } = answer;
  log.info(
    { run_id: run.id, status: isHeld ? outcome.status : 'lost', http_status: httpStatus },
    'run request finished',
  );
}

async function request(
  run: ClaimedRun,
  { db, relayer, sealer, log, stop }: ProcessOptions,
): Promise<RunAnswer> {
  await using output = createLiveOutput(db, run, log);
  return await relayer.run({
    key: sealer.openText(run.usageApiKey, run.triggerId),
    body:
      run.approvalId === null
        ? {
            code: run.actionCode,
            ipfs_id: run.actionCid,
            concurrency_key: accountKeyOf(run.concurrencyKey),
            ...toParams(run),
          }
        : { code: run.actionCode, approval_id: run.approvalId },
    idempotencyKey: run.approvalId ?? run.idempotencyKey,
    correlationId: run.id,
    onStart: output.start,
    onLog: output.add,
    signal: stop,
  });
}

async function stopTrigger(
  { db, log }: ProcessOptions,
  { triggerId: id, revision }: ClaimedRun,
  stop: NonNullable<Decision['trigger']>,
): Promise<void> {
  log.warn({ trigger_id: id, ...stop }, 'the runs of a trigger wait');
  if (stop.state === 'held') await holdTrigger(db, { id, revision, ms: HOLD_MS, reason: stop.reason });
  else await pauseTrigger(db, { id, revision, reason: stop.reason });
}
