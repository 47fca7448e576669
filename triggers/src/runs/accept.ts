/** Accepts runs. Every source, test and replay stores its runs through this module. */
import { and, asc, count, desc, eq, gte, inArray, isNull, lt, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { type RunStatus, runs, triggers } from '../db/schema.ts';
import { toConcurrencyKey } from './concurrency-key.ts';
import type { Worker } from './worker.ts';

/** The trigger is disabled or deleted. */
export class TriggerDisabledError extends Error {
  override readonly name = 'TriggerDisabledError';
}

/** The trigger has `max_queued_runs` runs in the queue, or accepted `max_runs_per_minute` runs in the last 60 seconds. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly retryAfterSec: number;
  constructor(message: string, retryAfterSec: number) {
    super(message);
    this.retryAfterSec = retryAfterSec;
  }
}

/** An estimate: the time until the queue gets shorter is unknown. */
const QUEUE_RETRY_SEC = 5;

export type AcceptOptions = { db: Database; worker: Pick<Worker, 'wake' | 'counters'> };

export type NewRun = Pick<typeof runs.$inferInsert, 'input' | 'scheduledFor' | 'replayOf'> & {
  /** Unique per trigger for as long as the run is kept. */
  dedupeKey?: string | undefined;
  /** Part of the trigger's limits that the run can use, from 0 to 1. Default: 1. */
  share?: number;
};

/**
 * Stores a run. The run is durable when the promise resolves. For a known dedupe key, resolves to the existing run with `isNew`
 * false, whatever the limits are. When `db` is a transaction, the caller must wake the worker after the commit. Rejects with
 * `TriggerDisabledError` or `QueueFullError`.
 */
export async function acceptRun(
  { db, worker }: AcceptOptions,
  { id: triggerId }: { id: string },
  { dedupeKey, input, scheduledFor, replayOf, share = 1 }: NewRun,
): Promise<{ id: string; isNew: boolean }> {
  const { userId, kind, ...accepted } = await db.transaction(async (tx) => {
    const locked = await lock(tx, triggerId);
    const trigger = {
      ...locked,
      maxQueuedRuns: Math.ceil(locked.maxQueuedRuns * share),
      maxRunsPerMinute: Math.ceil(locked.maxRunsPerMinute * share),
    };
    const { userId, kind } = trigger;
    const concurrencyKey = toConcurrencyKey(trigger.concurrencyKey, input);
    // A replay was chosen by its owner: no event replaces it.
    const debounceSeconds = replayOf ? 0 : (trigger.debounceSeconds ?? 0);
    const { queued, recent } = counts(tx, trigger);
    // Repeats only when the queue became shorter after the insert was rejected.
    for (;;) {
      const { rows } = (await tx.execute(sql`
        insert into ${runs} (trigger_id, user_id, input, dedupe_key, concurrency_key, scheduled_for, replay_of, due_at)
        select ${triggerId}::uuid, ${userId}::uuid, ${sql.param(input, runs.input)}::json,
          ${dedupeKey ?? null}::text, ${concurrencyKey}::text, ${scheduledFor?.toISOString() ?? null}::timestamptz,
          ${replayOf ?? null}::uuid, now() + make_interval(secs => ${debounceSeconds})
        where ${isAccepting(trigger)}
          and (select count(*) from ${queued}) < ${trigger.maxQueuedRuns}
          and (select count(*) from ${recent}) < ${trigger.maxRunsPerMinute}
        on conflict (trigger_id, dedupe_key) do nothing
        returning id`)) as unknown as { rows: { id: string }[] };
      if (rows[0]) {
        const { id } = rows[0];
        if (debounceSeconds > 0) await skipEarlier(tx, { id, triggerId, userId, concurrencyKey });
        return { id, isNew: true, userId, kind };
      }
      const [earlier] =
        dedupeKey === undefined
          ? []
          : await tx
              .select({ id: runs.id })
              .from(runs)
              .where(and(eq(runs.triggerId, triggerId), eq(runs.dedupeKey, dedupeKey)));
      if (earlier) return { id: earlier.id, isNew: false, userId, kind };
      await remainingCapacity(tx, trigger);
    }
  });
  if (accepted.isNew) {
    worker.counters?.accepted(kind, 1);
    worker.wake(userId);
  }
  return accepted;
}

export type Replay = { from?: Date | undefined; to?: Date | undefined; statuses: RunStatus[] };

/**
 * Stores a new run with the input of each matching run that was not replayed yet, oldest first, as many as the limits allow.
 * `remaining` counts the others. Rejects like `acceptRun` when the limits allow none.
 */
export async function replayRuns(
  { db, worker }: AcceptOptions,
  { id: triggerId }: { id: string },
  { from, to, statuses }: Replay,
): Promise<{ replayed: number; remaining: number }> {
  const replays = alias(runs, 'replays');
  const { kind, ...done } = await db.transaction(async (tx) => {
    const trigger = await lock(tx, triggerId);
    const isMatching = and(
      eq(runs.triggerId, triggerId),
      inArray(runs.status, statuses),
      from && gte(runs.createdAt, from),
      to && lt(runs.createdAt, to),
      notExists(tx.select({ one: sql`1` }).from(replays).where(eq(replays.replayOf, runs.id))),
    );
    const [{ total } = { total: 0 }] = await tx.select({ total: count() }).from(runs).where(isMatching);
    if (total === 0) return { kind: trigger.kind, replayed: 0, remaining: 0 };
    const chosen = await tx
      .select({ id: runs.id })
      .from(runs)
      .where(isMatching)
      .orderBy(asc(runs.createdAt), asc(runs.id))
      .limit(await remainingCapacity(tx, trigger));
    await tx.execute(sql`
      insert into ${runs} (trigger_id, user_id, input, concurrency_key, scheduled_for, replay_of)
      select trigger_id, user_id, input, concurrency_key, scheduled_for, id from ${runs}
      where ${inArray(
        runs.id,
        chosen.map(({ id }) => id),
      )}`);
    return { kind: trigger.kind, replayed: chosen.length, remaining: total - chosen.length };
  });
  worker.counters?.accepted(kind, done.replayed);
  if (done.replayed > 0) worker.wake();
  return done;
}

type Locked = Awaited<ReturnType<typeof lock>>;

/** Returns true for a trigger that accepts events: an enabled one, and a paused webhook that holds them. */
export const isAccepting = ({
  kind,
  enabled,
  holdWhenPaused,
}: Pick<Locked, 'kind' | 'enabled' | 'holdWhenPaused'>): boolean =>
  enabled || (holdWhenPaused && kind === 'webhook');

/** Ends the runs of the trigger and concurrency key that were not requested yet. */
async function skipEarlier(
  tx: Database,
  {
    id,
    triggerId,
    userId,
    concurrencyKey,
  }: { id: string; triggerId: string; userId: string; concurrencyKey: string | null },
): Promise<void> {
  await tx
    .update(runs)
    .set({
      status: 'skipped',
      finishedAt: sql`clock_timestamp()`,
      error: { name: 'debounced', message: `A newer event replaced this one: run ${id}.` },
    })
    .where(
      and(
        // With the user, the index of queued runs applies.
        eq(runs.userId, userId),
        eq(runs.triggerId, triggerId),
        eq(runs.status, 'queued'),
        concurrencyKey === null ? isNull(runs.concurrencyKey) : eq(runs.concurrencyKey, concurrencyKey),
        isNull(runs.startedAt),
        isNull(runs.replayOf),
        ne(runs.id, id),
      ),
    );
}

/** Locks the trigger, so that its limits are exact under concurrency. Claims do not wait for this lock. */
async function lock(tx: Database, triggerId: string) {
  const { id, userId, kind, enabled, holdWhenPaused, maxQueuedRuns, maxRunsPerMinute } = triggers;
  const { concurrencyKey, debounceSeconds } = triggers;
  const limits = { maxQueuedRuns, maxRunsPerMinute, concurrencyKey, debounceSeconds };
  const [trigger] = await tx
    .select({ id, userId, kind, enabled, holdWhenPaused, ...limits })
    .from(triggers)
    .where(eq(id, triggerId))
    .for('no key update');
  if (!trigger) throw new TriggerDisabledError('The trigger was deleted.');
  return trigger;
}

/** Builds the queries of runs that count against the limits. Each returns at most as many rows as its limit. */
function counts(tx: Database, { id, userId, maxQueuedRuns, maxRunsPerMinute }: Locked) {
  const queued = tx
    .select({ one: sql`1`.as('one') })
    .from(runs)
    .where(and(eq(runs.userId, userId), eq(runs.triggerId, id), eq(runs.status, 'queued')))
    .limit(maxQueuedRuns)
    .as('queued');
  const recent = tx
    .select({ createdAt: runs.createdAt })
    .from(runs)
    .where(and(eq(runs.triggerId, id), sql`${runs.createdAt} > clock_timestamp() - interval '60 s'`))
    .orderBy(desc(runs.createdAt))
    .limit(maxRunsPerMinute)
    .as('recent');
  return { queued, recent };
}

/**
 * Resolves to the number of runs that the limits allow now. Rejects when it is zero. Must be a statement after the lock, so that
 * it sees runs accepted before.
 */
async function remainingCapacity(tx: Database, trigger: Locked): Promise<number> {
  const { maxQueuedRuns, maxRunsPerMinute } = trigger;
  if (!isAccepting(trigger)) throw new TriggerDisabledError('The trigger is disabled.');
  const { queued, recent } = counts(tx, trigger);
  const [queuedNow] = await tx.select({ runs: count() }).from(queued);
  const [recentNow] = await tx
    .select({
      runs: count(),
      freesInSec: sql<number>`60 - extract(epoch from clock_timestamp() - min(${recent.createdAt}))`.mapWith(
        Number,
      ),
    })
    .from(recent);
  if (!queuedNow || !recentNow) throw new Error('count returned no row');
  if (queuedNow.runs >= maxQueuedRuns)
    throw new QueueFullError(`The queue of this trigger is full: ${maxQueuedRuns} runs.`, QUEUE_RETRY_SEC);
  if (recentNow.runs >= maxRunsPerMinute)
    throw new QueueFullError(
      `This trigger accepts at most ${maxRunsPerMinute} runs per minute.`,
      recentNow.freesInSec,
    );
  return Math.min(maxQueuedRuns - queuedNow.runs, maxRunsPerMinute - recentNow.runs);
}
