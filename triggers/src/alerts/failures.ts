/** Counts the failed runs of a trigger in a row: alerts its owner and pauses it. */
import { and, eq, gt, isNotNull, or, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { triggers } from '../db/schema.ts';
import { laterVersion } from '../db/version.ts';
import { queueAlert } from './deliveries.ts';

const MAX_NAME_CHARACTERS = 100;
const MAX_MESSAGE_CHARACTERS = 1_000;

/** The end of a run. `costMicros` is null when the action was not executed, or its cost is unknown. */
type End = { error?: { name: string; message: string }; costMicros: number | null };
type Locked = NonNullable<Awaited<ReturnType<typeof lockForEnd>>>;

/**
 * Locks the trigger if the end of a run changes it, so that each failure counts once. Call before the run is written: a deletion
 * locks in this order too.
 */
export async function lockForEnd(tx: Database, triggerId: string, { error }: End) {
  const { id, userId, name, enabled, consecutiveFailures, pauseAfterFailures, alertedAt } = triggers;
  const isChanged = or(gt(consecutiveFailures, 0), isNotNull(triggers.heldUntil));
  const [trigger] = await tx
    .select({ id, userId, name, enabled, consecutiveFailures, pauseAfterFailures, alertedAt })
    .from(triggers)
    .where(and(eq(id, triggerId), error ? undefined : isChanged))
    .for('no key update');
  return trigger;
}

/** Counts an ended run in the transaction that stores its end. */
export async function countEnd(
  tx: Database,
  trigger: Locked,
  runId: string,
  { error, costMicros }: End,
): Promise<void> {
  const change = error ? await fail(tx, trigger, runId, error) : { consecutiveFailures: 0, alertedAt: null };
  await tx
    .update(triggers)
    .set({
      ...change,
      // The action was executed, so there is credit again. A hold that has not ended may be newer than the run.
      ...(costMicros !== null && {
        heldUntil: sql`case when ${triggers.heldUntil} > now() then ${triggers.heldUntil} end`,
      }),
    })
    .where(eq(triggers.id, trigger.id));
}

async function fail(tx: Database, trigger: Locked, runId: string, error: { name: string; message: string }) {
  const { id, userId, name, enabled, pauseAfterFailures, alertedAt } = trigger;
  const failures = trigger.consecutiveFailures + 1;
  const about = { trigger_id: id, name };
  const data = { ...about, failures, run_id: runId, error: shorten(error) };
  const isAlerted = alertedAt === null && (await queueAlert(tx, userId, 'trigger.failing', data, failures));
  const isPaused = enabled && pauseAfterFailures !== null && failures >= pauseAfterFailures;
  const reason = `${failures} runs in a row failed. The last one is ${runId}.`;
  if (isPaused) await queueAlert(tx, userId, 'trigger.paused', { ...about, reason });
  return {
    consecutiveFailures: failures,
    ...(isAlerted && { alertedAt: sql`clock_timestamp()` }),
    ...(isPaused && { enabled: false, pausedReason: reason, updatedAt: laterVersion }),
  };
}

/** Actions choose the length of their errors. */
const shorten = ({ name, message }: { name: string; message: string }) => ({
  name: name.slice(0, MAX_NAME_CHARACTERS).toWellFormed(),
  message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
});
