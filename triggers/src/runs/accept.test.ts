import { randomUUID } from 'node:crypto';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { asc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun } from '../../test/fixtures.ts';
import { runs, triggers } from '../db/schema.ts';
import {
  acceptRun,
  createAcceptor,
  isAccepting,
  QueueFullError,
  replayRuns,
  TriggerDisabledError,
} from './accept.ts';
import { toConcurrencyKey } from './concurrency-key.ts';

let wakes = 0;
const acceptOptions = () => ({ db, worker: { wake: () => wakes++ } });
const { db } = disposeAfterAll(await openTestDatabase());
beforeEach(async () => {
  wakes = 0;
  await clear(db);
});

const newTrigger = async (fields: Partial<typeof triggers.$inferInsert> = {}) =>
  addTrigger(db, await addUser(db), fields);

test('stores the run unchanged and wakes the worker', async () => {
  const trigger = await newTrigger();
  const input = { event: { text: '\0 \ud800', __proto__: null, n: 1.5 } };
  const scheduledFor = new Date(5_000);
  const { id, isNew } = await acceptRun(acceptOptions(), trigger, { input, scheduledFor });
  expect(isNew).toBe(true);
  expect(wakes).toBe(1);
  const run = await readRun(db, id);
  expect(run).toMatchObject({ status: 'queued', userId: trigger.userId, attempt: 0, scheduledFor });
  expect(run.input).toEqual(input);
});

test('20 concurrent runs with one dedupe key store one run', async () => {
  const trigger = await newTrigger();
  const accepted = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      acceptRun(acceptOptions(), trigger, { input: { n }, dedupeKey: 'd' }),
    ),
  );
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(1);
  expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(await db.$count(runs)).toBe(1);
  expect(wakes).toBe(1);
  const other = await acceptRun(acceptOptions(), await newTrigger(), { input: {}, dedupeKey: 'd' });
  expect(other.isNew).toBe(true);
});

test('a known dedupe key returns its run when the queue is full and when the trigger is paused', async () => {
  const trigger = await newTrigger({ maxQueuedRuns: 1, maxRunsPerMinute: 1 });
  const { id } = await acceptRun(acceptOptions(), trigger, { input: {}, dedupeKey: 'd' });
  const again = () => acceptRun(acceptOptions(), trigger, { input: {}, dedupeKey: 'd' });
  await expect(acceptRun(acceptOptions(), trigger, { input: {} })).rejects.toThrow(QueueFullError);
  expect(await again()).toEqual({ id, isNew: false });
  await db.update(triggers).set({ enabled: false });
  expect(await again()).toEqual({ id, isNew: false });
});

test('of 20 concurrent runs, max_queued_runs are accepted', async () => {
  const trigger = await newTrigger({ maxQueuedRuns: 5 });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => acceptRun(acceptOptions(), trigger, { input: {} })),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(QueueFullError);
  expect(await db.$count(runs)).toBe(5);
  await db.update(runs).set({ status: 'running' }).where(sql`${runs.id} in (select id from ${runs} limit 2)`);
  await acceptRun(acceptOptions(), trigger, { input: {} });
  await acceptRun(acceptOptions(), trigger, { input: {} });
  await expect(acceptRun(acceptOptions(), trigger, { input: {} })).rejects.toThrow(QueueFullError);
});

test('accepts max_runs_per_minute runs in any 60 seconds, whatever their status', async () => {
  const trigger = await newTrigger({ maxRunsPerMinute: 3 });
  const accept = () => acceptRun(acceptOptions(), trigger, { input: {} });
  const results = await Promise.allSettled(Array.from({ length: 10 }, accept));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await db.update(runs).set({ status: 'success', createdAt: sql`clock_timestamp() - interval '50 s'` });
  const refusal = await accept().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(QueueFullError);
  const { retryAfterSec } = refusal as QueueFullError;
  expect(retryAfterSec).toBeGreaterThan(0);
  expect(retryAfterSec).toBeLessThanOrEqual(10);
  await db.update(runs).set({ createdAt: sql`clock_timestamp() - interval '60 s'` });
  expect((await accept()).isNew).toBe(true);
});

test('the limits hold while an old run waits, with finished runs deleted between it and the new ones', async () => {
  const trigger = await newTrigger({ maxQueuedRuns: 3, maxRunsPerMinute: 4 });
  const { id: waiting } = await acceptRun(acceptOptions(), trigger, { input: {} });
  const finished = (await addRuns(db, trigger, 40)).slice(10);
  const anHourAgo = sql`clock_timestamp() - interval '1 hour'`;
  await db.update(runs).set({ createdAt: anHourAgo, status: 'success' });
  await db.update(runs).set({ status: 'queued' }).where(eq(runs.id, waiting));
  await db.delete(runs).where(inArray(runs.id, finished.slice(0, 20)));
  const accept = () => acceptRun(acceptOptions(), trigger, { input: {} });
  await accept();
  await accept();
  await expect(accept()).rejects.toThrow('The queue of this trigger is full: 3 runs.');
  await db.update(runs).set({ status: 'success' });
  await accept();
  await accept();
  await expect(accept()).rejects.toThrow('This trigger accepts at most 4 runs per minute.');
});

