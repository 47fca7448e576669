/** Looks every second for slots that are due, and stores their runs. Any number of processes may do so on one database. */
import { setTimeout as delay } from 'node:timers/promises';
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { triggers } from '../db/schema.ts';
import { acceptRun, QueueFullError } from '../runs/accept.ts';
import { dueSlots, nextSlot, scheduleOf } from './schedule.ts';
import type { Trigger } from './source.ts';

/** Triggers of one transaction. */
const BATCH = 50;
const SCAN_MS = 1_000;
/** After the second began, so that a slot is not missed by the clocks' last milliseconds. */
const AFTER_SECOND_MS = 20;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** What firing takes of a trigger: without the code, which may be large. */
const columns = { id: triggers.id, config: triggers.config, nextSlotAt: triggers.nextSlotAt };
type Due = Pick<Trigger, 'id' | 'config' | 'nextSlotAt'>;

type SchedulerContext = Pick<Context, 'db' | 'log'> & { worker: Pick<Context['worker'], 'wake'> };

/** The slots of a trigger that fire now, and the one that it waits for then. */
function plan({ config, nextSlotAt }: Due, now: Date) {
  const { cron, timezone, missed } = scheduleOf(config);
  const { slots, isCut } = dueSlots({ cron, timezone }, nextSlotAt ?? now, now, missed);
  return { cron, slots, isCut, next: nextSlot({ cron, timezone }, now) };
}

/**
 * Fires what is due at `now` in one pass over the triggers; those that another process has in hand are left to it. A run and the
 * step to the next slot are one transaction, and a slot is the dedupe key of its run, so that it fires once.
 */
export async function fireDueSlots(context: SchedulerContext, now: Date): Promise<void> {
  const { db, worker } = context;
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
      for (const trigger of batch) await fire({ ...context, db: tx }, trigger, now);
      return batch;
    });
    if (due.length > 0) worker.wake();
    after = due[BATCH - 1]?.id;
  }
}

async function fire(context: SchedulerContext, trigger: Due, now: Date): Promise<void> {
  const { db, log } = context;
  let planned: ReturnType<typeof plan>;
  try {
    planned = plan(trigger, now);
  } catch (err) {
    log.error({ err, trigger_id: trigger.id }, 'a schedule makes no sense here');
    return;
  }
  const { cron, slots, isCut } = planned;
  let { next } = planned;
  if (isCut)
    log.warn(
      { trigger_id: trigger.id, made_up: slots.length },
      'more slots were missed than are made up for',
    );
  for (const slot of slots) {
    const scheduledAt = slot.toISOString();
    try {
      await acceptRun(context, trigger, {
        input: { source: 'schedule', scheduled_at: scheduledAt, cron },
        dedupeKey: scheduledAt,
        scheduledFor: slot,
      });
    } catch (error) {
      // The trigger has as many runs as it may: the slot is tried again, until it counts as missed.
      if (!(error instanceof QueueFullError)) throw error;
      next = slot;
      break;
    }
  }
  await db.update(triggers).set({ nextSlotAt: next }).where(eq(triggers.id, trigger.id));
}

/** The database's clock: the same for all processes. */
async function databaseTime(db: Database): Promise<Date> {
  const { rows } = (await db.execute(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`,
  )) as unknown as { rows: [{ ms: number }] };
  return new Date(rows[0].ms);
}

/** Runs until it is closed; then nothing of it is under way. */
export function startScheduler(context: SchedulerContext): { close: () => Promise<void> } {
  const closing = new AbortController();
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await fireDueSlots(context, await databaseTime(context.db));
      } catch (err) {
        context.log.error({ err }, 'schedules not looked at');
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
