import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@latchkey/service/logger';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { until } from '@latchkey/testing/until';
import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Behaviour, type CoreStandIn, startCore } from '../../test/core.ts';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, runOf, sealer, usageKey } from '../../test/fixtures.ts';
import { createCore } from '../core.ts';
import type { Database } from '../db/database.ts';
import { attempts, type RunStatus, runs, triggers } from '../db/schema.ts';
import { claim } from './queue.ts';
import { outcomeOf, retryDelayMs, startWorker, type Worker, type WorkerOptions } from './worker.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const forever = new Promise<void>(() => {});

describe('retryDelayMs', () => {
  test('grows fourfold, with half of it as jitter to either side', () => {
    for (const [attempt, ms] of [
      [1, 1_000],
      [2, 4_000],
      [3, 16_000],
    ] as const) {
      const delays = Array.from({ length: 200 }, () => retryDelayMs(attempt));
      for (const delayMs of delays) {
        expect(delayMs).toBeGreaterThanOrEqual(ms / 2);
        expect(delayMs).toBeLessThan(ms * 1.5);
      }
      expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(ms / 2);
    }
  });

  test('is what the service asked for at least, an hour at most', () => {
    expect(retryDelayMs(1, 60_000)).toBe(60_000);
    expect(retryDelayMs(1, 1e12)).toBe(3_600_000);
  });
});

test('the third retry is the last', () => {
  const down = { kind: 'passing', httpStatus: 0, message: 'no answer' } as const;
  for (const attempt of [1, 2, 3]) expect(outcomeOf(down, attempt)).toMatchObject({ status: 'queued' });
  expect(outcomeOf(down, 4)).toMatchObject({
    status: 'failed',
    error: { name: 'service_unavailable', message: 'no answer' },
  });
});

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
let core: CoreStandIn;
const workers: Worker[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await clear(db);
  core = await startCore();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await core[Symbol.asyncDispose]();
});

function work(options: Partial<WorkerOptions> = {}): Worker {
  const limits = { maxConcurrent: 4, maxConcurrentPerUser: 4 };
  const worker = startWorker({ db, core: createCore(core.url), sealer, log, ...limits, ...options });
  workers.push(worker);
  return worker;
}
/** The one run of a new trigger. */
async function addRun(fields: Partial<typeof triggers.$inferInsert> = {}): Promise<string> {
  const [id] = await addRuns(db, await addTrigger(db, await addUser(db), fields), 1);
  return id as string;
}
const becomes = (id: string, status: RunStatus, attempt = 1) =>
  until(`run is ${status}`, async () => {
    const run = await runOf(db, id);
    return run.status === status && run.attempt === attempt && run;
  });
const makeDue = () => db.update(runs).set({ dueAt: sql`now()` });
const endLeases = () => db.update(runs).set({ leaseUntil: sql`clock_timestamp() - interval '1 ms'` });

test('the action runs with the defaults under the input, and its reply is kept', async () => {
  core.behave = () => ({
    kind: 'run',
    reply: { response: { a: 1 }, logs: 'hello\0', has_error: false },
  });
  const trigger = await addTrigger(db, await addUser(db), {
    actionCode: null,
    actionCid: 'Qm',
    defaultParams: { x: 1, y: 1 },
  });
  const [made] = await db
    .insert(runs)
    .values({ triggerId: trigger.id, userId: trigger.userId, input: { y: 2 } })
    .returning();
  work();
  const run = await becomes(made?.id ?? '', 'success');
  expect(run).toMatchObject({ response: { a: 1 }, logs: 'hello\ufffd', error: null, leaseUntil: null });
  expect(run.finishedAt).toBeInstanceOf(Date);
  expect(core.requests).toEqual([
    {
      key: usageKey,
      idempotencyKey: run.idempotencyKey,
      body: { code: null, ipfs_id: 'Qm', js_params: { x: 1, y: 2 } },
    },
  ]);
  expect(await db.select().from(attempts)).toMatchObject([{ number: 1, httpStatus: 200, message: 'ran' }]);
});

