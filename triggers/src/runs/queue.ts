/**
 * The queue of runs, stored in the table `runs`. A claim leases a run to one process. Every later write names the claim
 * (fencing), so that a process whose lease has expired changes nothing. All times are the database's.
 */
import { and, eq, type GetColumnData, lt, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { queueAlert } from '../alerts/deliveries.ts';
import { countEnd, lockForEnd } from '../alerts/failures.ts';
import type { Database } from '../db/database.ts';
import { attempts, revisions, runs, triggers } from '../db/schema.ts';
import { laterVersion } from '../db/version.ts';

export const LEASE_SEC = 30;
/** Time for which a run waits for credit or for a valid usage key. */
const MAX_WAIT_DAYS = 7;
/** The relayer keeps outcomes for 7 days. An hour less covers the time between a request and its run. */
const KNOWN_OUTCOME_HOURS = 7 * 24 - 1;
/**
 * Due runs of a trigger among which a claim looks for one that waits for no run of its concurrency key. The claims of all
 * users wait for each other.
 */
const MAX_EXAMINED = 256;
/** Key of the advisory lock that serializes the claims of all processes, so that limits are exact. Any constant works. */
const CLAIM_LOCK = 5_140_223;

export type ClaimLimits = {
  /** Maximum number of runs to claim. */
  limit: number;
  /** Maximum number of running runs per user, over all processes. */
  perUser: number;
  /** User of the last claimed run. Among users with equally few running runs, those after it come first. */
  after?: string | undefined;
};

export type ClaimedRun = Awaited<ReturnType<typeof claim>>[number];

/**
 * Claims due runs of enabled triggers. Users with the fewest running runs come first (round robin among equals), and within a
 * user the triggers with the fewest. The limits of triggers and users are exact. Resolves to the runs in this order.
 */
export async function claim(db: Database, { limit, perUser, after = '' }: ClaimLimits) {
  // One index probe per trigger with queued runs, then a bounded number of rows per trigger: the cost does not depend on
  // the length of the queue.
  const chosen = sql`(
    with recursive waiting as (
      (select user_id, trigger_id from ${runs} where status = 'queued' order by user_id, trigger_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select r.user_id, r.trigger_id from ${runs} r
        where r.status = 'queued' and (r.user_id, r.trigger_id) > (w.user_id, w.trigger_id)
        order by r.user_id, r.trigger_id limit 1
      ) next
    ),
    busy as (
      select user_id, trigger_id, count(*)::int as runs from ${runs} where status = 'running'
      group by user_id, trigger_id
    ),
    busy_users as (select user_id, sum(runs)::int as runs from busy group by user_id),
    -- trigger_rank and user_rank: how many runs of the trigger and of the user would be running with this one.
    by_trigger as (
      select w.user_id, w.trigger_id, due.*, coalesce(u.runs, 0) as user_running,
        coalesce(b.runs, 0) + row_number() over (partition by w.trigger_id order by due.due_at, due.id) as trigger_rank
      from waiting w
      join ${triggers} t on t.id = w.trigger_id and t.enabled and coalesce(t.held_until <= now(), true)
      left join busy b on b.trigger_id = w.trigger_id
      left join busy_users u on u.user_id = w.user_id
      cross join lateral (
        select r.id, r.due_at, r.revision from (
          select * from ${runs}
          where status = 'queued' and user_id = w.user_id and trigger_id = w.trigger_id and due_at <= now()
          order by due_at limit ${Math.max(limit, MAX_EXAMINED)}
        ) r
        where r.concurrency_key is null or not exists (
          select from ${runs} before
          where before.trigger_id = r.trigger_id and before.concurrency_key = r.concurrency_key
            and (before.status = 'running'
              or before.status = 'queued' and (before.created_at, before.id) < (r.created_at, r.id))
        )
        order by r.due_at
        limit greatest(least(
          t.max_concurrent_runs - coalesce(b.runs, 0), ${perUser} - coalesce(u.runs, 0), ${limit},
          t.throttle_per_minute - (
            select count(*) from ${runs} started
            where t.throttle_per_minute is not null and started.trigger_id = w.trigger_id
              and started.started_at > clock_timestamp() - interval '60 s'
          )
        ), 0)
      ) due
    ),
    by_user as (
      select c.id, c.user_id, c.trigger_id, c.revision,
        c.user_running + row_number() over (partition by c.user_id order by c.trigger_rank, c.due_at, c.id) as user_rank
      from by_trigger c
    )
    select *, row_number() over (order by user_rank, user_id::text <= ${after}, user_id) as position
    from by_user where user_rank <= ${perUser}
    order by position limit ${limit}
  ) chosen`;
  const claimed = await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`);
    // Must be a statement after the lock, so that it sees the commit of the previous claim.
    return (
      tx
        .update(runs)
        .set({
          status: 'running',
          claim: sql`${runs.claim} + 1`,
          revision: sql`coalesce(${runs.revision}, ${triggers.revision})`,
          leaseUntil: sql`clock_timestamp() + make_interval(secs => ${LEASE_SEC})`,
          startedAt: sql`coalesce(${runs.startedAt}, clock_timestamp())`,
        })
        .from(chosen)
        .innerJoin(triggers, sql`${triggers.id} = chosen.trigger_id`)
        .leftJoin(
          revisions,
          sql`${revisions.triggerId} = chosen.trigger_id and ${revisions.number} = chosen.revision`,
        )
        // Again, because a newer event may have replaced the run meanwhile.
        .where(sql`${runs.id} = chosen.id and ${runs.status} = 'queued'`)
        .returning({
          id: runs.id,
          triggerId: runs.triggerId,
          userId: runs.userId,
          input: runs.input,
          claim: runs.claim,
          attempt: runs.attempt,
          idempotencyKey: runs.idempotencyKey,
          revision: runs.revision,
          actionCode: ofRevision(revisions.actionCode, triggers.actionCode),
          actionCid: ofRevision(revisions.actionCid, triggers.actionCid),
          defaultParams: ofRevision(revisions.defaultParams, triggers.defaultParams),
          usageApiKey: ofRevision(revisions.usageApiKey, triggers.usageApiKey),
          /** True when the relayer may have executed the run and no longer knows its outcome. */
          isForgotten: sql<boolean>`coalesce(${runs.askedAt} < now() - make_interval(hours => ${KNOWN_OUTCOME_HOURS}), false)`,
          /** True when the run no longer waits for credit or for a valid usage key. */
          isOld: sql<boolean>`${runs.createdAt} < now() - make_interval(days => ${MAX_WAIT_DAYS})`,
          /** Seconds since the run was due. */
          lagSec: sql`extract(epoch from clock_timestamp() - ${runs.dueAt})`.mapWith(Number),
          position: sql`chosen.position`.mapWith(Number),
        })
    );
  });
  return claimed.sort((a, b) => a.position - b.position);
}

/** Returns the column of the run's revision, which is the trigger's current one unless an earlier one is stored. */
const ofRevision = <Column extends PgColumn>(earlier: PgColumn, current: Column) =>
  sql<GetColumnData<Column>>`case when ${revisions.number} is null then ${current} else ${earlier} end`;

type Held = Pick<ClaimedRun, 'id' | 'claim'>;

/** Renews the leases of runs of this process. Resolves to the ids of those it still holds. */
export async function renew(db: Database, work: readonly Held[]): Promise<Set<string>> {
  if (work.length === 0) return new Set();
  const claims = sql.join(
    work.map(({ id, claim }) => sql`(${id}::uuid, ${claim}::int)`),
    sql`, `,
  );
  const kept = await db
    .update(runs)
    .set({ leaseUntil: sql`clock_timestamp() + make_interval(secs => ${LEASE_SEC})` })
    .where(and(sql`(${runs.id}, ${runs.claim}) in (${claims})`, eq(runs.status, 'running')))
    .returning({ id: runs.id });
  return new Set(kept.map(({ id }) => id));
}

/** One request to the relayer that counts. */
export type Attempt = { startedAt: Date; httpStatus: number; message: string };

/** The code that ran, if it is known. */
type Ran = { cid?: string | null; durationMs?: number | null };

export type Outcome =
  | ({ status: 'success'; response: unknown; logs: string; costMicros: number } & Ran)
  | ({
      status: 'failed';
      error: { name: string; message: string; stack?: string };
      logs: string;
      /** Null when the cost is unknown. */
      costMicros: number | null;
    } & Ran)
  /** Requested again after the delay. `mayHaveRun`: the relayer may have executed the run. */
  | { status: 'queued'; delayMs: number; mayHaveRun: boolean };

/** Stores the outcome of a claimed run. Resolves to false, and changes nothing, when this process no longer holds the claim. */
export function finish(
  db: Database,
  run: Held & Pick<ClaimedRun, 'attempt' | 'triggerId'>,
  outcome: Outcome,
  made?: Attempt,
): Promise<boolean> {
  if (outcome.status === 'queued') return store(db, run, outcome, made);
  return db.transaction(async (tx) => {
    const trigger = await lockForEnd(tx, run.triggerId, outcome);
    const isHeld = await store(tx, run, outcome, made);
    if (isHeld && trigger) await countEnd(tx, trigger, run.id, outcome);
    return isHeld;
  });
}

async function store(
  db: Database,
  run: Held & Pick<ClaimedRun, 'attempt'>,
  outcome: Outcome,
  made?: Attempt,
): Promise<boolean> {
  const attempt = run.attempt + (made ? 1 : 0);
  const next =
    outcome.status === 'queued' ? waiting(outcome) : { ...outcome, finishedAt: sql`clock_timestamp()` };
  const ended = db
    .update(runs)
    .set({ ...next, attempt, leaseUntil: null })
    .where(and(eq(runs.id, run.id), eq(runs.claim, run.claim), eq(runs.status, 'running')))
    .returning({ id: runs.id });
  if (!made) return (await ended).length > 0;
  const { startedAt, httpStatus, message } = made;
  const { rows } = (await db.execute(sql`
    with ended as ${ended}
    insert into ${attempts} (run_id, number, started_at, finished_at, http_status, message)
    select id, ${attempt}::int, ${sql.param(startedAt, attempts.startedAt)}::timestamptz, clock_timestamp(),
      ${httpStatus}::int, ${sql.param(message, attempts.message)}::text
    from ended
    returning run_id`)) as unknown as { rows: unknown[] };
  return rows.length > 0;
}

/**
 * A run that was certainly not executed has no revision: its next request uses the trigger as it is then. The end of
 * the lease stands for the time of the request, which is earlier by at most the length of the longest run.
 */
const waiting = ({ delayMs, mayHaveRun }: Outcome & { status: 'queued' }) => ({
  status: 'queued' as const,
  dueAt: sql`clock_timestamp() + make_interval(secs => ${delayMs / 1_000}::double precision)`,
  ...(mayHaveRun
    ? { askedAt: sql`coalesce(${runs.askedAt}, ${runs.leaseUntil})` }
    : { revision: sql`case when ${runs.askedAt} is null then null else ${runs.revision} end` }),
});

/** Keeps the runs of a trigger waiting for `ms`. Queues an alert when no run was executed since the last one. */
export async function holdTrigger(db: Database, triggerId: string, ms: number): Promise<void> {
  await db.transaction(async (tx) => {
    const { userId, name, heldUntil } = triggers;
    const isThis = eq(triggers.id, triggerId);
    const [trigger] = await tx
      .select({ userId, name, heldUntil })
      .from(triggers)
      .where(isThis)
      .for('no key update');
    if (!trigger) return;
    await tx
      .update(triggers)
      .set({ heldUntil: sql`clock_timestamp() + make_interval(secs => ${ms / 1_000}::double precision)` })
      .where(isThis);
    if (trigger.heldUntil !== null) return;
    const data = { trigger_id: triggerId, name: trigger.name, reason: 'payment_required' };
    await queueAlert(tx, trigger.userId, 'trigger.held', data);
  });
}

/** Disables a trigger until its owner enables it, unless it was changed since `revision`. */
export async function pauseTrigger(
  db: Database,
  { id, revision, reason }: { id: string; revision: number; reason: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const [paused] = await tx
      .update(triggers)
      .set({ enabled: false, pausedReason: reason, updatedAt: laterVersion })
      .where(and(eq(triggers.id, id), eq(triggers.revision, revision), eq(triggers.enabled, true)))
      .returning({ userId: triggers.userId, name: triggers.name });
    if (paused)
      await queueAlert(tx, paused.userId, 'trigger.paused', { trigger_id: id, name: paused.name, reason });
  });
}

/** Requeues runs whose lease has expired: the relayer may have executed them. Resolves to their number. */
export async function requeueLost(db: Database): Promise<number> {
  const lost = await db
    .update(runs)
    .set({ status: 'queued', leaseUntil: null, askedAt: sql`coalesce(${runs.askedAt}, ${runs.leaseUntil})` })
    .where(and(eq(runs.status, 'running'), lt(runs.leaseUntil, sql`clock_timestamp()`)))
    .returning({ id: runs.id });
  return lost.length;
}