test('runs of one group with different shares have their own limits', async () => {
  const trigger = await newTrigger({ maxQueuedRuns: 4 });
  await addRuns(db, trigger, 2);
  const store = createAcceptor(acceptOptions());
  // The first run is a group of its own, for which the others wait.
  const shares = [1, 0.5, 1, 1];
  const results = await Promise.allSettled(shares.map((share) => store(trigger, { input: {}, share })));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
});

test('numbers the runs of each trigger from 1', async () => {
  for (const trigger of [await newTrigger(), await newTrigger()]) {
    const store = createAcceptor(acceptOptions());
    await Promise.all(Array.from({ length: 20 }, () => store(trigger, { input: {} })));
    await store(trigger, { input: {} });
    const made = await db.select().from(runs).where(eq(runs.triggerId, trigger.id)).orderBy(runs.createdAt);
    expect(made.map(({ number }) => number)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  }
});

test('a clock that was set back delays no run and changes no order or limit', async () => {
  const trigger = await newTrigger({ maxRunsPerMinute: 3 });
  const accept = async () => readRun(db, (await acceptRun(acceptOptions(), trigger, { input: {} })).id);
  await accept();
  const [ahead] = await db
    .update(runs)
    .set({ createdAt: sql`clock_timestamp() + interval '1 hour'` })
    .returning();
  for (const number of [2, 3]) {
    const run = await accept();
    expect(run.number).toBe(number);
    expect(run.createdAt.getTime()).toBeGreaterThanOrEqual(ahead?.createdAt.getTime() ?? Number.NaN);
    expect(run.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  }
  await expect(accept()).rejects.toThrow(QueueFullError);
});

test('a paused or deleted trigger accepts no runs', async () => {
  const paused = await newTrigger({ enabled: false });
  for (const trigger of [paused, { id: randomUUID() }])
    await expect(acceptRun(acceptOptions(), trigger, { input: {} })).rejects.toThrow(TriggerDisabledError);
  expect(await db.$count(runs)).toBe(0);
  expect(wakes).toBe(0);
});

test('a rollback of the caller’s transaction undoes the run', async () => {
  const trigger = await newTrigger();
  const undone = db.transaction(async (tx) => {
    await acceptRun({ ...acceptOptions(), db: tx }, trigger, { input: {}, dedupeKey: 'd' });
    throw new Error('rollback');
  });
  await expect(undone).rejects.toThrow('rollback');
  expect((await acceptRun(acceptOptions(), trigger, { input: {}, dedupeKey: 'd' })).isNew).toBe(true);
});

test('a paused webhook trigger with holdWhenPaused accepts runs; a schedule does not', async () => {
  const paused = { enabled: false, holdWhenPaused: true };
  expect((await acceptRun(acceptOptions(), await newTrigger(paused), { input: {} })).isNew).toBe(true);
  const schedule = await newTrigger({ ...paused, kind: 'schedule' });
  await expect(acceptRun(acceptOptions(), schedule, { input: {} })).rejects.toThrow(TriggerDisabledError);
});

test.each([
  ['an enabled schedule', { kind: 'schedule', enabled: true, holdWhenPaused: false }, true],
  ['a paused webhook that holds events', { kind: 'webhook', enabled: false, holdWhenPaused: true }, true],
  ['a paused webhook', { kind: 'webhook', enabled: false, holdWhenPaused: false }, false],
  ['a paused schedule', { kind: 'schedule', enabled: false, holdWhenPaused: true }, false],
] as const)('%s accepts events: %#', (_what, trigger, expected) => {
  expect(isAccepting(trigger)).toBe(expected);
});

describe('debounce', () => {
  const debounced = { debounceSeconds: 60, concurrencyKey: 'event.id' };
  const accept = async (trigger: { id: string }, id: number, fields = {}) =>
    (await acceptRun(acceptOptions(), trigger, { input: { event: { id } }, ...fields })).id;

  test('a newer event with the same concurrency key replaces the queued run', async () => {
    const trigger = await newTrigger(debounced);
    const [first, other] = [await accept(trigger, 1), await accept(trigger, 2)];
    const second = await accept(trigger, 1);
    expect(await readRun(db, first)).toMatchObject({
      status: 'skipped',
      error: { name: 'debounced', message: `A newer event replaced this one: run ${second}.` },
      finishedAt: expect.any(Date),
    });
    for (const id of [other, second]) {
      const run = await readRun(db, id);
      expect(run.status).toBe('queued');
      expect(run.dueAt.getTime() - Date.now()).toBeGreaterThan(50_000);
    }
  });

  test('replaces no run that was started, no replay, and no run of a repeated delivery', async () => {
    const trigger = await newTrigger(debounced);
    const started = await accept(trigger, 1);
    await db.update(runs).set({ startedAt: new Date() });
    const replay = await accept(trigger, 1, { replayOf: started });
    const delivered = await accept(trigger, 1, { dedupeKey: 'd' });
    expect(await accept(trigger, 1, { dedupeKey: 'd' })).toBe(delivered);
    for (const id of [started, replay, delivered]) expect((await readRun(db, id)).status).toBe('queued');
    expect((await readRun(db, replay)).dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test('of 20 concurrent events one is left', async () => {
    const trigger = await newTrigger({ debounceSeconds: 60 });
    await Promise.all(Array.from({ length: 20 }, (_, id) => accept(trigger, id)));
    expect(await db.$count(runs, eq(runs.status, 'queued'))).toBe(1);
    expect(await db.$count(runs, eq(runs.status, 'skipped'))).toBe(19);
  });
});

describe('replayRuns', () => {
  let trigger: Awaited<ReturnType<typeof newTrigger>>;
  let ids: string[];
  /** Ten runs, one per hour from 00:00. Runs of even hours succeeded, the others failed. */
  beforeEach(async () => {
    trigger = await newTrigger({ maxQueuedRuns: 4 });
    const values = Array.from({ length: 10 }, (_, hour) => ({
      triggerId: trigger.id,
      userId: trigger.userId,
      number: hour + 1,
      status: hour % 2 === 0 ? ('success' as const) : ('failed' as const),
      input: { hour },
      dedupeKey: `hour ${hour}`,
      createdAt: new Date(Date.UTC(2026, 0, 1, hour)),
    }));
    ids = (await db.insert(runs).values(values).returning()).map(({ id }) => id);
  });
  const replays = () =>
    db
      .select()
      .from(runs)
      .where(sql`${runs.replayOf} is not null`)
      .orderBy(asc(sql`${runs.input} ->> 'hour'`));
  const failed = { statuses: ['failed' as const] };

  test('replays the oldest runs that the limits allow, then the rest, each once', async () => {
    expect(await replayRuns(acceptOptions(), trigger, failed)).toEqual({ replayed: 4, remaining: 1 });
    expect(wakes).toBe(1);
    const made = await replays();
    expect(made.map(({ input }) => input.hour)).toEqual([1, 3, 5, 7]);
    expect(made.map(({ replayOf }) => replayOf)).toEqual([ids[1], ids[3], ids[5], ids[7]]);
    for (const { status, dedupeKey } of made) {
      expect(status).toBe('queued');
      expect(dedupeKey).toBeNull();
    }
    const keys = (await db.select().from(runs)).map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(14);
    await expect(replayRuns(acceptOptions(), trigger, failed)).rejects.toThrow(QueueFullError);
    await db.update(runs).set({ status: 'success' }).where(eq(runs.status, 'queued'));
    expect(await replayRuns(acceptOptions(), trigger, failed)).toEqual({ replayed: 1, remaining: 0 });
    expect(await replayRuns(acceptOptions(), trigger, failed)).toEqual({ replayed: 0, remaining: 0 });
  });

  test('a time range includes its start and excludes its end', async () => {
    const range = { from: new Date(Date.UTC(2026, 0, 1, 2)), to: new Date(Date.UTC(2026, 0, 1, 5)) };
    const statuses = ['success' as const, 'failed' as const];
    expect(await replayRuns(acceptOptions(), trigger, { ...range, statuses })).toEqual({
      replayed: 3,
      remaining: 0,
    });
    expect((await replays()).map(({ input }) => input.hour)).toEqual([2, 3, 4]);
  });

  test('stores the replays in the order of their originals, with the present concurrency key', async () => {
    const values = Array.from({ length: 70 }, (_, hour) => ({
      triggerId: trigger.id,
      userId: trigger.userId,
      number: 11 + hour,
      status: 'skipped' as const,
      input: { hour },
      createdAt: new Date(Date.UTC(2026, 0, 1, hour)),
    }));
    await db.insert(runs).values(values);
    await db.update(triggers).set({ maxQueuedRuns: 100, concurrencyKey: 'hour' });
    await replayRuns(acceptOptions(), trigger, { statuses: ['skipped'] });
    for (const time of [runs.createdAt, runs.dueAt]) {
      const made = await db.select().from(runs).where(isNotNull(runs.replayOf)).orderBy(time, runs.id);
      expect(made.map(({ input }) => input.hour)).toEqual(values.map(({ input }) => input.hour));
      expect(made.map(({ concurrencyKey }) => concurrencyKey)).toEqual(
        values.map(({ input }) => toConcurrencyKey('hour', input)),
      );
    }
  });

  test('rejects for a paused trigger', async () => {
    await db.update(triggers).set({ enabled: false });
    await expect(replayRuns(acceptOptions(), trigger, failed)).rejects.toThrow(TriggerDisabledError);
    expect(await replays()).toEqual([]);
  });
});
