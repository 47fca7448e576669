import { createLogger } from '@latchkey/service/logger';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { asc, eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun, sealer, usageKey } from '../../test/fixtures.ts';
import { type Behaviour, type RelayerStandIn, startRelayerStandIn } from '../../test/relayer-stand-in.ts';
import type { Database } from '../db/database.ts';
import { attempts, type RunStatus, revisions, runs, triggers } from '../db/schema.ts';
import { createRelayerClient } from '../relayer-client.ts';
import { claim } from './claim.ts';
import { removeUnusedRevisions, storeRevision } from './revisions.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const forever = new Promise<void>(() => {});

let relayer: RelayerStandIn;
const workers: Worker[] = [];
const database = disposeAfterAll(await openTestDatabase());
const db = database.db;
beforeEach(async () => {
  await clear(db);
  relayer = await startRelayerStandIn();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await relayer[Symbol.asyncDispose]();
});

function startTestWorker(options: Partial<WorkerOptions> = {}): Worker {
  const limits = { maxConcurrent: 4, maxConcurrentPerAccount: 4 };
  const worker = startWorker({
    db,
    relayer: createRelayerClient([relayer.url]),
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
/** The database for a worker, and how often the worker has claimed. */
function countClaims(): { db: Database; claims: () => number } {
  let claims = 0;
  const counting = new Proxy(db, {
    get: (target, name, receiver) => {
      if (name === 'select') claims++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { db: counting, claims: () => claims };
}
const waitForStatus = (id: string, status: RunStatus, attempt = 1) =>
  until(`run is ${status}`, async () => {
    const run = await readRun(db, id);
    return run.status === status && run.attempt === attempt && run;
  });
const readTrigger = async (id: string) => {
  const [trigger] = await db.select().from(triggers).where(eq(triggers.id, id));
  return trigger as typeof triggers.$inferSelect;
};
const makeDue = () => db.update(runs).set({ dueAt: sql`now()` });
const endLeases = () => db.update(runs).set({ leaseUntil: sql`clock_timestamp() - interval '1 ms'` });

test('tells that a run has ended, and not that it is retried', async () => {
  relayer.behave = (_, number) =>
    number === 1 ? { kind: 'status', status: 429 } : { kind: 'run', reply: { response: 'done' } };
  const id = await addRun();
  const told: unknown[] = [];
  startTestWorker({ runEnds: { tell: (...end) => told.push(end) } });
  await until('the run waits', async () => (await readRun(db, id)).claim === 1 && relayer.requests.length);
  await until('the run is tried again', async () => {
    await makeDue();
    return (await readRun(db, id)).status === 'success';
  });
  await expect
    .poll(() => told)
    .toEqual([[id, expect.objectContaining({ status: 'success', response: 'done' })]]);
});

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
    .values({
      triggerId: trigger.id,
      userId: trigger.userId,
      number: 1,
      input: { y: 2 },
      concurrencyKey: 'account 0x1f',
    })
    .returning();
  startTestWorker();
  const run = await waitForStatus(made?.id ?? '', 'success');
  expect(run).toMatchObject({ response: { a: 1 }, logs: 'hello\ufffd', error: null, leaseUntil: null });
  expect(run.finishedAt).toBeInstanceOf(Date);
  expect(relayer.requests).toEqual([
    {
      key: usageKey,
      idempotencyKey: run.idempotencyKey,
      correlationId: run.id,
      body: { code: null, ipfs_id: 'Qm', concurrency_key: '0x1f', js_params: { x: 1, y: 2 } },
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

test('a redirect is not followed: the run is requested again and costs no attempt', async () => {
  relayer.behave = (_request, number) =>
    number === 1
      ? { kind: 'status', status: 307, headers: { Location: `${relayer.url}/core/v1/svc_action` } }
      : { kind: 'run' };
  const id = await addRun();
  const worker = startTestWorker();
  await until('the run waits', async () => relayer.requests.length === 1 && worker.running() === 0);
  await until('the run is requested again', async () => {
    await makeDue();
    worker.wake();
    return relayer.requests.length === 2;
  });
  await waitForStatus(id, 'success');
  expect(relayer.requests).toHaveLength(2);
});

test.each([400, 403, 404, 409, 422])('%i fails the run without a retry', async (status) => {
  relayer.behave = () => ({ kind: 'status', status });
  const id = await addRun();
  startTestWorker();
  expect((await waitForStatus(id, 'failed')).error).toEqual({ name: `status_${status}`, message: 'refused' });
  expect(relayer.requests).toHaveLength(1);
});

test('a run under which runners crash while another run is executed is requested three times, then fails', async () => {
  const crash = { kind: 'status', status: 502, error: 'service_unavailable' } as const;
  relayer.behave = () => crash;
  const id = await addRun();
  const worker = startTestWorker();
  await until('the run waits after a crash without others', async () => {
    const { status, claim, attempt } = await readRun(db, id);
    return status === 'queued' && claim === 1 && attempt === 0;
  });
  const { idempotencyKey } = await readRun(db, id);
  const anotherRun = async () => void (await waitForStatus(await addRun(), 'success'));
  relayer.behave = (request) =>
    request.idempotencyKey === idempotencyKey ? { ...crash, until: anotherRun() } : { kind: 'run' };
  for (const attempt of [1, 2]) {
    await makeDue();
    worker.wake();
    const run = await waitForStatus(id, 'queued', attempt);
    expect(run.dueAt.getTime()).toBeGreaterThan(Date.now());
  }
  await makeDue();
  worker.wake();
  expect((await waitForStatus(id, 'failed', 3)).error?.name).toBe('service_unavailable');
  const made = await db.select().from(attempts).where(eq(attempts.runId, id)).orderBy(asc(attempts.number));
  expect(made.map(({ number, httpStatus }) => [number, httpStatus])).toEqual(
    [1, 2, 3].map((number) => [number, 502]),
  );
});

describe('no attempt is used', () => {
  /** Makes requests until there were `count`, each as soon as the worker would make it. */
  const requestsUpTo = async (count: number, worker: Worker) => {
    await until(`${count} requests`, async () => {
      await makeDue();
      await db.update(triggers).set({ heldUntil: null });
      worker.wake();
      return relayer.requests.length >= count;
    });
  };

  test.each<[string, Behaviour]>([
    ['429', { kind: 'status', status: 429 }],
    ['402', { kind: 'status', status: 402 }],
    ['402 with Retry-After', { kind: 'status', status: 402, headers: { 'Retry-After': '0' } }],
    ['503', { kind: 'status', status: 503 }],
    ['500', { kind: 'status', status: 500 }],
    ['504', { kind: 'status', status: 504 }],
    ["a gateway's 502", { kind: 'status', status: 502 }],
    ['a lost reply', { kind: 'lose' }],
  ])('by %s: the run succeeds afterwards', async (_name, behaviour) => {
    relayer.behave = () => behaviour;
    const id = await addRun();
    const worker = startTestWorker();
    await requestsUpTo(6, worker);
    relayer.behave = () => ({ kind: 'run' });
    await requestsUpTo(7, worker);
    await until('the run succeeds', async () => {
      await makeDue();
      await db.update(triggers).set({ heldUntil: null });
      worker.wake();
      return (await readRun(db, id)).status === 'success';
    });
    expect(await readRun(db, id)).toMatchObject({ attempt: 1, cid: 'QmOfTheCode', durationMs: 5 });
    expect(relayer.effects.size).toBe(1);
  });
});

test('429 waits for Retry-After', async () => {
  relayer.behave = () => ({ kind: 'status', status: 429, headers: { 'Retry-After': '600' } });
  const id = await addRun();
  startTestWorker();
  const { dueAt } = await until('the run waits', async () => {
    const run = await readRun(db, id);
    return relayer.requests.length === 1 && run.status === 'queued' && run;
  });
  expect(dueAt.getTime() - Date.now()).toBeGreaterThan(590_000);
});

describe('402', () => {
  beforeEach(() => {
    relayer.behave = () => ({ kind: 'status', status: 402 });
  });

  test('holds all runs of the trigger', async () => {
    const trigger = await addTrigger(db, await addUser(db));
    await addRuns(db, trigger, 20);
    const counted = countClaims();
    const worker = startTestWorker({ db: counted.db });
    await until('the trigger is held', async () => (await readTrigger(trigger.id)).heldUntil !== null);
    await until('no run is in flight', async () => worker.running() === 0);
    for (let i = 0; i < 5; i++) {
      const before = counted.claims();
      worker.wake();
      await until('a claim', async () => counted.claims() > before);
    }
    expect(relayer.requests.length).toBeLessThanOrEqual(4);
    expect(await db.$count(runs, eq(runs.status, 'queued'))).toBe(20);
  });

  test('for the usage key of an earlier revision keeps only that run waiting', async () => {
    const newKey = 'new key';
    relayer.behave = ({ key }) => (key === newKey ? { kind: 'run' } : { kind: 'status', status: 402 });
    const trigger = await addTrigger(db, await addUser(db));
    const [old] = await addRuns(db, trigger, 1);
    await db.update(runs).set({ revision: 1, askedAt: sql`now()` });
    await storeRevision(db, trigger.id);
    await db.update(triggers).set({ usageApiKey: sealer.seal(newKey, trigger.id), revision: 2 });
    const worker = startTestWorker();
    await until(
      'the old key is refused',
      async () => relayer.requests.length === 1 && worker.running() === 0,
    );
    await addRuns(db, trigger, 5);
    worker.wake();
    await until('the others succeed', async () => (await db.$count(runs, eq(runs.status, 'success'))) === 5);
    expect((await readTrigger(trigger.id)).heldUntil).toBeNull();
    const { status, revision, dueAt } = await readRun(db, old ?? '');
    expect([status, revision]).toEqual(['queued', 1]);
    expect(dueAt.getTime() - Date.now()).toBeGreaterThan(15_000);
    expect(relayer.requests.filter(({ key }) => key === usageKey)).toHaveLength(1);
  });

  test('fails a run that was accepted over 7 days ago', async () => {
    const id = await addRun();
    await db.update(runs).set({ createdAt: sql`now() - interval '8 days'` });
    startTestWorker();
    expect((await waitForStatus(id, 'failed')).error?.name).toBe('payment_required');
  });
});

test('401 pauses the trigger with a reason, and keeps its runs', async () => {
  relayer.behave = () => ({ kind: 'status', status: 401 });
  const id = await addRun();
  const worker = startTestWorker();
  const { triggerId } = await readRun(db, id);
  const paused = await until('the trigger is paused', async () => {
    const trigger = await readTrigger(triggerId);
    return !trigger.enabled && trigger;
  });
  expect(paused.pausedReason).toBe(
    'The relayer refused the usage key. Set a valid usage_api_key and enable the trigger. The reply: refused',
  );
  await until('the run waits', async () => (await readRun(db, id)).status === 'queued');
  relayer.behave = () => ({ kind: 'run' });
  await db.update(triggers).set({ enabled: true });
  await makeDue();
  worker.wake();
  await waitForStatus(id, 'success');
});

describe('an outage', () => {
  test.each<[string, 'chain' | 'keys', () => void]>([
    ['no answer', 'chain', () => (relayer.behave = () => ({ kind: 'lose' }))],
    ['503', 'chain', () => (relayer.behave = () => ({ kind: 'status', status: 503 }))],
    ['no key nodes', 'keys', () => (relayer.behave = () => ({ kind: 'status', status: 503 }))],
  ])(
    '%s: nothing is claimed until the relayer is healthy, then all runs succeed',
    async (_name, broken, begin) => {
      begin();
      relayer.brokenPart = broken;
      const trigger = await addTrigger(db, await addUser(db));
      const ids = await addRuns(db, trigger, 10);
      const client = createRelayerClient([relayer.url]);
      let pings = 0;
      const ping = () => client.ping().finally(() => pings++);
      const worker = startTestWorker({ relayer: { ...client, ping } });
      await until('the worker notices', async () => !worker.isReachable() && worker.running() === 0);
      const [before, pinged] = [relayer.requests.length, pings];
      await until('the relayer is asked again whether it is healthy', async () => {
        await makeDue();
        worker.wake();
        return pings > pinged;
      });
      expect(relayer.requests.length).toBe(before);
      relayer.behave = () => ({ kind: 'run' });
      relayer.brokenPart = 'payers';
      await until('all runs succeed', async () => {
        await makeDue();
        return (await db.$count(runs, eq(runs.status, 'success'))) === ids.length;
      });
      expect(relayer.effects.size).toBe(10);
    },
  );
});

test('a run whose outcome the relayer no longer knows fails as unknown without a request', async () => {
  const id = await addRun();
  await db.update(runs).set({ askedAt: sql`now() - interval '7 days'` });
  startTestWorker();
  expect((await waitForStatus(id, 'failed', 0)).error?.name).toBe('unknown');
  expect(relayer.requests).toEqual([]);
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

test('runs at most maxConcurrent and maxConcurrentPerAccount runs concurrently, and finishes all', async () => {
  const release = Promise.withResolvers<void>();
  relayer.behave = () => ({ kind: 'hang', until: release.promise });
  const ids = await addRuns(db, await addTrigger(db, await addUser(db)), 10);
  const worker = startTestWorker({ maxConcurrent: 4, maxConcurrentPerAccount: 3 });
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

test('wake does not claim for a user at maxConcurrentPerAccount', async () => {
  const counted = countClaims();
  const release = Promise.withResolvers<void>();
  relayer.behave = () => ({ kind: 'hang', until: release.promise });
  const [full, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  await addRuns(db, full, 4);
  const worker = startTestWorker({ db: counted.db, maxConcurrentPerAccount: 2 });
  await until('two requests', async () => relayer.requests.length === 2);
  const [before, beganMs] = [counted.claims(), Date.now()];
  for (let i = 0; i < 20; i++) {
    worker.wake(full.userId);
    // As long as a claim takes.
    await readTrigger(full.id);
  }
  // The worker also claims once a second without being woken.
  expect(counted.claims() - before).toBeLessThan(3 + (Date.now() - beganMs) / 1_000);
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
  expect(await readRun(db, id)).toMatchObject({
    status: 'queued',
    attempt: 0,
    leaseUntil: null,
    // The relayer may have executed it.
    askedAt: expect.any(Date),
  });
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
  const stalled = startTestWorker({ maxConcurrent: 1, maxConcurrentPerAccount: 1 });
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

test('asks the next relayer when one does not answer', async () => {
  const alive = await startRelayerStandIn();
  try {
    await relayer[Symbol.asyncDispose]();
    const id = await addRun();
    startTestWorker({ relayer: createRelayerClient([relayer.url, alive.url]) });
    await waitForStatus(id, 'success');
    expect(alive.requests).toHaveLength(1);
  } finally {
    await alive[Symbol.asyncDispose]();
  }
});

test('a run that the same worker claims again stays in flight when its earlier request ends', async () => {
  const releases = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  relayer.behave = (_request, number) => ({
    kind: 'hang',
    until: releases[number - 1]?.promise ?? Promise.resolve(),
  });
  const signals: AbortSignal[] = [];
  const client = createRelayerClient([relayer.url]);
  const ended = Promise.withResolvers<void>();
  const run: typeof client.run = (request) => {
    signals.push(request.signal);
    return client.run(request).finally(ended.resolve);
  };
  const id = await addRun();
  const counted = countClaims();
  const worker = startTestWorker({ db: counted.db, relayer: { ...client, run } });
  await until('a request', async () => relayer.requests.length === 1);
  await endLeases();
  await until('another request', async () => relayer.requests.length === 2);
  releases[0]?.resolve();
  await ended.promise;
  const before = counted.claims();
  // The worker claims when it is done with a request.
  await until('a claim', async () => counted.claims() > before);
  expect(worker.running()).toBe(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  releases[1]?.resolve();
  expect(await waitForStatus(id, 'success')).toMatchObject({ claim: 2 });
  await until('no run is in flight', async () => worker.running() === 0);
});

test('a request that ends after the later one of the same run changes nothing', async () => {
  const late = Promise.withResolvers<never>();
  const client = createRelayerClient([relayer.url]);
  let requests = 0;
  const run: typeof client.run = (request) => (requests++ === 0 ? late.promise : client.run(request));
  const id = await addRun();
  const counted = countClaims();
  const worker = startTestWorker({ db: counted.db, relayer: { ...client, run } });
  await until('a request', async () => requests === 1);
  await endLeases();
  const ended = await waitForStatus(id, 'success');
  await until('no run is in flight', async () => worker.running() === 0);
  const before = counted.claims();
  late.reject(new Error('stopped'));
  await until('a claim after its end', async () => counted.claims() > before);
  expect(await readRun(db, id)).toEqual(ended);
  expect(worker.running()).toBe(0);
});

test('leases of runs in flight are renewed every ten seconds; the request of a lost run ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const signals: AbortSignal[] = [];
    const client = createRelayerClient([relayer.url]);
    const run: typeof client.run = (request) => {
      signals.push(request.signal);
      return client.run(request);
    };
    relayer.behave = () => ({ kind: 'hang', until: forever });
    const id = await addRun();
    const worker = startTestWorker({ relayer: { ...client, run } });
    await until('a request', async () => relayer.requests.length === 1);
    await db.update(runs).set({ leaseUntil: sql`clock_timestamp() + interval '10 s'` });
    const leaseMs = async () => (await readRun(db, id)).leaseUntil?.getTime() ?? 0;
    const before = await leaseMs();
    vi.advanceTimersByTime(10_000);
    await expect.poll(leaseMs).toBeGreaterThan(before + 10_000);
    expect(signals[0]?.aborted).toBe(false);
    await db.update(runs).set({ claim: sql`${runs.claim} + 1` });
    vi.advanceTimersByTime(10_000);
    await until('the request has ended', async () => worker.running() === 0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await readRun(db, id)).toMatchObject({ status: 'running', claim: 2 });
  } finally {
    vi.useRealTimers();
  }
});

test('a request after a lost reply is the same although the trigger was changed', async () => {
  relayer.behave = () => ({ kind: 'lose' });
  const id = await addRun();
  const worker = startTestWorker();
  const { triggerId } = await until('the reply is lost', async () => {
    const run = await readRun(db, id);
    return run.status === 'queued' && run.askedAt !== null && run;
  });
  const otherKey = sealer.seal('other key', triggerId);
  await db.transaction(async (tx) => {
    await storeRevision(tx, triggerId);
    await tx.update(triggers).set({ actionCode: 'other', usageApiKey: otherKey, revision: 2 });
  });
  await removeUnusedRevisions(db);
  relayer.behave = () => ({ kind: 'run' });
  await until('the run succeeds', async () => {
    await makeDue();
    worker.wake();
    return (await readRun(db, id)).status === 'success';
  });
  const [first, ...others] = relayer.requests;
  expect(others.length).toBeGreaterThan(0);
  for (const request of others) expect(request).toEqual(first);
});

test('revisions that no unfinished run uses are deleted after an hour', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  const [used] = await addRuns(db, trigger, 1);
  await db.update(runs).set({ revision: 1 });
  await storeRevision(db, trigger.id);
  const count = () => db.$count(revisions);
  await removeUnusedRevisions(db);
  expect(await count()).toBe(1);
  await db.update(revisions).set({ createdAt: sql`now() - interval '2 hours'` });
  await removeUnusedRevisions(db);
  expect(await count()).toBe(1);
  await db
    .update(runs)
    .set({ status: 'success' })
    .where(eq(runs.id, used as string));
  await removeUnusedRevisions(db);
  expect(await count()).toBe(0);
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

describe('a streamed reply', () => {
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const relayerRunId = '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55';
  const begin = event('run', { run_id: relayerRunId, cid: 'Qm' }) + event('log', { text: 'é\n' });
  const headers = {
    'X-Run-Id': relayerRunId,
    'X-Run-Cost-Micros': '20000',
    'X-Run-Cid': 'Qm',
    'X-Run-Duration-Ms': '1500',
  };
  const result = (status: number, body: object) => event('result', { status, headers, body });
  const success = result(200, { response: 7, logs: 'é\n', has_error: false });
  /** Every byte on its own, so that characters and lines are split. */
  const split = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte));
  const answer = (...behaviours: Behaviour[]) => {
    relayer.behave = (_request, number) => behaviours[number - 1] as Behaviour;
  };

  test('has the same outcome as a plain one', async () => {
    answer({ kind: 'stream', parts: split(begin + success) });
    const id = await addRun();
    startTestWorker();
    expect(await waitForStatus(id, 'success')).toMatchObject({
      response: 7,
      logs: 'é\n',
      costMicros: 20_000,
      cid: 'Qm',
      relayerRunId,
      durationMs: 1_500,
    });
  });

  test('with a malformed id of its record ends without one', async () => {
    const malformed = { ...headers, 'X-Run-Id': 'not an id' };
    const end = event('result', {
      status: 200,
      headers: malformed,
      body: { response: 7, logs: '', has_error: false },
    });
    answer({ kind: 'stream', parts: [Buffer.from(end)] });
    const id = await addRun();
    startTestWorker();
    expect(await waitForStatus(id, 'success')).toMatchObject({ response: 7, relayerRunId: null });
  });

  test('without a result is asked for again with the same key', async () => {
    answer(
      { kind: 'stream', parts: [Buffer.from(begin)], isCut: true },
      { kind: 'stream', parts: [Buffer.from(begin)] },
      { kind: 'stream', parts: [Buffer.from(success)] },
    );
    const id = await addRun();
    startTestWorker();
    await until('the run succeeds', async () => {
      await makeDue();
      return (await readRun(db, id)).status === 'success';
    });
    expect(new Set(relayer.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(relayer.requests).toHaveLength(3);
  });

  test('with a result of 503 is asked for again, however often the code began', async () => {
    const outage = result(503, { error: 'service_unavailable', message: 'no key', request_id: 'r' });
    const outages = Array(6).fill({ kind: 'stream', parts: [Buffer.from(begin + outage)] });
    answer(...outages, { kind: 'stream', parts: [Buffer.from(success)] });
    const id = await addRun();
    startTestWorker();
    await until('the run succeeds', async () => {
      await makeDue();
      return (await readRun(db, id)).status === 'success';
    });
    expect(await readRun(db, id)).toMatchObject({ attempt: 1 });
    expect(relayer.requests).toHaveLength(7);
  });

  test('is stored while it comes, and no failure of the trigger when it was stopped', async () => {
    const isStored = Promise.withResolvers<void>();
    const id = await addRun();
    const stoppedReply = {
      kind: 'reply' as const,
      httpStatus: 200 as const,
      reply: {
        response: null,
        logs: 'a\n',
        has_error: true,
        error: { name: 'StoppedError', message: 'stopped', stack: '' },
      },
      costMicros: 10_000,
      cid: 'Qm',
      relayerRunId,
      durationMs: 700,
    };
    startTestWorker({
      relayer: {
        ...createRelayerClient([relayer.url]),
        async run({ onStart, onLog }) {
          onStart(relayerRunId);
          onLog('a\n');
          await isStored.promise;
          return stoppedReply;
        },
      },
    });
    const running = await until('the output is stored', async () => {
      const run = await readRun(db, id);
      return run.logs !== null && run;
    });
    expect(running).toMatchObject({ status: 'running', logs: 'a\n', relayerRunId });
    isStored.resolve();
    const { triggerId } = await waitForStatus(id, 'failed');
    expect(await readTrigger(triggerId)).toMatchObject({ consecutiveFailures: 0 });
  });
});
