/** The inputs of the runs of an account that have not ended are bounded. */
import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addTrigger, addUser, clear } from '../../test/fixtures.ts';
import { runs, type triggers, waitingInputs } from '../db/schema.ts';
import { acceptRun, createAcceptor, QueueFullError, replayRuns } from './accept.ts';
import { startWaitingInputs, sumChanges } from './waiting-inputs.ts';

const MAX_BYTES = 100_000;
const log = createLogger({ name: 'test', level: 'silent' });
const worker = { wake: () => {} };
let trigger: typeof triggers.$inferSelect;
const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(async () => {
  await clear(db);
  trigger = await addTrigger(db, await addUser(db));
});

const input = { event_raw: 'é'.repeat(20_000) };
const accept = (dedupeKey?: string, to = trigger) =>
  acceptRun({ db, worker }, to, { input, ...(dedupeKey !== undefined && { dedupeKey }) });
const sum = () => sumChanges(db, MAX_BYTES, 1_000);
/** Resolves to the summed size of the inputs of the account, and to the size that its runs have. */
async function sizes(): Promise<[number | undefined, number]> {
  while ((await sum()) > 0);
  const [summed] = await db.select().from(waitingInputs).where(eq(waitingInputs.userId, trigger.userId));
  const [found] = await db
    .select({ bytes: sql<number>`coalesce(sum(octet_length(input::text)), 0)::integer` })
    .from(runs)
    .where(sql`${runs.userId} = ${trigger.userId} and status in ('queued', 'running')`);
  return [summed?.bytes, found?.bytes ?? 0];
}

test('the sum is that of the runs that have not ended, whatever becomes of them', async () => {
  for (let i = 0; i < 4; i++) await accept();
  const [queued, expected] = await sizes();
  expect([queued, expected]).toEqual([expected, 4 * Buffer.byteLength(JSON.stringify(input))]);
  const isOne = sql`id = (select id from triggers.runs where status = 'queued' limit 1)`;
  for (const status of ['running', 'success', 'failed', 'skipped'] as const) {
    await db.update(runs).set({ status }).where(isOne);
    const [left, right] = await sizes();
    expect(left, status).toBe(right);
  }
  await db.delete(runs).where(eq(runs.status, 'success'));
  await clear(db);
  expect(await sizes()).toEqual([0, 0]);
});

test('a full account gets no more runs by any way, and others do, until runs have ended', async () => {
  await using inputs = startWaitingInputs({ db, log, maxBytes: MAX_BYTES });
  const deliver = createAcceptor({ db, worker, inputs });
  const first = await deliver(trigger, { input, dedupeKey: 'first' });
  const [ended] = [await accept('second'), await accept('third')];
  await until('the account is full', async () => inputs.isFull(trigger.userId));
  await expect(deliver(trigger, { input, dedupeKey: 'more' })).rejects.toThrow(QueueFullError);
  await expect(deliver(trigger, { input: {} })).rejects.toThrow('stop some, or delete a trigger');
  await expect(accept('more')).rejects.toThrow(QueueFullError);
  // A repeated delivery still gets its first run.
  for (const again of [deliver(trigger, { input, dedupeKey: 'first' }), accept('first')])
    expect(await again).toEqual({ id: first.id, isNew: false });
  const others = await addTrigger(db, await addUser(db));
  expect(await deliver(others, { input })).toMatchObject({ isNew: true });
  expect(await accept('first', others)).toMatchObject({ isNew: true });
  await expect(replayRuns({ db, worker }, trigger, { statuses: ['queued'] })).rejects.toThrow(QueueFullError);
  await db.update(runs).set({ status: 'failed' }).where(eq(runs.id, ended.id));
  await until('the account has room', async () => !inputs.isFull(trigger.userId));
  expect(await deliver(trigger, { input, dedupeKey: 'more' })).toMatchObject({ isNew: true });
});
