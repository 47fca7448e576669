/** Stores the runs of due slots when they are due. Any number of processes can work on one database. */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { and, asc, eq, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { triggers } from '../db/schema.ts';
import type { AcceptOptions, ReadTrigger } from '../runs/accept.ts';
import { toConcurrencyKey } from '../runs/concurrency-key.ts';
import { dueSlots, nextSlot, toScheduleConfig } from './schedule.ts';
import type { Trigger } from './source.ts';

/** Schedules per statement that stores runs. */
const BATCH = 200;
/** Schedules per statement that reads: it can visit all due schedules. */
const PAGE = 10 * BATCH;
const LONGEST_SLEEP_MS = 1_000;
/** A slot that a limit refuses is retried after a tenth of the time for which it is due: many that wait for long cost little. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [1_000, 60_000];

/** Columns that firing reads. The action code is left out because it can be large. */
const columns = {
  id: triggers.id,
  config: triggers.config,
  nextSlotAt: triggers.nextSlotAt,
  updatedAt: triggers.updatedAt,
  concurrencyKey: triggers.concurrencyKey,
};
type Due = ReadTrigger & Pick<Trigger, 'config' | 'nextSlotAt'>;
type Plan = { trigger: Due; cron: string; slots: Date[]; isTruncated: boolean; next: Date | null };

export type SchedulerOptions = AcceptOptions & {
  log: Logger;
  /** Longest time until a new or changed schedule is noticed. Default: one second. */
  longestSleepMs?: number;
};

/**
 * Computes the slots of each schedule that fire at `now`, and its next slot. Leaves out invalid schedules. Schedules of one second mostly have few
 * expressions, and each takes half a millisecond.
 */
function planAll(batch: readonly Due[], now: Date, log: Logger): Plan[] {
  const known = new Map<string, Omit<Plan, 'trigger'>>();
  const planOf = ({ config, nextSlotAt }: Due): Omit<Plan, 'trigger'> => {
    const { cron, timezone, missed } = toScheduleConfig(config);
    const fired = dueSlots({ cron, timezone }, nextSlotAt ?? now, now, missed);
    return { cron, ...fired, next: nextSlot({ cron, timezone }, now) };
  };
  return batch.flatMap((trigger) => {
    try {
      const key = JSON.stringify([trigger.config, trigger.nextSlotAt]);
      const plan = known.get(key) ?? planOf(trigger);
      known.set(key, plan);
      return [{ trigger, ...plan }];
    } catch (err) {
      log.error({ err, trigger_id: trigger.id }, 'invalid schedule');
      return [];
    }
  });
}

/** A row that the function `fire_slots` returns. */
type Row = { schedule: string; outcome: 'new' | 'known' | 'queued' | 'recent'; owner: string };

/**
 * Stores the runs of the slots and advances the schedules, in one statement, and wakes the worker. Skips schedules that another
 * process has locked, or that were changed or fired since they were read. A slot that a limit of the trigger refuses is
 * retried until it counts as missed.
 */
async function fire({ db, worker, log }: SchedulerOptions, plans: readonly Plan[], now: Date): Promise<void> {
  if (plans.length === 0) return;
  const runs = plans.flatMap(({ trigger, cron, slots }) =>
    slots.map((slot) => {
      const scheduledAt = slot.toISOString();
      return { trigger, scheduledAt, input: { source: 'schedule', scheduled_at: scheduledAt, cron } };
    }),
  );
  const schedules = <T>(read: (plan: Plan) => T) => sql.param(plans.map(read));
  const ofRuns = <T>(read: (run: (typeof runs)[number]) => T) => sql.param(runs.map(read));
  const { rows } = (await db.execute(sql`
    select * from triggers.fire_slots(
      ${schedules(({ trigger }) => trigger.id)}::uuid[],
      ${schedules(({ trigger }) => trigger.updatedAt.toISOString())}::timestamptz[],
      ${schedules(({ trigger }) => trigger.nextSlotAt?.toISOString() ?? null)}::timestamptz[],
      ${schedules(({ next }) => next?.toISOString() ?? null)}::timestamptz[],
      ${ofRuns(({ trigger }) => trigger.id)}::uuid[],
      ${ofRuns(({ scheduledAt }) => scheduledAt)}::timestamptz[],
      ${ofRuns(({ input }) => JSON.stringify(input))}::text[],
      ${ofRuns(({ scheduledAt }) => scheduledAt)}::text[],
      ${ofRuns(({ trigger, input }) => toConcurrencyKey(trigger.concurrencyKey, input))}::text[]
    )`)) as unknown as { rows: Row[] };
  const stored = rows.filter(({ outcome }) => outcome === 'new');
  if (stored.length > 0) worker.counters?.accepted('schedule', stored.length);
  for (const owner of new Set(stored.map((row) => row.owner))) worker.wake(owner);
  for (const { trigger, slots, isTruncated } of plans)
    if (isTruncated && rows.some(({ schedule }) => schedule === trigger.id))
      log.warn(
        { trigger_id: trigger.id, fired: slots.length },
        'dropped the oldest missed slots of a schedule',
      );
  await postpone(db, plans, rows, now);
}

/** Leaves the schedules with a refused slot alone for a while. One that stored runs of other slots has room again soon. */
async function postpone(
  db: Database,
  plans: readonly Plan[],
  rows: readonly Row[],
  now: Date,
): Promise<void> {
  const namesOf = (...outcomes: Row['outcome'][]) =>
    new Set(rows.flatMap(({ schedule, outcome }) => (outcomes.includes(outcome) ? [schedule] : [])));
  const [refused, stored] = [namesOf('queued', 'recent'), namesOf('new')];
  const late = plans.filter(({ trigger }) => refused.has(trigger.id));
  if (late.length === 0) return;
  const retryAt = ({ trigger: { id, nextSlotAt } }: Plan): string => {
    const dueMs = stored.has(id) ? 0 : now.getTime() - (nextSlotAt ?? now).getTime();
    return new Date(now.getTime() + Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, dueMs / 10))).toISOString();
  };
  const column = (read: (plan: Plan) => string) => sql.param(late.map(read));
  await db.execute(sql`
    with found as (
      select t.id, late.retry_at from triggers.triggers t
      join unnest(
        ${column(({ trigger }) => trigger.id)}::uuid[],
        ${column(({ trigger }) => trigger.updatedAt.toISOString())}::timestamptz[],
        ${column(retryAt)}::timestamptz[]
      ) as late (id, version, retry_at) on late.id = t.id
      where date_trunc('milliseconds', t.updated_at) = late.version
      order by t.id for no key update of t skip locked
    )
    update triggers.triggers t set retry_at = found.retry_at from found where t.id = found.id`);
}

