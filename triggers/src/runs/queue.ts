/**
 * The queue of runs, stored in the table `runs`. A claim leases a run to one process. Every later write names the claim
 * (fencing), so that a process whose lease has expired changes nothing. All times are the database's.
 */
import { rowsOf } from '@latchkey/service/rows';
import { and, eq, gt, isNotNull, lt, ne, sql } from 'drizzle-orm';
import { queueAlert } from '../alerts/deliveries.ts';
import { countEnd, lockForEnd } from '../alerts/failures.ts';
import type { Database } from '../db/database.ts';
import { attempts, runs, triggers } from '../db/schema.ts';
import { laterVersion } from '../db/version.ts';
import { type ClaimedRun, LEASE_SEC } from './claim.ts';

type Held = Pick<ClaimedRun, 'id' | 'claim'>;

/** Renews the leases of runs of this process. Resolves to the ids of the runs that it still holds. */
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

/** A request to the relayer that counts. */
export type Attempt = { startedAt: Date; httpStatus: number; message: string };

/** The code that ran and the relayer's record of the run, if they are known. */
type Ran = { cid?: string | null; relayerRunId?: string | null; durationMs?: number | null };

export type Outcome =
  | ({ status: 'success'; response: unknown; logs: string; costMicros: number } & Ran)
  | ({
      status: 'failed';
      error: { name: string; message: string; stack?: string };
      logs: string;
      /** Null when the cost is unknown. */
      costMicros: number | null;
    } & Ran)
  /** Requested again after the delay. */
  | { status: 'queued'; delayMs: number; executed: Executed }
  | WaitingForApproval;
/** Whether the relayer executed the run: perhaps, not by this request, or not by an earlier request either. */
export type Executed = 'perhaps' | 'not now' | 'never';
/** Goes on, once it is approved. */
type WaitingForApproval = {
  status: 'queued';
  delayMs: number;
  approvalId: string;
  logs: string;
  costMicros: number;
};

/** Ends a queued run without another request. Changes nothing when the run was claimed since it was read. */
export async function stopQueued(
  db: Database,
  {
    id,
    claim,
    askedAt,
    approvalId,
  }: Pick<typeof runs.$inferSelect, 'id' | 'claim' | 'askedAt' | 'approvalId'>,
): Promise<void> {
  const waited =
    approvalId === null
      ? 'the run was stopped before it began'
      : 'the run was stopped while it waited for an approval';
  const message =
    askedAt === null
      ? waited
      : 'the run was stopped while its outcome was unknown: the relayer may have executed and charged it';
  await db
    .update(runs)
    .set({
      status: 'failed',
      error: { name: 'StoppedError', message },
      finishedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(runs.id, id), eq(runs.claim, claim), eq(runs.status, 'queued')));
}

/** A stop by the owner does not count as a failure of the trigger. */
const isStop = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && outcome.error.name === 'StoppedError';

/** Stores the outcome of a claimed run. Resolves to false, and changes nothing, when this process no longer holds the claim. */
export function finish(
  db: Database,
  run: Held & Pick<ClaimedRun, 'attempt' | 'triggerId'>,
  outcome: Outcome,
  made?: Attempt,
): Promise<boolean> {
  if (outcome.status === 'queued' || isStop(outcome)) return store(db, run, outcome, made);
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
    outcome.status === 'queued'
      ? waiting(outcome)
      : { ...outcome, costMicros: costWith(outcome.costMicros), finishedAt: sql`clock_timestamp()` };
  const ended = db
    .update(runs)
    .set({ ...next, attempt, leaseUntil: null })
    .where(and(eq(runs.id, run.id), eq(runs.claim, run.claim), eq(runs.status, 'running')))
    .returning({ id: runs.id });
  if (!made) return (await ended).length > 0;
  const { startedAt, httpStatus, message } = made;
  const insert = sql`
    with ended as ${ended}
    insert into ${attempts} (run_id, number, started_at, finished_at, http_status, message)
    select id, ${attempt}::int, ${sql.param(startedAt, attempts.startedAt)}::timestamptz, clock_timestamp(),
      ${httpStatus}::int, ${sql.param(message, attempts.message)}::text
    from ended
    returning run_id`;
  return (await rowsOf(db, insert)).length > 0;
}

/** Adds the cost to that of earlier executions, which ended because they needed an approval. An unknown cost adds nothing. */
const costWith = (costMicros: number | null) =>
  costMicros === null ? undefined : sql<number>`coalesce(${runs.costMicros}, 0) + ${costMicros}::bigint`;

const waiting = (outcome: Outcome & { status: 'queued' }) => ({
  status: 'queued' as const,
  dueAt: sql`clock_timestamp() + make_interval(secs => ${outcome.delayMs / 1_000}::double precision)`,
  ...('approvalId' in outcome ? waitingForApproval(outcome) : waitingForService[outcome.executed]),
});

/** The outcome of the request is known. The run keeps its revision: its usage key goes on. */
const waitingForApproval = ({ approvalId, logs, costMicros }: WaitingForApproval) => ({
  approvalId,
  logs,
  costMicros: costWith(costMicros),
  askedAt: null,
});

/**
 * A run that was certainly not executed has no revision: its next request uses the trigger as it is then. The end of
 * the lease stands for the time of the request, which is earlier by at most the length of the longest run.
 */
const waitingForService = {
  perhaps: { askedAt: sql`coalesce(${runs.askedAt}, ${runs.leaseUntil})` },
  'not now': {
    revision: sql`case when ${runs.askedAt} is null and ${runs.approvalId} is null then null else ${runs.revision} end`,
  },
  never: { askedAt: null },
} satisfies Record<Executed, object>;

/** Resolves to whether another run was executed since `since`, which is a time of this process. */
export async function haveOthersRun(db: Database, { id }: { id: string }, since: Date): Promise<boolean> {
  const isExecuted = and(
    gt(
      runs.finishedAt,
      sql`clock_timestamp() - make_interval(secs => ${(Date.now() - since.getTime()) / 1_000}::double precision)`,
    ),
    isNotNull(runs.durationMs),
    ne(runs.id, id),
  );
  return (await db.select({ id: runs.id }).from(runs).where(isExecuted).limit(1)).length > 0;
}

/** Why the runs of a trigger wait. */
export type HoldReason = 'payment_required' | 'service_unavailable';

/**
 * Keeps the runs of a trigger waiting for `ms`, unless it was changed since `revision`. Queues an alert when no run was executed
 * since the last one.
 */
export async function holdTrigger(
  db: Database,
  { id, revision, ms, reason }: { id: string; revision: number; ms: number; reason: HoldReason },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { userId, name, heldUntil } = triggers;
    const isThis = and(eq(triggers.id, id), eq(triggers.revision, revision));
    const [trigger] = await tx
      .select({ userId, name, heldUntil })
      .from(triggers)
      .where(isThis)
      .for('no key update');
    if (!trigger) return;
    await tx
      .update(triggers)
      .set({
        heldUntil: sql`clock_timestamp() + make_interval(secs => ${ms / 1_000}::double precision)`,
        heldReason: reason,
      })
      .where(isThis);
    if (trigger.heldUntil !== null) return;
    const data = { trigger_id: id, name: trigger.name, reason };
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