test('a throw fails at once, with its stack', async () => {
  const error = { name: 'TypeError', message: 'no', stack: 'TypeError: no\n    at main' };
  core.behave = () => ({ kind: 'run', reply: { response: null, logs: 'l', has_error: true, error } });
  const id = await addRun();
  work();
  expect(await becomes(id, 'failed')).toMatchObject({ error, logs: 'l' });
  expect(core.requests).toHaveLength(1);
});

test.each([400, 401, 402, 403, 404, 409, 422])('%i fails at once', async (status) => {
  core.behave = () => ({ kind: 'status', status });
  const id = await addRun();
  work();
  expect((await becomes(id, 'failed')).error).toEqual({ name: `status_${status}`, message: 'refused' });
  expect(core.requests).toHaveLength(1);
});

test.each<[string, Behaviour, number]>([
  ['429', { kind: 'status', status: 429 }, 429],
  ['500', { kind: 'status', status: 500 }, 500],
  ['503', { kind: 'status', status: 503 }, 503],
  ['a lost reply', { kind: 'lose' }, 0],
])('%s is tried again three times, then the run fails', async (_name, behaviour, httpStatus) => {
  core.behave = () => behaviour;
  const id = await addRun();
  const worker = work();
  for (const attempt of [1, 2, 3]) {
    const run = await becomes(id, 'queued', attempt);
    expect(run.dueAt.getTime()).toBeGreaterThan(Date.now());
    await makeDue();
    worker.wake();
  }
  const { idempotencyKey, error } = await becomes(id, 'failed', 4);
  expect(error?.name).toBe('service_unavailable');
  expect(core.requests.map((request) => request.idempotencyKey)).toEqual(Array(4).fill(idempotencyKey));
  const made = await db.select().from(attempts).orderBy(asc(attempts.number));
  expect(made.map(({ number, httpStatus }) => [number, httpStatus])).toEqual(
    [1, 2, 3, 4].map((number) => [number, httpStatus]),
  );
  expect(core.effects.size).toBe(behaviour.kind === 'lose' ? 1 : 0);
});

test('Retry-After is waited for', async () => {
  core.behave = () => ({ kind: 'status', status: 429, headers: { 'Retry-After': '600' } });
  const id = await addRun();
  work();
  const { dueAt } = await becomes(id, 'queued');
  expect(dueAt.getTime() - Date.now()).toBeGreaterThan(590_000);
});

test('lost replies run nothing twice', async () => {
  core.behave = (_request, number) => (number % 3 === 0 ? { kind: 'run' } : { kind: 'lose' });
  const ids = await addRuns(db, await addTrigger(db, await addUser(db)), 30);
  const worker = work();
  await until('all runs end', async () => {
    await db.update(runs).set({ dueAt: sql`now()` }).where(eq(runs.status, 'queued'));
    worker.wake();
    return (await db.$count(runs, sql`${runs.finishedAt} is not null`)) === ids.length;
  });
  expect(core.effects.size).toBe(ids.length);
  expect(core.requests.length).toBeGreaterThan(ids.length * 2);
});

test('no more runs are under way than there are places, and all come to an end', async () => {
  const release = Promise.withResolvers<void>();
  core.behave = () => ({ kind: 'hang', until: release.promise });
  const ids = await addRuns(db, await addTrigger(db, await addUser(db)), 10);
  const worker = work({ maxConcurrent: 4, maxConcurrentPerUser: 3 });
  await until('three requests', async () => core.requests.length === 3);
  await addRuns(db, await addTrigger(db, await addUser(db)), 3);
  worker.wake();
  await until('one of another user', async () => core.requests.length === 4);
  expect(worker.running()).toBe(4);
  release.resolve();
  await until(
    'all runs end',
    async () => (await db.$count(runs, eq(runs.status, 'success'))) === ids.length + 3,
  );
});

