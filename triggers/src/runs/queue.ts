/**
 * The queue of runs: their rows are the queue. A claim gives a run to one process for the length of a lease; every later write
 * names the claim, so that a process that lost its lease changes nothing. Times are the database's.
 */
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { attempts, runs, triggers } from '../db/schema.ts';

export const LEASE_SEC = 30;
/** Any fixed number: claims of all processes are made one after another, so that limits are exact. */
const CLAIM_LOCK = 5_140_223;

export type ClaimLimits = {
  /** Free places of this process. */
  places: number;
  /** Runs of one user under way in all processes. */
  perUser: number;
  /** The user whose turn was last: those with as few runs under way get theirs before. */
  after?: string | undefined;
};

export type ClaimedRun = Awaited<ReturnType<typeof claim>>[number];

/**
 * Takes due runs of enabled triggers, the users with the fewest under way first, in turn, and of each user the triggers with the
 * fewest. The limits of triggers and users hold exactly. In the order of their turns.
 */
export async function claim(db: Database, { places, perUser, after = '' }: ClaimLimits) {
  // One index probe for each trigger with queued runs, and one row for each place: what else is queued is not looked at.
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
    -- "turn" and "place": how many of the trigger and of the user are under way with this one.
    by_trigger as (
      select w.user_id, w.trigger_id, due.*, coalesce(u.runs, 0) as of_user,
        coalesce(b.runs, 0) + row_number() over (partition by w.trigger_id order by due.due_at, due.id) as turn
      from waiting w
      join ${triggers} t on t.id = w.trigger_id and t.enabled
      left join busy b on b.trigger_id = w.trigger_id
      left join busy_users u on u.user_id = w.user_id
      cross join lateral (
        select r.id, r.due_at from ${runs} r
        where r.status = 'queued' and r.user_id = w.user_id and r.trigger_id = w.trigger_id and r.due_at <= now()
        order by r.due_at
        limit greatest(least(t.max_concurrent_runs - coalesce(b.runs, 0), ${perUser} - coalesce(u.runs, 0), ${places}), 0)
      ) due
    ),
    by_user as (
      select c.id, c.user_id, c.trigger_id,
        c.of_user + row_number() over (partition by c.user_id order by c.turn, c.due_at, c.id) as place
      from by_trigger c
    )
    select *, row_number() over (order by place, user_id::text <= ${after}, user_id) as position
    from by_user where place <= ${perUser}
    order by position limit ${places}
  ) chosen`;
  const claimed = await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`);
    // A statement of its own: it has to see what the claim before it committed.
    return tx
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
      .where(sql`${runs.id} = chosen.id`)
      .returning({
        id: runs.id,
        triggerId: runs.triggerId,
        userId: runs.userId,
        input: runs.input,
        claim: runs.claim,
        attempt: runs.attempt,
        idempotencyKey: runs.idempotencyKey,
        actionCode: triggers.actionCode,
        actionCid: triggers.actionCid,
        defaultParams: triggers.defaultParams,
        usageApiKey: triggers.usageApiKey,
        /** The trigger is not what it was when the core service was asked first. */
        isChanged: sql<boolean>`${runs.revision} <> ${triggers.revision}`,
        position: sql`chosen.position`.mapWith(Number),
      });
  });
  return claimed.sort((a, b) => a.position - b.position);
}

type Held = Pick<ClaimedRun, 'id' | 'claim'>;

/** Prolongs the leases of runs that this process works on; resolves to those that it still has. */
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

/** One request to the core service, as the run's page shows it. */
export type Attempt = { startedAt: Date; httpStatus: number; message: string };

export type Outcome =
  | { status: 'success'; response: unknown; logs: string; costMicros: number }
  | {
      status: 'failed';
      error: { name: string; message: string; stack?: string };
      logs: string;
      /** Null when the core service did not say. */
      costMicros: number | null;
    }
  /** To be tried again. */
  | { status: 'queued'; delayMs: number };

/** Writes down what became of a claimed run; false when the claim is not this process' any more, and nothing changed. */
export async function finish(
  db: Database,
  run: Held & Pick<ClaimedRun, 'attempt'>,
  outcome: Outcome,
  made?: Attempt,
): Promise<boolean> {
  const attempt = run.attempt + (made ? 1 : 0);
  const next =
    outcome.status === 'queued'
      ? {
          status: outcome.status,
          dueAt: sql`clock_timestamp() + make_interval(secs => ${outcome.delayMs / 1_000}::double precision)`,
        }
      : { ...outcome, finishedAt: sql`clock_timestamp()` };
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

/** Puts runs back whose process is lost; resolves to how many there were. */
export async function takeBackLost(db: Database): Promise<number> {
  const lost = await db
    .update(runs)
    .set({ status: 'queued', leaseUntil: null })
    .where(and(eq(runs.status, 'running'), lt(runs.leaseUntil, sql`clock_timestamp()`)))
    .returning({ id: runs.id });
  return lost.length;
}
