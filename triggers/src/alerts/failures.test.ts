import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun } from '../../test/fixtures.ts';
import { alertDeliveries, alertWebhooks, triggers } from '../db/schema.ts';
import { type ClaimedRun, claim } from '../runs/claim.ts';
import { finish, holdTrigger, type Outcome, pauseTrigger } from '../runs/queue.ts';

const error = { name: 'TypeError', message: 'no' };
const failed: Outcome = { status: 'failed', error, logs: '', costMicros: 10_000 };
const succeeded: Outcome = { status: 'success', response: null, logs: '', costMicros: 10_000 };
const waiting: Outcome = { status: 'queued', delayMs: 0, executed: 'not now' };

let userId: string;
const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(async () => {
  await clear(db);
  await db.delete(alertWebhooks);
  userId = await addUser(db);
});

type Fields = Partial<typeof triggers.$inferInsert>;
const setWebhook = (afterFailures: number, of = userId) =>
  db
    .insert(alertWebhooks)
    .values({ id: of, url: 'https://example.com', secret: '', afterFailures })
    .onConflictDoUpdate({ target: alertWebhooks.id, set: { afterFailures } });
const queued = async () =>
  (
    await db
      .select()
      .from(alertDeliveries)
      .where(eq(alertDeliveries.endpointId, userId))
      .orderBy(alertDeliveries.createdAt)
  ).map(({ message: { type, data } }) => ({ type, data }));
const readTrigger = async (id: string) => {
  const [trigger] = await db.select().from(triggers).where(eq(triggers.id, id));
  return trigger as typeof triggers.$inferSelect;
};
/** Adds a trigger with claimed runs. */
async function claimRuns(count: number, fields: Fields = {}) {
  const trigger = await addTrigger(db, userId, fields);
  await addRuns(db, trigger, count);
  const claimed = await claim(db, { limit: 1_000, perUser: 1_000 });
  expect(claimed).toHaveLength(count);
  return { id: trigger.id, claimed };
}
const end = async (claimed: ClaimedRun[], ...outcomes: Outcome[]) => {
  for (const outcome of outcomes) expect(await finish(db, claimed.shift() as ClaimedRun, outcome)).toBe(true);
};

describe('trigger.failing', () => {
  test('is queued once when a trigger has failed after_failures times in a row', async () => {
    await setWebhook(3);
    const { id, claimed } = await claimRuns(10);
    await end(claimed, failed, failed, succeeded, failed, failed, waiting);
    expect(await queued()).toEqual([]);
    const last = claimed[0]?.id;
    await end(claimed, failed);
    const data = { trigger_id: id, name: 'a trigger', failures: 3, run_id: last, error };
    expect(await queued()).toEqual([{ type: 'trigger.failing', data }]);
    await end(claimed, failed, failed);
    expect(await queued()).toHaveLength(1);
    expect((await readTrigger(id)).consecutiveFailures).toBe(5);
  });

  test('is queued again after a success', async () => {
    await setWebhook(1);
    const { claimed } = await claimRuns(4);
    await end(claimed, failed, failed, succeeded, failed);
    expect((await queued()).map(({ data }) => data.failures)).toEqual([1, 1]);
  });

  test('counts each failure once under concurrency, and only of runs that are still claimed', async () => {
    await setWebhook(20);
    const { id, claimed } = await claimRuns(40);
    const ended = await Promise.all([...claimed, ...claimed].map((run) => finish(db, run, failed)));
    expect(ended.filter(Boolean)).toHaveLength(40);
    expect((await readTrigger(id)).consecutiveFailures).toBe(40);
    expect((await queued()).map(({ data }) => data.failures)).toEqual([20]);
  });

  test('follows a webhook that was set or changed during the failures', async () => {
    const { claimed } = await claimRuns(6);
    await end(claimed, failed, failed);
    await setWebhook(5);
    await end(claimed, failed);
    await setWebhook(2);
    await end(claimed, failed);
    await setWebhook(5);
    await end(claimed, failed);
    expect((await queued()).map(({ data }) => data.failures)).toEqual([4]);
  });

  test('counts per trigger, and alerts only the owner', async () => {
    await setWebhook(2, await addUser(db));
    const [one, other] = [await claimRuns(1), await claimRuns(1)];
    await end(one.claimed, failed);
    await end(other.claimed, failed);
    for (const { id } of [one, other]) expect((await readTrigger(id)).consecutiveFailures).toBe(1);
    expect(await db.$count(alertDeliveries)).toBe(0);
  });

  test('shortens the error of the action', async () => {
    await setWebhook(1);
    const { claimed } = await claimRuns(1);
    const long = { name: 'n'.repeat(5_000), message: `\0${'\u{1f600}'.repeat(5_000)}`, stack: 'not sent' };
    await end(claimed, { ...failed, error: long });
    const [sent] = await queued();
    const message = `\0${'\u{1f600}'.repeat(499)}\ufffd`;
    expect(sent?.data.error).toEqual({ name: 'n'.repeat(100), message });
  });

  test('at most 100 alerts of an account wait', async () => {
    await setWebhook(1);
    await db.insert(alertDeliveries).values(
      Array.from({ length: 100 }, () => ({
        endpointId: userId,
        message: { type: '', timestamp: '', data: {} },
      })),
    );
    const { claimed, id } = await claimRuns(2);
    await end(claimed, failed);
    expect(await queued()).toHaveLength(100);
    expect((await readTrigger(id)).consecutiveFailures).toBe(1);
    await db.delete(alertDeliveries);
    await end(claimed, failed);
    expect(await queued()).toHaveLength(1);
  });
});