test('a user whose places are taken has nothing looked for, until one is free', async () => {
  let claims = 0;
  const counting = new Proxy(db, {
    get: (target, name, receiver) => {
      if (name === 'transaction') claims++;
      return Reflect.get(target, name, receiver);
    },
  });
  const release = Promise.withResolvers<void>();
  core.behave = () => ({ kind: 'hang', until: release.promise });
  const [full, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  await addRuns(db, full, 4);
  const worker = work({ db: counting, maxConcurrentPerUser: 2 });
  await until('two requests', async () => core.requests.length === 2);
  const [before, beganMs] = [claims, Date.now()];
  for (let i = 0; i < 20; i++) {
    worker.wake(full.userId);
    await delay(20);
  }
  // Every second it looks by itself.
  expect(claims - before).toBeLessThan(3 + (Date.now() - beganMs) / 1_000);
  await addRuns(db, other, 1);
  worker.wake(other.userId);
  await until('one of another user', async () => core.requests.length === 3);
  release.resolve();
  await until('all runs end', async () => (await db.$count(runs, eq(runs.status, 'success'))) === 5);
});

test('closing gives runs back at once, and another worker runs them', async () => {
  core.behave = () => ({ kind: 'hang', until: forever });
  const id = await addRun();
  const worker = work();
  await until('a request', async () => core.requests.length === 1);
  await worker.close();
  expect(await runOf(db, id)).toMatchObject({ status: 'queued', attempt: 0, leaseUntil: null });
  core.behave = () => ({ kind: 'run' });
  work();
  await becomes(id, 'success');
  expect(core.effects.size).toBe(1);
  expect(core.requests).toHaveLength(2);
});

test('a run whose process was killed is taken up when its lease ends', async () => {
  const id = await addRun();
  // All that is left of a killed process.
  const [lost] = await claim(db, { places: 1, perUser: 1 });
  work();
  await endLeases();
  expect(await becomes(id, 'success')).toMatchObject({ claim: 2, idempotencyKey: lost?.idempotencyKey });
});

test('what a stalled worker gets in the end changes nothing', async () => {
  const release = Promise.withResolvers<void>();
  core.behave = (_request, number) =>
    number === 1
      ? { kind: 'hang', until: release.promise }
      : { kind: 'run', reply: { response: 'second', logs: '', has_error: false } };
  const id = await addRun();
  const stalled = work({ maxConcurrent: 1, maxConcurrentPerUser: 1 });
  await until('a request', async () => core.requests.length === 1);
  await endLeases();
  work();
  const run = await becomes(id, 'success');
  release.resolve();
  await until('the stalled worker is through', async () => stalled.running() === 0);
  expect(await runOf(db, id)).toEqual(run);
  expect(run.response).toBe('second');
  expect(await db.$count(attempts)).toBe(1);
  expect(core.effects.size).toBe(1);
});

test('a trigger that changed between attempts is not run again under another key', async () => {
  core.behave = () => ({ kind: 'lose' });
  const id = await addRun();
  const worker = work();
  await becomes(id, 'queued');
  await db.update(triggers).set({ actionCode: 'other', revision: 2 });
  await makeDue();
  worker.wake();
  expect((await becomes(id, 'failed')).error?.name).toBe('TriggerChangedError');
  expect(core.requests).toHaveLength(1);
});

test('a usage key that does not open fails the run', async () => {
  const id = await addRun({
    usageApiKey: createSealer([sealingKey(Buffer.alloc(32))]).seal(usageKey, 'other'),
  });
  work();
  expect((await becomes(id, 'failed', 0)).error?.name).toBe('SealError');
  expect(core.requests).toHaveLength(0);
});

test('a deleted trigger takes a run under way with it', async () => {
  const release = Promise.withResolvers<void>();
  core.behave = () => ({ kind: 'hang', until: release.promise });
  await addRun();
  const worker = work();
  await until('a request', async () => core.requests.length === 1);
  await db.delete(triggers);
  release.resolve();
  await until('the worker is through', async () => worker.running() === 0);
  expect(await db.$count(attempts)).toBe(0);
});
