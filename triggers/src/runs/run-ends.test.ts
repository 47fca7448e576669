import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser } from '../../test/fixtures.ts';
import { runs, triggers } from '../db/schema.ts';
import { createRunEnds, MAX_WAITING, MAX_WAITING_PER_USER, type RunEnds } from './run-ends.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const long = { timeoutMs: 60_000, signal: new AbortController().signal };
let ends: RunEnds;
const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(() => {
  ends = createRunEnds({ db, log });
});
afterEach(async () => {
  ends.stop();
  await ends[Symbol.asyncDispose]();
});

async function addRun(fields: Partial<typeof triggers.$inferInsert> = {}) {
  const { id: triggerId, userId } = await addTrigger(db, await addUser(db), fields);
  const [id = ''] = await addRuns(db, { id: triggerId, userId }, 1);
  return { triggerId, id, userId, isNew: true };
}
const end = (id: string, response: unknown) =>
  db.update(runs).set({ status: 'success', response }).where(eq(runs.id, id));

test('resolves to the end that this process or another one stores', async () => {
  const [told, stored, earlier] = [await addRun(), await addRun(), await addRun()];
  await end(earlier.id, 'before');
  const waits = [
    ends.wait(told, long),
    ends.wait(stored, long),
    ends.wait({ ...earlier, isNew: false }, long),
  ];
  ends.tell(told.id, { status: 'success', response: 'told' });
  await end(stored.id, { a: 1 });
  expect(await Promise.all(waits)).toEqual([
    { status: 'success', response: 'told' },
    { status: 'success', response: { a: 1 } },
    { status: 'success', response: 'before' },
  ]);
});

test('ends at the timeout, and when the client leaves', async () => {
  const run = await addRun();
  expect(await ends.wait(run, { ...long, timeoutMs: 1 })).toBeUndefined();
  const leaving = new AbortController();
  const left = ends.wait(run, { ...long, signal: leaving.signal });
  leaving.abort();
  expect(await left).toBeUndefined();
});

test('does not wait for the queued run of a paused, held or deleted trigger', async () => {
  const later = sql`clock_timestamp() + interval '30 s'` as never;
  const held = await addRun({ heldUntil: later, heldReason: 'payment_required' });
  const deleted = await addRun();
  const waits = [
    ends.wait(held, long),
    ends.wait(await addRun({ enabled: false }), long),
    ends.wait(deleted, long),
  ];
  await db.delete(triggers).where(eq(triggers.id, deleted.triggerId));
  expect(await Promise.all(waits)).toEqual([undefined, undefined, undefined]);
});

test('waits for the running run of a trigger that is paused meanwhile', async () => {
  const run = await addRun({ enabled: false });
  await db.update(runs).set({ status: 'running' }).where(eq(runs.id, run.id));
  const waiting = ends.wait({ ...run, isNew: false }, long);
  await end(run.id, 'done');
  expect(await waiting).toEqual({ status: 'success', response: 'done' });
});

test('one user leaves room for others, and all together have a limit', async () => {
  const run = await addRun();
  const waits: Promise<unknown>[] = [];
  const fill = (userId: string, count: number) => {
    for (let i = 0; i < count; i++) waits.push(ends.wait({ ...run, userId }, long));
  };
  fill('one', MAX_WAITING_PER_USER);
  expect(await ends.wait({ ...run, userId: 'one' }, long)).toBeUndefined();
  for (let user = 1; user < MAX_WAITING / MAX_WAITING_PER_USER; user++) fill(`${user}`, MAX_WAITING_PER_USER);
  expect(await ends.wait({ ...run, userId: 'last' }, long)).toBeUndefined();
  ends.tell(run.id, { status: 'failed' });
  expect(new Set(await Promise.all(waits))).toEqual(new Set([{ status: 'failed' }]));
  const again = ends.wait({ ...run, userId: 'last' }, long);
  ends.tell(run.id, { status: 'skipped' });
  expect(await again).toEqual({ status: 'skipped' });
});

test('a stop ends all waits, also later ones', async () => {
  const run = await addRun();
  const waiting = ends.wait(run, long);
  ends.stop();
  expect([await waiting, await ends.wait(run, long)]).toEqual([undefined, undefined]);
});

test('looks immediately for the end of an earlier run, and not for that of a new one', async () => {
  const run = await addRun();
  let looks = 0;
  const counting = new Proxy(db, {
    get(target, name, receiver) {
      if (name === 'select') looks++;
      return Reflect.get(target, name, receiver);
    },
  });
  const own = createRunEnds({ db: counting, log });
  void own.wait(run, long);
  expect(looks).toBe(0);
  void own.wait({ ...run, isNew: false }, long);
  expect(looks).toBe(1);
  own.stop();
  await own[Symbol.asyncDispose]();
});