describe('pause_after_failures', () => {
  test('pauses the trigger with a reason, once', async () => {
    await setWebhook(1_000);
    const { id, claimed } = await claimRuns(5, { pauseAfterFailures: 2 });
    await end(claimed, failed, succeeded, failed);
    expect(await readTrigger(id)).toMatchObject({ enabled: true, pausedReason: null });
    const reason = `2 runs in a row failed. The last one is ${claimed[0]?.id}.`;
    await end(claimed, failed, failed);
    expect(await readTrigger(id)).toMatchObject({
      enabled: false,
      pausedReason: reason,
      consecutiveFailures: 3,
    });
    const data = { trigger_id: id, name: 'a trigger', reason };
    expect(await queued()).toEqual([{ type: 'trigger.paused', data }]);
  });

  test('leaves a trigger that its owner has paused', async () => {
    const { id, claimed } = await claimRuns(1, { pauseAfterFailures: 1 });
    await db.update(triggers).set({ enabled: false }).where(eq(triggers.id, id));
    await end(claimed, failed);
    expect((await readTrigger(id)).pausedReason).toBeNull();
  });

  test('null never pauses', async () => {
    const { id, claimed } = await claimRuns(20);
    await end(claimed, ...Array(20).fill(failed));
    expect((await readTrigger(id)).enabled).toBe(true);
  });
});

test('trigger.paused is queued when the service pauses a trigger, once', async () => {
  await setWebhook(3);
  const { id } = await addTrigger(db, userId);
  const pause = (revision: number) => pauseTrigger(db, { id, revision, reason: 'refused' });
  await pause(2);
  expect(await queued()).toEqual([]);
  await pause(1);
  await pause(1);
  const data = { trigger_id: id, name: 'a trigger', reason: 'refused' };
  expect(await queued()).toEqual([{ type: 'trigger.paused', data }]);
});

describe('trigger.held', () => {
  const endHold = (id: string) =>
    db
      .update(triggers)
      .set({ heldUntil: new Date(Date.now() - 1) })
      .where(eq(triggers.id, id));

  test('is queued once until an action was executed', async () => {
    await setWebhook(3);
    const { id, claimed } = await claimRuns(3);
    await holdTrigger(db, { id, revision: 1, ms: 30_000, reason: 'payment_required' });
    const data = { trigger_id: id, name: 'a trigger', reason: 'payment_required' };
    expect(await queued()).toEqual([{ type: 'trigger.held', data }]);
    await endHold(id);
    await holdTrigger(db, { id, revision: 1, ms: 30_000, reason: 'payment_required' });
    await endHold(id);
    // A failure without execution says nothing about credit.
    await end(claimed, { ...failed, costMicros: null });
    await holdTrigger(db, { id, revision: 1, ms: 30_000, reason: 'payment_required' });
    expect(await queued()).toHaveLength(1);
    // The run started before the hold.
    await end(claimed, succeeded);
    expect((await readTrigger(id)).heldUntil).not.toBeNull();
    await endHold(id);
    await end(claimed, failed);
    expect((await readTrigger(id)).heldUntil).toBeNull();
    await holdTrigger(db, { id, revision: 1, ms: 30_000, reason: 'payment_required' });
    expect(await queued()).toHaveLength(2);
  });
});

test('a deletion of the trigger or of the webhook waits for the end of a run, and fails neither', async () => {
  for (let round = 0; round < 20; round++) {
    await setWebhook(1);
    const { id, claimed } = await claimRuns(4);
    await Promise.all([
      ...claimed.map((run) =>
        finish(db, run, failed, { startedAt: new Date(), httpStatus: 200, message: '' }),
      ),
      db.delete(triggers).where(eq(triggers.id, id)),
      db.delete(alertWebhooks).where(eq(alertWebhooks.id, userId)),
    ]);
    expect(await queued()).toEqual([]);
  }
});

test('a run that is no longer claimed changes nothing', async () => {
  const { id, claimed } = await claimRuns(1, { pauseAfterFailures: 1 });
  const [run] = claimed as [ClaimedRun];
  expect(await finish(db, { ...run, claim: run.claim - 1 }, failed)).toBe(false);
  expect(await readTrigger(id)).toMatchObject({ consecutiveFailures: 0, enabled: true });
  expect((await readRun(db, run.id)).status).toBe('running');
});
