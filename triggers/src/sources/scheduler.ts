/** Stores the runs of due slots, once a second. Any number of processes can work on one database. */
import { setTimeout as delay } from 'node:timers/promises';
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { triggers } from '../db/schema.ts';
import { type AcceptOptions, acceptRun, QueueFullError } from '../runs/accept.ts';
import { dueSlots, nextSlot, toScheduleConfig } from './schedule.ts';
import type { Trigger } from './source.ts';

/** Triggers per transaction. */
const BATCH = 50;
const SCAN_MS = 1_000;
/** Offset of the scan after the full second, so that clock jitter does not delay a slot by a second. */
const AFTER_SECOND_MS = 20;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Columns that firing reads. The action code is left out because it can be large. */
const columns = { id: triggers.id, config: triggers.config, nextSlotAt: triggers.nextSlotAt };
type Due = Pick<Trigger, 'id' | 'config' | 'nextSlotAt'>;

export type SchedulerOptions = AcceptOptions & { log: Logger };

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
      for (const trigger of batch) await fire({ ...options, db: tx }, trigger, now);
      return batch;
    });
    if (due.length > 0) worker.wake();
    after = due[BATCH - 1]?.id;
  }
}

async function fire(options: SchedulerOptions, trigger: Due, now: Date): Promise<void> {
  const { db, log } = options;
  let planned: ReturnType<typeof plan>;
  try {
    planned = plan(trigger, now);
  } catch (err) {
    log.error({ err, trigger_id: trigger.id }, 'invalid schedule');
    return;
  }
  const { cron, slots, isTruncated } = planned;
  let { next } = planned;
  if (isTruncated)
    log.warn(
      { trigger_id: trigger.id, fired: slots.length },
      'dropped the oldest missed slots of a schedule',
    );
  for (const slot of slots) {
    const scheduledAt = slot.toISOString();
    try {
      await acceptRun(options, trigger, {
        input: { source: 'schedule', scheduled_at: scheduledAt, cron },
        dedupeKey: scheduledAt,
        scheduledFor: slot,
      });
    } catch (error) {
      // The limits of the trigger are reached. The slot is retried until it counts as missed.
      if (!(error instanceof QueueFullError)) throw error;
      next = slot;
      break;
    }
  }
  await db.update(triggers).set({ nextSlotAt: next }).where(eq(triggers.id, trigger.id));
}

/** Reads the clock of the database, which is the same for all processes. */
async function databaseTime(db: Database): Promise<Date> {
  const { rows } = (await db.execute(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`,
  )) as unknown as { rows: [{ ms: number }] };
  return new Date(rows[0].ms);
}

/** Starts the scan. `close` resolves when the current scan has ended. */
export function startScheduler(options: SchedulerOptions): { close: () => Promise<void> } {
  const closing = new AbortController();
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await fireDueSlots(options, await databaseTime(options.db));
      } catch (err) {
        options.log.error({ err }, 'failed to fire schedules');
      }
      const untilNextMs = SCAN_MS - (Date.now() % SCAN_MS) + AFTER_SECOND_MS;
      await delay(untilNextMs, undefined, { signal: closing.signal }).catch(() => {});
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
