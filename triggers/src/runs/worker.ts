/** Works off the queue: claims, asks the core service to run, writes down what came of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { SealError, type Sealer } from '@latchkey/service/sealer';
import type { Logger } from 'pino';
import type { Core, RunAnswer } from '../core.ts';
import type { Database } from '../db/database.ts';
import { type ClaimedRun, claim, finish, type Outcome, renew, takeBackLost } from './queue.ts';

const RETRIES = 3;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 3_600_000;
const POLL_MS = 1_000;
const RENEWAL_MS = 10_000;

/** The core service may have run what the trigger was: with another body or key it would not know that this is the same run. */
const changedError = {
  name: 'TriggerChangedError',
  message: 'The trigger was changed between two attempts. Replay the run to run it as the trigger is now.',
};
const sealError = {
  name: 'SealError',
  message: 'This service cannot open the usage key of the trigger any more. Set it again.',
};

export type WorkerOptions = {
  db: Database;
  core: Pick<Core, 'run'>;
  sealer: Sealer;
  log: Logger;
  maxConcurrent: number;
  maxConcurrentPerUser: number;
};

export type Worker = {
  /** To be called after a run was stored: it is looked for at once, unless its user, when known, has all of its places taken. */
  wake: (userId?: string) => void;
  running: () => number;
  /** Takes no more, gives back at once what is under way. */
  close: () => Promise<void>;
};

/**
 * How long to wait after attempt `attempt`: about 1, 4 and 16 s, with jitter, so that runs spread; at least what the service asked for,
 * an hour at most.
 */
export function retryDelayMs(attempt: number, retryAfterMs = 0): number {
  const backoffMs = FIRST_RETRY_MS * 4 ** (attempt - 1) * (0.5 + Math.random());
  return Math.min(Math.max(retryAfterMs, backoffMs), LONGEST_RETRY_MS);
}

/** What an answer means for a run that has made `attempt` requests with this one. */
export function outcomeOf(answer: RunAnswer, attempt: number): Outcome {
  if (answer.kind === 'reply') {
    const { response, logs, has_error, error } = answer.reply;
    const { costMicros } = answer;
    return has_error
      ? {
          status: 'failed',
          error: error ?? { name: 'Error', message: 'the action failed' },
          logs,
          costMicros,
        }
      : { status: 'success', response: response ?? null, logs, costMicros };
  }
  const { message } = answer;
  if (answer.kind === 'passing' && attempt <= RETRIES)
    return { status: 'queued', delayMs: retryDelayMs(attempt, answer.retryAfterMs) };
  const name = answer.kind === 'refused' ? answer.name : 'service_unavailable';
  return unanswered({ name, message });
}

/** No reply says that it ran. */
const unanswered = (error: { name: string; message: string }): Outcome => ({
  status: 'failed',
  error,
  logs: '',
  costMicros: null,
});

export function startWorker({ db, core, sealer, log, ...limits }: WorkerOptions): Worker {
  const underWay = new Map<string, { run: ClaimedRun; stop: AbortController; done: Promise<void> }>();
  const closing = new AbortController();
  let wakeUp = Promise.withResolvers<void>();
  const isFull = (userId: string): boolean =>
    [...underWay.values()].filter(({ run }) => run.userId === userId).length >= limits.maxConcurrentPerUser;
  const wake = (userId?: string): void => {
    // A flood would have the database asked for nothing; each place that gets free wakes too.
    if (userId === undefined || !isFull(userId)) wakeUp.resolve();
  };

  const work = async (run: ClaimedRun, signal: AbortSignal): Promise<void> => {
    if (run.isChanged) {
      await finish(db, run, unanswered(changedError));
      return;
    }
    const startedAt = new Date();
    let answer: RunAnswer;
    try {
      answer = await core.run({
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
        await finish(db, run, unanswered(sealError));
        log.error({ err: thrown, trigger_id: run.triggerId }, 'usage key not opened');
        return;
      }
      if (!signal.aborted) throw thrown;
      if (closing.signal.aborted) await finish(db, run, { status: 'queued', delayMs: 0 });
      return;
    }
    const { httpStatus } = answer;
    const message = answer.kind === 'reply' ? 'ran' : answer.message;
    const outcome = outcomeOf(answer, run.attempt + 1);
    const isOurs = await finish(db, run, outcome, { startedAt, httpStatus, message });
    log.info({ run_id: run.id, status: isOurs ? outcome.status : 'lost', http_status: httpStatus }, 'run');
  };

  const take = (run: ClaimedRun): void => {
    const stop = new AbortController();
    const done = work(run, stop.signal)
      // Its lease ends, and it is tried again.
      .catch((err: unknown) => log.error({ err, run_id: run.id }, 'run not worked on'))
      .finally(() => {
        underWay.delete(run.id);
        wake();
      });
    underWay.set(run.id, { run, stop, done });
  };

  let after: string | undefined;
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      wakeUp = Promise.withResolvers();
      const places = limits.maxConcurrent - underWay.size;
      try {
        if (places > 0) {
          const claimed = await claim(db, { places, perUser: limits.maxConcurrentPerUser, after });
          for (const run of claimed) take(run);
          after = claimed.at(-1)?.userId ?? after;
        }
      } catch (err) {
        log.error({ err }, 'no runs claimed');
      }
      const pause = new AbortController();
      const signal = AbortSignal.any([pause.signal, closing.signal]);
      await Promise.race([wakeUp.promise, delay(POLL_MS, undefined, { signal }).catch(() => {})]);
      pause.abort();
    }
  };
  const looping = loop();

  const renewal = setInterval(() => {
    const work = [...underWay.values()].map(({ run }) => run);
    renew(db, work).then(
      (kept) => {
        for (const [id, { stop, run }] of underWay)
          if (work.includes(run) && !kept.has(id)) stop.abort(new Error('the lease was lost'));
      },
      (err: unknown) => log.error({ err }, 'leases not renewed'),
    );
  }, RENEWAL_MS);
  const sweep = setInterval(() => {
    takeBackLost(db).then(
      (count) => {
        if (count === 0) return;
        log.warn({ count }, 'runs of a lost process are taken up again');
        wake();
      },
      (err: unknown) => log.error({ err }, 'lost runs not looked for'),
    );
  }, POLL_MS);

  return {
    wake,
    running: () => underWay.size,
    async close() {
      closing.abort(new Error('the service stops'));
      wake();
      clearInterval(renewal);
      clearInterval(sweep);
      await looping;
      for (const { stop } of underWay.values()) stop.abort(closing.signal.reason);
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}
