/** Stores the runs of due slots when they are due. Any number of processes can work on one database. */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { triggers } from '../db/schema.ts';
import { type AcceptOptions, acceptAll, QueueFullError, type ReadTrigger } from '../runs/accept.ts';
import { dueSlots, nextSlot, toScheduleConfig } from './schedule.ts';
import type { Trigger } from './source.ts';

/** Triggers per transaction. */
const BATCH = 50;
const LONGEST_SLEEP_MS = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Columns that firing reads. The action code is left out because it can be large. */
const columns = {
  id: triggers.id,
  config: triggers.config,
  nextSlotAt: triggers.nextSlotAt,
  updatedAt: triggers.updatedAt,
  concurrencyKey: triggers.concurrencyKey,
};
type Due = ReadTrigger & Pick<Trigger, 'config' | 'nextSlotAt'>;

export type SchedulerOptions = AcceptOptions & {
  log: Logger;
  /** The longest time between two looks, at which new and changed schedules are seen. Default: one second. */
  longestSleepMs?: number;
};

/** Computes the slots of a trigger that fire now, and the next slot. */
function plan({ config, nextSlotAt }: Due, now: Date) {
  const { cron, timezone, missed } = toScheduleConfig(config);
  const { slots, isTruncated } = dueSlots({ cron, timezone }, nextSlotAt ?? now, now, missed);
  return { cron, slots, isTruncated, next: nextSlot({ cron, timezone }, now) };
}

/**
 * Fires all slots due at `now`. Skips triggers that another process has locked. Each slot fires once: the run and the update of
 * `next_slot_at` are one transaction, and the slot is the dedupe key of its run.
 */
export async function fireDueSlots(options: SchedulerOptions, now: Date): Promise<void> {
  const { db, worker } = options;
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const isAfter = gt(triggers.id, after);
    const due: Due[] = await db.transaction(async (tx) => {
      const batch = await tx
        .select(columns)
        .from(triggers)
        .where(
          and(
            eq(triggers.enabled, true),
            eq(triggers.kind, 'schedule'),
            lte(triggers.nextSlotAt, now),
            isAfter,
          ),
        )
        .orderBy(asc(triggers.id))
        .limit(BATCH)
        .for('update', { skipLocked: true });
      await fire({ ...options, db: tx }, batch, now);
      return batch;
    });
    if (due.length > 0) worker.wake();
    after = due[BATCH - 1]?.id;
  }
}

/** Stores the runs of the slots in one statement, and advances the triggers in another one. */
async function fire(options: SchedulerOptions, batch: readonly Due[], now: Date): Promise<void> {
  const { db, log } = options;
  const next = new Map<string, Date | null>();
  const fired = batch.flatMap((trigger) => {
    try {
      const { cron, slots, isTruncated, next: following } = plan(trigger, now);
      next.set(trigger.id, following);
      if (isTruncated)
        log.warn(
          { trigger_id: trigger.id, fired: slots.length },
          'dropped the oldest missed slots of a schedule',
        );
      return slots.map((slot) => ({ trigger, slot, cron }));
    } catch (err) {
      log.error({ err, trigger_id: trigger.id }, 'invalid schedule');
      return [];
    }
  });
  const runs = fired.map(({ trigger, slot, cron }) => {
    const scheduledAt = slot.toISOString();
    const input = { source: 'schedule', scheduled_at: scheduledAt, cron };
    return { trigger, run: { input, dedupeKey: scheduledAt, scheduledFor: slot } };
  });
  const results = await acceptAll(options, runs);
  // Newest first, so that the oldest refused slot of a trigger is left.
  for (const [index, { trigger, slot }] of [...fired.entries()].reverse()) {
    const result = results[index];
    if (!(result instanceof Error)) continue;
    // The limits of the trigger are reached. The slot is retried until it counts as missed.
    if (!(result instanceof QueueFullError)) throw result;
    next.set(trigger.id, slot);
  }
  if (next.size === 0) return;
  const slots = [...next.values()].map((slot) => slot?.toISOString() ?? null);
  await db.execute(sql`
    update ${triggers} set next_slot_at = advanced.slot
    from unnest(${sql.param([...next.keys()])}::uuid[], ${sql.param(slots)}::timestamptz[]) as advanced (id, slot)
    where ${triggers.id} = advanced.id`);
}

/** Reads the clock of the database, which is the same for all processes, and the time until the next slot. */
async function look(db: Database): Promise<{ now: Date; isDue: boolean; untilNextMs: number }> {
  const isActive = sql`${triggers.enabled} and ${triggers.kind} = 'schedule'`;
  const { rows } = (await db.execute(sql`
    select
      (extract(epoch from now()) * 1000)::double precision as now_ms,
      exists (select from ${triggers} where ${isActive} and ${triggers.nextSlotAt} <= now()) as is_due,
      (select extract(epoch from min(${triggers.nextSlotAt}) - now()) * 1000 from ${triggers}
        where ${isActive} and ${triggers.nextSlotAt} > now())::double precision as until_next_ms
  `)) as unknown as { rows: [{ now_ms: number; is_due: boolean; until_next_ms: number | null }] };
  const [{ now_ms, is_due, until_next_ms }] = rows;
  return { now: new Date(now_ms), isDue: is_due, untilNextMs: until_next_ms ?? Number.POSITIVE_INFINITY };
}

/** Starts firing. `close` resolves when the slots that are being fired are stored. */
export function startScheduler(options: SchedulerOptions): { close: () => Promise<void> } {
  const { longestSleepMs = LONGEST_SLEEP_MS } = options;
  const closing = new AbortController();
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      let wakesAtMs = performance.now() + longestSleepMs;
      try {
        const { now, isDue, untilNextMs } = await look(options.db);
        wakesAtMs = performance.now() + Math.min(untilNextMs, longestSleepMs);
        if (isDue) await fireDueSlots(options, now);
      } catch (err) {
        options.log.error({ err }, 'failed to fire schedules');
      }
      const sleepMs = Math.max(Math.ceil(wakesAtMs - performance.now()), 1);
      await delay(sleepMs, undefined, { signal: closing.signal }).catch(() => {});
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
