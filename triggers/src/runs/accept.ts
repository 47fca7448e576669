/** How runs come into being: every source, test and replay stores them here. */
import { and, asc, count, desc, eq, gte, inArray, lt, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { type RunStatus, runs, triggers } from '../db/schema.ts';

/** The trigger is disabled, or gone. */
export class TriggerDisabledError extends Error {
  override readonly name = 'TriggerDisabledError';
}

/** The trigger has `max_queued_runs` queued, or got `max_runs_per_minute` in the last 60 seconds. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly retryAfterSec: number;
  constructor(message: string, retryAfterSec: number) {
    super(message);
    this.retryAfterSec = retryAfterSec;
  }
}

/** Nobody knows when a queued run is taken. */
const QUEUE_RETRY_SEC = 5;

type Accepting = { db: Database; worker: Pick<Context['worker'], 'wake'> };

export type NewRun = Pick<typeof runs.$inferInsert, 'input' | 'scheduledFor' | 'replayOf'> & {
  /** Fires once for the trigger, for as long as its run is kept. */
  dedupeKey?: string | undefined;
};

/**
 * Stores a run; it is durable when this resolves. `isNew` is false for a dedupe key that has fired before: then it is that run, whatever
 * the limits are now. `db` may be a transaction of the caller's, who then wakes the worker after its commit. Throws
 * `TriggerDisabledError`, `QueueFullError`.
 */
export async function acceptRun(
  { db, worker }: Accepting,
  { id: triggerId }: { id: string },
  { dedupeKey, input, scheduledFor, replayOf }: NewRun,
): Promise<{ id: string; isNew: boolean }> {
  const { userId, ...accepted } = await db.transaction(async (tx) => {
    const trigger = await lock(tx, triggerId);
    const { userId } = trigger;
    const { queued, recent } = counts(tx, trigger);
    // Once more only when room came up after the insert.
    for (;;) {
      const { rows } = (await tx.execute(sql`
        insert into ${runs} (trigger_id, user_id, input, dedupe_key, scheduled_for, replay_of)
        select ${triggerId}::uuid, ${userId}::uuid, ${sql.param(input, runs.input)}::json,
          ${dedupeKey ?? null}::text, ${scheduledFor?.toISOString() ?? null}::timestamptz, ${replayOf ?? null}::uuid
        where ${trigger.enabled}
          and (select count(*) from ${queued}) < ${trigger.maxQueuedRuns}
          and (select count(*) from ${recent}) < ${trigger.maxRunsPerMinute}
        on conflict (trigger_id, dedupe_key) do nothing
        returning id`)) as unknown as { rows: { id: string }[] };
      if (rows[0]) return { id: rows[0].id, isNew: true, userId };
      const [earlier] =
        dedupeKey === undefined
          ? []
          : await tx
              .select({ id: runs.id })
              .from(runs)
              .where(and(eq(runs.triggerId, triggerId), eq(runs.dedupeKey, dedupeKey)));
      if (earlier) return { id: earlier.id, isNew: false, userId };
      await roomOf(tx, trigger);
    }
  });
  if (accepted.isNew) worker.wake(userId);
  return accepted;
}

export type Replay = { from?: Date | undefined; to?: Date | undefined; statuses: RunStatus[] };

/**
 * Stores a new run with the input of each chosen run that has not been replayed, the oldest first, as many as the limits allow;
 * `remaining` are those that they do not. Throws as `acceptRun` when not even one fits.
 */
export async function replayRuns(
  { db, worker }: Accepting,
  { id: triggerId }: { id: string },
  { from, to, statuses }: Replay,
): Promise<{ replayed: number; remaining: number }> {
  const replays = alias(runs, 'replays');
  const done = await db.transaction(async (tx) => {
    const trigger = await lock(tx, triggerId);
    const isChosen = and(
      eq(runs.triggerId, triggerId),
      inArray(runs.status, statuses),
      from && gte(runs.createdAt, from),
      to && lt(runs.createdAt, to),
      notExists(tx.select({ one: sql`1` }).from(replays).where(eq(replays.replayOf, runs.id))),
    );
    const [{ total } = { total: 0 }] = await tx.select({ total: count() }).from(runs).where(isChosen);
    if (total === 0) return { replayed: 0, remaining: 0 };
    const chosen = await tx
      .select({ id: runs.id })
      .from(runs)
      .where(isChosen)
      .orderBy(asc(runs.createdAt), asc(runs.id))
      .limit(await roomOf(tx, trigger));
    await tx.execute(sql`
      insert into ${runs} (trigger_id, user_id, input, scheduled_for, replay_of)
      select trigger_id, user_id, input, scheduled_for, id from ${runs}
      where ${inArray(
        runs.id,
        chosen.map(({ id }) => id),
      )}`);
    return { replayed: chosen.length, remaining: total - chosen.length };
  });
  if (done.replayed > 0) worker.wake();
  return done;
}

type Locked = Awaited<ReturnType<typeof lock>>;

/** Runs of one trigger are accepted one after another, so that its limits are exact; a claim does not wait for this lock. */
async function lock(tx: Database, triggerId: string) {
  const { id, userId, enabled, maxQueuedRuns, maxRunsPerMinute } = triggers;
  const [trigger] = await tx
    .select({ id, userId, enabled, maxQueuedRuns, maxRunsPerMinute })
    .from(triggers)
    .where(eq(id, triggerId))
    .for('no key update');
  if (!trigger) throw new TriggerDisabledError('The trigger is deleted.');
  return trigger;
}

/** What counts against the limits, and no more of it than says whether they are reached. */
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

/** How many runs the trigger may get now; throws when it is none. A statement after the lock: it has to see what was accepted before. */
async function roomOf(tx: Database, trigger: Locked): Promise<number> {
  const { enabled, maxQueuedRuns, maxRunsPerMinute } = trigger;
  if (!enabled) throw new TriggerDisabledError('The trigger is disabled.');
  const { queued, recent } = counts(tx, trigger);
  const [inQueue] = await tx.select({ runs: count() }).from(queued);
  const [inMinute] = await tx
    .select({
      runs: count(),
      freesInSec: sql<number>`60 - extract(epoch from clock_timestamp() - min(${recent.createdAt}))`.mapWith(
        Number,
      ),
    })
    .from(recent);
  if (!inQueue || !inMinute) throw new Error('no counts');
  if (inQueue.runs >= maxQueuedRuns)
    throw new QueueFullError(`${maxQueuedRuns} runs of this trigger are queued already.`, QUEUE_RETRY_SEC);
  if (inMinute.runs >= maxRunsPerMinute)
    throw new QueueFullError(
      `This trigger got ${maxRunsPerMinute} runs in the last minute.`,
      inMinute.freesInSec,
    );
  return Math.min(maxQueuedRuns - inQueue.runs, maxRunsPerMinute - inMinute.runs);
}
