/** Processes the queue: claims runs, sends them to the relayer and stores the outcomes. */
import { setTimeout as delay } from 'node:timers/promises';
import { SealError, type Sealer } from '@latchkey/service/sealer';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { RelayerClient, RunAnswer } from '../relayer-client.ts';
import { type ClaimedRun, claim, finish, type Outcome, renew, requeueLost } from './queue.ts';

const RETRIES = 3;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 3_600_000;
const POLL_MS = 1_000;
const RENEWAL_MS = 10_000;

/** The relayer may have executed the first attempt. A retry with another body or key would not be recognized as the same run. */
const changedError = {
  name: 'TriggerChangedError',
  message: 'The trigger was changed between two attempts. Replay the run to use the changed trigger.',
};
const sealError = {
  name: 'SealError',
  message: 'The usage key of the trigger cannot be decrypted. Set usage_api_key of the trigger again.',
};

export type WorkerOptions = {
  db: Database;
  relayer: Pick<RelayerClient, 'run'>;
  sealer: Sealer;
  log: Logger;
  maxConcurrent: number;
  maxConcurrentPerUser: number;
};

export type Worker = {
  /** Call after a run was stored. Claims immediately, unless `userId` already has its maximum of running runs. */
  wake: (userId?: string) => void;
  /** Number of runs in flight in this process. */
  running: () => number;
  /** Stops claiming, and requeues the runs in flight. */
  close: () => Promise<void>;
};

/** Returns the delay after attempt number `attempt`: about 1, 4 and 16 s with jitter, at least `retryAfterMs`, at most one hour. */
export function retryDelayMs(attempt: number, retryAfterMs = 0): number {
  const backoffMs = FIRST_RETRY_MS * 4 ** (attempt - 1) * (0.5 + Math.random());
  return Math.min(Math.max(retryAfterMs, backoffMs), LONGEST_RETRY_MS);
}

/** Maps an answer to the outcome of a run. `attempt` counts the requests including this one. */
export function toOutcome(answer: RunAnswer, attempt: number): Outcome {
  if (answer.kind === 'reply') {
    const { response, logs, has_error, error } = answer.reply;
    const { costMicros } = answer;
    return has_error
      ? {
          status: 'failed',
          error: error ?? { name: 'Error', message: 'The action failed.' },
          logs,
          costMicros,
        }
      : { status: 'success', response: response ?? null, logs, costMicros };
  }
  const { message } = answer;
  if (answer.kind === 'transient' && attempt <= RETRIES)
    return { status: 'queued', delayMs: retryDelayMs(attempt, answer.retryAfterMs) };
  const name = answer.kind === 'refused' ? answer.name : 'service_unavailable';
  return failure({ name, message });
}

/** A failure without a reply of the action: the cost is unknown. */
const failure = (error: { name: string; message: string }): Outcome => ({
  status: 'failed',
  error,
  logs: '',
  costMicros: null,
});

export function startWorker({ db, relayer, sealer, log, ...limits }: WorkerOptions): Worker {
  const inFlight = new Map<string, { run: ClaimedRun; stop: AbortController; done: Promise<void> }>();
  const closing = new AbortController();
  let wakeUp = Promise.withResolvers<void>();
  const isFull = (userId: string): boolean =>
    [...inFlight.values()].filter(({ run }) => run.userId === userId).length >= limits.maxConcurrentPerUser;
  const wake = (userId?: string): void => {
    // Without this check, a flood of one user would cause claims that find nothing. Every finished run wakes the worker too.
    if (userId === undefined || !isFull(userId)) wakeUp.resolve();
  };

  const processRun = async (run: ClaimedRun, signal: AbortSignal): Promise<void> => {
    if (run.isChanged) {
      await finish(db, run, failure(changedError));
      return;
    }
    const startedAt = new Date();
    let answer: RunAnswer;
    try {
      answer = await relayer.run({
        key: sealer.openText(run.usageApiKey, run.triggerId),
        body: {
          code: run.actionCode,
          ipfs_id: run.actionCid,
          js_params: { ...run.defaultParams, ...run.input },
        },
        idempotencyKey: run.idempotencyKey,
        signal,
      });
    } catch (thrown) {
      if (thrown instanceof SealError) {
        await finish(db, run, failure(sealError));
        log.error({ err: thrown, trigger_id: run.triggerId }, 'failed to open a usage key');
        return;
      }
      if (!signal.aborted) throw thrown;
      if (closing.signal.aborted) await finish(db, run, { status: 'queued', delayMs: 0 });
      return;
    }
    const { httpStatus } = answer;
    const message = answer.kind === 'reply' ? 'ran' : answer.message;
    const outcome = toOutcome(answer, run.attempt + 1);
    const isHeld = await finish(db, run, outcome, { startedAt, httpStatus, message });
    log.info(
      { run_id: run.id, status: isHeld ? outcome.status : 'lost', http_status: httpStatus },
      'run attempt finished',
    );
  };

  const startRun = (run: ClaimedRun): void => {
    const stop = new AbortController();
    const done = processRun(run, stop.signal)
      // The run is retried when its lease expires.
      .catch((err: unknown) => log.error({ err, run_id: run.id }, 'failed to process a run'))
      .finally(() => {
        inFlight.delete(run.id);
        wake();
      });
    inFlight.set(run.id, { run, stop, done });
  };

  let after: string | undefined;
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      wakeUp = Promise.withResolvers();
      const free = limits.maxConcurrent - inFlight.size;
      try {
        if (free > 0) {
          const claimed = await claim(db, { limit: free, perUser: limits.maxConcurrentPerUser, after });
          for (const run of claimed) startRun(run);
          after = claimed.at(-1)?.userId ?? after;
        }
      } catch (err) {
        log.error({ err }, 'failed to claim runs');
      }
      const pause = new AbortController();
      const signal = AbortSignal.any([pause.signal, closing.signal]);
      await Promise.race([wakeUp.promise, delay(POLL_MS, undefined, { signal }).catch(() => {})]);
      pause.abort();
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
  }, POLL_MS);

  return {
    wake,
    running: () => inFlight.size,
    async close() {
      closing.abort(new Error('service shutdown'));
      wake();
      clearInterval(renewal);
      clearInterval(sweep);
      await looping;
      for (const { stop } of inFlight.values()) stop.abort(closing.signal.reason);
      await Promise.all([...inFlight.values()].map(({ done }) => done));
    },
  };
}
