import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@latchkey/service/logger';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { until } from '@latchkey/testing/until';
import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun, sealer, usageKey } from '../../test/fixtures.ts';
import { type Behaviour, type RelayerStandIn, startRelayerStandIn } from '../../test/relayer-stand-in.ts';
import type { Database } from '../db/database.ts';
import { attempts, type RunStatus, runs, triggers } from '../db/schema.ts';
import { createRelayerClient } from '../relayer-client.ts';
import { claim } from './queue.ts';
import { retryDelayMs, startWorker, toOutcome, type Worker, type WorkerOptions } from './worker.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const forever = new Promise<void>(() => {});

describe('retryDelayMs', () => {
  test('grows fourfold per attempt, with 50 % jitter', () => {
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

  test('is at least Retry-After and at most one hour', () => {
    expect(retryDelayMs(1, 60_000)).toBe(60_000);
    expect(retryDelayMs(1, 1e12)).toBe(3_600_000);
  });
});

test('the run fails after the third retry', () => {
  const down = { kind: 'transient', httpStatus: 0, message: 'no answer' } as const;
  for (const attempt of [1, 2, 3]) expect(toOutcome(down, attempt)).toMatchObject({ status: 'queued' });
  expect(toOutcome(down, 4)).toMatchObject({
    status: 'failed',
    error: { name: 'service_unavailable', message: 'no answer' },
  });
});

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
let relayer: RelayerStandIn;
const workers: Worker[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await clear(db);
  relayer = await startRelayerStandIn();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await relayer[Symbol.asyncDispose]();
});

function startTestWorker(options: Partial<WorkerOptions> = {}): Worker {
  const limits = { maxConcurrent: 4, maxConcurrentPerUser: 4 };
  const worker = startWorker({
    db,
    relayer: createRelayerClient(relayer.url),
    sealer,
    log,
    ...limits,
    ...options,
  });
  workers.push(worker);
  return worker;
}
/** Adds a trigger with one run. Resolves to the id of the run. */
async function addRun(fields: Partial<typeof triggers.$inferInsert> = {}): Promise<string> {
  const [id] = await addRuns(db, await addTrigger(db, await addUser(db), fields), 1);
  return id as string;
}
const waitForStatus = (id: string, status: RunStatus, attempt = 1) =>
  until(`run is ${status}`, async () => {
    const run = await readRun(db, id);
    return run.status === status && run.attempt === attempt && run;
  });
const makeDue = () => db.update(runs).set({ dueAt: sql`now()` });
const endLeases = () => db.update(runs).set({ leaseUntil: sql`clock_timestamp() - interval '1 ms'` });

test('runs the action with the default parameters overridden by the input, and stores the reply', async () => {
  relayer.behave = () => ({
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
  startTestWorker();
  const run = await waitForStatus(made?.id ?? '', 'success');
  expect(run).toMatchObject({ response: { a: 1 }, logs: 'hello\ufffd', error: null, leaseUntil: null });
  expect(run.finishedAt).toBeInstanceOf(Date);
  expect(relayer.requests).toEqual([
    {
      key: usageKey,
      idempotencyKey: run.idempotencyKey,
      body: { code: null, ipfs_id: 'Qm', js_params: { x: 1, y: 2 } },
    },
  ]);
  expect(await db.select().from(attempts)).toMatchObject([{ number: 1, httpStatus: 200, message: 'ran' }]);
});

test('a throw fails the run without a retry and stores the stack', async () => {
  const error = { name: 'TypeError', message: 'no', stack: 'TypeError: no\n    at main' };
  relayer.behave = () => ({ kind: 'run', reply: { response: null, logs: 'l', has_error: true, error } });
  const id = await addRun();
  startTestWorker();
  expect(await waitForStatus(id, 'failed')).toMatchObject({ error, logs: 'l' });
  expect(relayer.requests).toHaveLength(1);
});

test.each([400, 401, 402, 403, 404, 409, 422])('%i fails the run without a retry', async (status) => {
  relayer.behave = () => ({ kind: 'status', status });
  const id = await addRun();
  startTestWorker();
  expect((await waitForStatus(id, 'failed')).error).toEqual({ name: `status_${status}`, message: 'refused' });
  expect(relayer.requests).toHaveLength(1);
});

test.each<[string, Behaviour, number]>([
  ['429', { kind: 'status', status: 429 }, 429],
  ['500', { kind: 'status', status: 500 }, 500],
  ['503', { kind: 'status', status: 503 }, 503],
  ['a lost reply', { kind: 'lose' }, 0],
])('%s is retried three times, then the run fails', async (_name, behaviour, httpStatus) => {
  relayer.behave = () => behaviour;
  const id = await addRun();
  const worker = startTestWorker();
  for (const attempt of [1, 2, 3]) {
    const run = await waitForStatus(id, 'queued', attempt);
    expect(run.dueAt.getTime()).toBeGreaterThan(Date.now());
    await makeDue();
    worker.wake();
  }
  const { idempotencyKey, error } = await waitForStatus(id, 'failed', 4);
  expect(error?.name).toBe('service_unavailable');
  expect(relayer.requests.map((request) => request.idempotencyKey)).toEqual(Array(4).fill(idempotencyKey));
  const made = await db.select().from(attempts).orderBy(asc(attempts.number));
  expect(made.map(({ number, httpStatus }) => [number, httpStatus])).toEqual(
    [1, 2, 3, 4].map((number) => [number, httpStatus]),
  );
  expect(relayer.effects.size).toBe(behaviour.kind === 'lose' ? 1 : 0);
});

test('a retry waits for Retry-After', async () => {
  relayer.behave = () => ({ kind: 'status', status: 429, headers: { 'Retry-After': '600' } });
  const id = await addRun();
  startTestWorker();
  const { dueAt } = await waitForStatus(id, 'queued');
  expect(dueAt.getTime() - Date.now()).toBeGreaterThan(590_000);
});

test('runs with lost replies are executed once', async () => {
  relayer.behave = (_request, number) => (number % 3 === 0 ? { kind: 'run' } : { kind: 'lose' });
  const ids = await addRuns(db, await addTrigger(db, await addUser(db)), 30);
  const worker = startTestWorker();
  await until('all runs end', async () => {
    await db.update(runs).set({ dueAt: sql`now()` }).where(eq(runs.status, 'queued'));
    worker.wake();
    return (await db.$count(runs, sql`${runs.finishedAt} is not null`)) === ids.length;
  });
  expect(relayer.effects.size).toBe(ids.length);
  expect(relayer.requests.length).toBeGreaterThan(ids.length * 2);
});

test('runs at most maxConcurrent and maxConcurrentPerUser runs concurrently, and finishes all', async () => {
  const release = Promise.withResolvers<void>();
  relayer.behave = () => ({ kind: 'hang', until: release.promise });
  const ids = await addRuns(db, await addTrigger(db, await addUser(db)), 10);
  const worker = startTestWorker({ maxConcurrent: 4, maxConcurrentPerUser: 3 });
  await until('three requests', async () => relayer.requests.length === 3);
  await addRuns(db, await addTrigger(db, await addUser(db)), 3);
  worker.wake();
  await until('a request of another user', async () => relayer.requests.length === 4);
  expect(worker.running()).toBe(4);
  release.resolve();
  await until(
    'all runs end',
    async () => (await db.$count(runs, eq(runs.status, 'success'))) === ids.length + 3,
  );
});

test('wake does not claim for a user at maxConcurrentPerUser', async () => {
  let claims = 0;
  const counting = new Proxy(db, {
    get: (target, name, receiver) => {
      if (name === 'transaction') claims++;
      return Reflect.get(target, name, receiver);
    },
  });
  const release = Promise.withResolvers<void>();
  relayer.behave = () => ({ kind: 'hang', until: release.promise });
  const [full, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  await addRuns(db, full, 4);
  const worker = startTestWorker({ db: counting, maxConcurrentPerUser: 2 });
  await until('two requests', async () => relayer.requests.length === 2);
  const [before, beganMs] = [claims, Date.now()];
  for (let i = 0; i < 20; i++) {
    worker.wake(full.userId);
    await delay(20);
  }
  // The worker also claims once a second without being woken.
  expect(claims - before).toBeLessThan(3 + (Date.now() - beganMs) / 1_000);
  await addRuns(db, other, 1);
  worker.wake(other.userId);
  await until('a request of another user', async () => relayer.requests.length === 3);
  release.resolve();
  await until('all runs end', async () => (await db.$count(runs, eq(runs.status, 'success'))) === 5);
});

test('close requeues runs in flight, and another worker runs them', async () => {
  relayer.behave = () => ({ kind: 'hang', until: forever });
  const id = await addRun();
  const worker = startTestWorker();
  await until('a request', async () => relayer.requests.length === 1);
  await worker.close();
  expect(await readRun(db, id)).toMatchObject({ status: 'queued', attempt: 0, leaseUntil: null });
  relayer.behave = () => ({ kind: 'run' });
  startTestWorker();
  await waitForStatus(id, 'success');
  expect(relayer.effects.size).toBe(1);
  expect(relayer.requests).toHaveLength(2);
});

test('a run of a killed process is requeued when its lease expires', async () => {
  const id = await addRun();
  // A killed process leaves only its claim.
  const [lost] = await claim(db, { limit: 1, perUser: 1 });
  startTestWorker();
  await endLeases();
  expect(await waitForStatus(id, 'success')).toMatchObject({
    claim: 2,
    idempotencyKey: lost?.idempotencyKey,
  });
});

test('the late result of a stalled worker is discarded', async () => {
  const release = Promise.withResolvers<void>();
  relayer.behave = (_request, number) =>
    number === 1
      ? { kind: 'hang', until: release.promise }
      : { kind: 'run', reply: { response: 'second', logs: '', has_error: false } };
  const id = await addRun();
  const stalled = startTestWorker({ maxConcurrent: 1, maxConcurrentPerUser: 1 });
  await until('a request', async () => relayer.requests.length === 1);
  await endLeases();
  startTestWorker();
  const run = await waitForStatus(id, 'success');
  release.resolve();
  await until('the stalled worker finishes', async () => stalled.running() === 0);
  expect(await readRun(db, id)).toEqual(run);
  expect(run.response).toBe('second');
  expect(await db.$count(attempts)).toBe(1);
  expect(relayer.effects.size).toBe(1);
});

test('a run fails when its trigger changed between two attempts', async () => {
  relayer.behave = () => ({ kind: 'lose' });
  const id = await addRun();
  const worker = startTestWorker();
  await waitForStatus(id, 'queued');
  await db.update(triggers).set({ actionCode: 'other', revision: 2 });
  await makeDue();
  worker.wake();
  expect((await waitForStatus(id, 'failed')).error?.name).toBe('TriggerChangedError');
  expect(relayer.requests).toHaveLength(1);
});

test('a usage key that cannot be decrypted fails the run', async () => {
  const id = await addRun({
    usageApiKey: createSealer([sealingKey(Buffer.alloc(32))]).seal(usageKey, 'other'),
  });
  startTestWorker();
  expect((await waitForStatus(id, 'failed', 0)).error?.name).toBe('SealError');
  expect(relayer.requests).toHaveLength(0);
});

test('deleting a trigger deletes a run in flight', async () => {
  const release = Promise.withResolvers<void>();
  relayer.behave = () => ({ kind: 'hang', until: release.promise });
  await addRun();
  const worker = startTestWorker();
  await until('a request', async () => relayer.requests.length === 1);
  await db.delete(triggers);
  release.resolve();
  await until('the worker finishes', async () => worker.running() === 0);
  expect(await db.$count(attempts)).toBe(0);
});