const isActive = and(eq(triggers.enabled, true), eq(triggers.kind, 'schedule'));
const isRetriedBy = (now: SQL) => sql`(${triggers.retryAt} is null or ${triggers.retryAt} <= ${now})`;

/**
 * Fires all slots due at `now`. Each slot fires once: the run and the update of `next_slot_at` are one statement, which does nothing
 * when another process has advanced the schedule, and the slot is the dedupe key of its run.
 */
export async function fireDueSlots(options: SchedulerOptions, now: Date): Promise<void> {
  // Random, so that concurrent processes share the schedules.
  const start = randomUUID();
  await fireRange(options, now, { after: start });
  await fireRange(options, now, { upTo: start });
}

/** Fires the due slots of the schedules with these ids. */
async function fireRange(
  options: SchedulerOptions,
  now: Date,
  { after, upTo }: { after?: string; upTo?: string },
): Promise<void> {
  const isRetried = isRetriedBy(sql`${now.toISOString()}::timestamptz`);
  for (let last = after; ; ) {
    const isInRange = and(
      last ? gt(triggers.id, last) : undefined,
      upTo ? lte(triggers.id, upTo) : undefined,
    );
    const page: Due[] = await options.db
      .select(columns)
      .from(triggers)
      .where(and(isActive, lte(triggers.nextSlotAt, now), isRetried, isInRange))
      .orderBy(asc(triggers.id))
      .limit(PAGE);
    for (let at = 0; at < page.length; at += BATCH)
      await fire(options, planAll(page.slice(at, at + BATCH), now, options.log), now);
    if (page.length < PAGE) return;
    last = page.at(-1)?.id;
  }
}

/**
 * Reads the first schedules that are due within `aheadMs`, by the clock of the database, which all processes share. `untilMs` of a
 * schedule is the time until its slot, 0 or less when it is due.
 */
async function readUpcoming(db: Database, aheadMs: number): Promise<(Due & { untilMs: number })[]> {
  return db
    .select({
      ...columns,
      untilMs: sql<number>`extract(epoch from ${triggers.nextSlotAt} - now()) * 1000`.mapWith(Number),
    })
    .from(triggers)
    .where(
      and(
        isActive,
        sql`${triggers.nextSlotAt} <= now() + make_interval(secs => ${aheadMs / 1_000})`,
        isRetriedBy(sql`now()`),
      ),
    )
    .orderBy(asc(triggers.nextSlotAt))
    .limit(BATCH);
}

/** Starts firing. `close` resolves when the slots that are being fired are stored. */
export function startScheduler(options: SchedulerOptions): { close: () => Promise<void> } {
  const { db, log, longestSleepMs = LONGEST_SLEEP_MS } = options;
  const closing = new AbortController();
  const sleep = async (untilMs: number): Promise<void> => {
    const ms = Math.max(Math.ceil(untilMs - performance.now()), 1);
    await delay(ms, undefined, { signal: closing.signal }).catch(() => {});
  };
  /** Fires what is due, and then the slots of the next instant as soon as they are due. */
  const fireNext = async (): Promise<void> => {
    const upcoming = await readUpcoming(db, longestSleepMs);
    const readAtMs = performance.now();
    const isOverdue = upcoming.some(({ untilMs }) => untilMs <= 0);
    if (isOverdue) await fireDueSlots(options, await databaseTime(db));
    const first = upcoming.find(({ untilMs }) => untilMs > 0);
    if (!first?.nextSlotAt) return sleep(readAtMs + longestSleepMs);
    const slot = first.nextSlotAt;
    const plans = planAll(
      upcoming.filter(({ nextSlotAt }) => nextSlotAt?.getTime() === slot.getTime()),
      slot,
      log,
    );
    await sleep(readAtMs + first.untilMs);
    if (closing.signal.aborted) return;
    await fire(options, plans, slot);
    // Further schedules can have the same slot.
    if (upcoming.length === BATCH) await fireDueSlots(options, slot);
  };
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await fireNext().catch((err: unknown) => {
        log.error({ err }, 'failed to fire schedules');
        return sleep(performance.now() + longestSleepMs);
      });
    }
  };
  const looping = loop();
  return {
    close: () => {
      closing.abort();
      return looping;
    },
  };
}

/** Reads the clock of the database. */
async function databaseTime(db: Database): Promise<Date> {
  const { rows } = (await db.execute(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`,
  )) as unknown as { rows: [{ ms: number }] };
  return new Date(rows[0].ms);
}
