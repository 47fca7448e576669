import { eq, isNotNull, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun } from '../../test/fixtures.ts';
import type { Database } from '../db/database.ts';
import { attempts, runs, triggers } from '../db/schema.ts';
import { type ClaimedRun, claim } from './claim.ts';
import { type Executed, finish, holdTrigger, pauseTrigger, renew, requeueLost } from './queue.ts';

const many = { limit: 1_000, perUser: 1_000 };
const succeeded = { status: 'success', response: 'ok', logs: '', costMicros: 10_000 } as const;

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());
beforeEach(() => clear(db));

const running = (by: typeof runs.triggerId | typeof runs.userId, id: string) =>
  db.$count(runs, sql`${runs.status} = 'running' and ${eq(by, id)}`);
const endLeases = () => db.update(runs).set({ leaseUntil: sql`clock_timestamp() - interval '1 ms'` });

describe('limits', () => {
  test('ten concurrent claims use the limit of a trigger exactly', async () => {
    const trigger = await addTrigger(db, await addUser(db), { maxConcurrentRuns: 4 });
    await addRuns(db, trigger, 60);
    for (let round = 0; round < 8; round++) {
      const claimed = (await Promise.all(Array.from({ length: 10 }, () => claim(db, many)))).flat();
      expect(claimed).toHaveLength(round === 0 ? 4 : 3);
      expect(await running(runs.triggerId, trigger.id)).toBe(4);
      for (const run of claimed.slice(0, 3)) await finish(db, run, succeeded);
    }
  });

  test('ten concurrent claims use the limit of a user exactly', async () => {
    const userId = await addUser(db);
    for (let i = 0; i < 5; i++) await addRuns(db, await addTrigger(db, userId, { maxConcurrentRuns: 3 }), 20);
    for (let round = 0; round < 5; round++) {
      const claims = Array.from({ length: 10 }, () => claim(db, { limit: 2, perUser: 7 }));
      const claimed = (await Promise.all(claims)).flat();
      expect(await running(runs.userId, userId)).toBe(7);
      expect(claimed).toHaveLength(round === 0 ? 7 : 5);
      for (const run of claimed.slice(0, 5)) await finish(db, run, succeeded);
    }
  });

  test('no run is claimed twice, and a claim returns at most its limit', async () => {
    for (let i = 0; i < 3; i++) await addRuns(db, await addTrigger(db, await addUser(db)), 40);
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(db, { limit: 7, perUser: 30 })));
    for (const claimed of claims) expect(claimed).toHaveLength(7);
    expect(new Set(claims.flat().map(({ id }) => id)).size).toBe(70);
  });
});

describe('fairness', () => {
  /** The users of runs that are claimed and finished one by one. */
  async function claimOneByOne(count: number): Promise<string[]> {
    const order: string[] = [];
    for (let i = 0; i < count; i++) {
      const [run] = await claim(db, { limit: 1, perUser: 10 });
      if (!run) break;
      order.push(run.userId);
      await finish(db, run, succeeded);
    }
    return order;
  }

  test('10,000 queued runs of one user do not delay another user, one run at a time', async () => {
    const [a, b] = [await addUser(db), await addUser(db)];
    await addRuns(db, await addTrigger(db, a), 10_000);
    await claimOneByOne(3);
    await addRuns(db, await addTrigger(db, b), 3);
    // The users alternate, whichever is first.
    const order = await claimOneByOne(6);
    expect(order.slice(0, 2).sort()).toEqual([a, b].sort());
    for (let i = 1; i < 6; i++) expect(order[i]).not.toBe(order[i - 1]);
  });

  test('a user without running runs comes before one with many', async () => {
    const [a, b] = [await addUser(db), await addUser(db)];
    await addRuns(db, await addTrigger(db, a), 500);
    expect(await claim(db, { limit: 8, perUser: 8 })).toHaveLength(8);
    await addRuns(db, await addTrigger(db, b), 20);
    for (let i = 0; i < 4; i++)
      expect(await claim(db, { limit: 1, perUser: 20 })).toMatchObject([{ userId: b }]);
  });

  test('a claim is shared evenly between users, and between the triggers of a user', async () => {
    const [a, b] = [await addUser(db), await addUser(db)];
    const [old, young] = [await addTrigger(db, a), await addTrigger(db, a)];
    for (const trigger of [old, young, await addTrigger(db, b)]) await addRuns(db, trigger, 50);
    expect(await claim(db, { limit: 8, perUser: 50 })).toHaveLength(8);
    expect(await running(runs.userId, a)).toBe(4);
    expect(await running(runs.userId, b)).toBe(4);
    expect(await running(runs.triggerId, old.id)).toBe(2);
    expect(await running(runs.triggerId, young.id)).toBe(2);
  });

  test('the oldest run of a trigger comes first', async () => {
    const trigger = await addTrigger(db, await addUser(db));
    const [first, second] = await addRuns(db, trigger, 2);
    await db
      .update(runs)
      .set({ dueAt: sql`now() - interval '1 h'` })
      .where(eq(runs.id, second as string));
    expect(await claim(db, { limit: 1, perUser: 1 })).toMatchObject([{ id: second }]);
    expect(await claim(db, { limit: 1, perUser: 2 })).toMatchObject([{ id: first }]);
  });
});

test('runs of disabled triggers and runs that are not due wait', async () => {
  const userId = await addUser(db);
  const paused = await addTrigger(db, userId, { enabled: false });
  await addRuns(db, paused, 1);
  const [later] = await addRuns(db, await addTrigger(db, userId), 1);
  await db
    .update(runs)
    .set({ dueAt: sql`now() + interval '1 h'` })
    .where(eq(runs.id, later as string));
  expect(await claim(db, many)).toEqual([]);
  await db.update(triggers).set({ enabled: true }).where(eq(triggers.id, paused.id));
  expect(await claim(db, many)).toMatchObject([{ triggerId: paused.id }]);
});

test('a claim reads as many rows with 10,000 runs queued as with 100', async () => {
  const rowsRead = async (queued: number): Promise<number> => {
    await clear(db);
    for (let i = 0; i < 4; i++) {
      const trigger = await addTrigger(db, await addUser(db), { maxConcurrentRuns: 2 });
      await addRuns(db, trigger, queued / 4);
    }
    await db.execute(sql`analyze ${runs}`);
    return db.transaction(async (tx) => {
      expect(await claim(tx, { limit: 16, perUser: 12 })).toHaveLength(8);
      const stats = (await tx.execute(sql`
          select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
          where relid = 'triggers.runs'::regclass`)) as unknown as { rows: { rows: string }[] };
      return Number(stats.rows[0]?.rows);
    });
  };
  const few = await rowsRead(100);
  expect(few).toBeGreaterThan(0);
  expect(await rowsRead(10_000)).toBeLessThanOrEqual(few * 2);
});

describe('fencing', () => {
  let stalled: ClaimedRun;
  let second: ClaimedRun;
  beforeEach(async () => {
    await addRuns(db, await addTrigger(db, await addUser(db)), 1);
    [stalled] = (await claim(db, many)) as [ClaimedRun];
    expect(await requeueLost(db)).toBe(0);
    await endLeases();
    expect(await requeueLost(db)).toBe(1);
  });

  /** Attempts every write of a process whose lease has expired. */
  async function writeStale() {
    const before = await readRun(db, stalled.id);
    const made = { startedAt: new Date(), httpStatus: 200, message: 'ran' };
    expect(await renew(db, [stalled])).toEqual(new Set());
    for (const outcome of [
      succeeded,
      { status: 'failed', error: { name: 'Error', message: '' }, logs: '', costMicros: null },
      { status: 'queued', delayMs: 0, executed: 'perhaps' },
    ] as const)
      expect(await finish(db, stalled, outcome, made)).toBe(false);
    expect(await readRun(db, stalled.id)).toEqual(before);
    expect(await db.$count(attempts)).toBe(0);
  }

  test('a stale claim changes nothing while the run is queued', writeStale);

  test('a stale claim changes nothing while another claim holds the run', async () => {
    [second] = (await claim(db, many)) as [ClaimedRun];
    expect(second).toMatchObject({ id: stalled.id, idempotencyKey: stalled.idempotencyKey });
    await writeStale();
    expect(await renew(db, [stalled, second])).toEqual(new Set([second.id]));
    expect(await finish(db, second, succeeded)).toBe(true);
  });

  test('a stale claim changes nothing after the run has ended', async () => {
    [second] = (await claim(db, many)) as [ClaimedRun];
    await finish(db, second, { ...succeeded, response: 'second' });
    await writeStale();
    expect((await readRun(db, second.id)).response).toBe('second');
  });
});

test('a run with a renewed lease is not requeued', async () => {
  await addRuns(db, await addTrigger(db, await addUser(db)), 2);
  const [kept, lost] = (await claim(db, many)) as [ClaimedRun, ClaimedRun];
  await endLeases();
  expect(await renew(db, [kept])).toEqual(new Set([kept.id]));
  expect(await requeueLost(db)).toBe(1);
  expect((await readRun(db, kept.id)).status).toBe('running');
  expect((await readRun(db, lost.id)).status).toBe('queued');
});

describe('outcomes', () => {
  const claimOne = async (): Promise<ClaimedRun> => {
    await addRuns(db, await addTrigger(db, await addUser(db)), 1);
    const [run] = await claim(db, many);
    return run as ClaimedRun;
  };
  const made = { startedAt: new Date(1_000), httpStatus: 503, message: 'down\0' };

  test('a retry keeps the idempotency key, counts the attempt and waits until it is due', async () => {
    const run = await claimOne();
    await finish(db, run, { status: 'queued', delayMs: 3_600_000, executed: 'perhaps' }, made);
    expect(await readRun(db, run.id)).toMatchObject({ status: 'queued', attempt: 1, leaseUntil: null });
    expect(await claim(db, many)).toEqual([]);
    await db.update(runs).set({ dueAt: sql`now()` });
    const [again] = await claim(db, many);
    expect(again).toMatchObject({ attempt: 1, idempotencyKey: run.idempotencyKey });
    await finish(db, again as ClaimedRun, succeeded, { ...made, httpStatus: 200 });
    expect(await db.select().from(attempts).orderBy(attempts.number)).toMatchObject([
      { number: 1, httpStatus: 503, message: 'down\ufffd', startedAt: new Date(1_000) },
      { number: 2, httpStatus: 200 },
    ]);
  });

  test('a requeued run without a request counts no attempt', async () => {
    const run = await claimOne();
    await finish(db, run, { status: 'queued', delayMs: 0, executed: 'perhaps' });
    expect(await claim(db, many)).toMatchObject([{ id: run.id, attempt: 0 }]);
  });

  test('stores responses and logs with NUL and lone surrogates', async () => {
    const run = await claimOne();
    const response = { text: '\0 \ud800 é', '': [1, null] };
    await finish(db, run, { status: 'success', response, logs: 'a\0b', costMicros: 0 });
    expect(await readRun(db, run.id)).toMatchObject({
      status: 'success',
      response,
      logs: 'a\ufffdb',
      costMicros: 0,
    });
  });
});

describe('concurrency keys', () => {
  const addKeyed = async (trigger: { id: string; userId: string }, keys: (string | null)[]) => {
    const ids = await addRuns(db, trigger, keys.length);
    for (const [index, concurrencyKey] of keys.entries())
      await db
        .update(runs)
        .set({ concurrencyKey, createdAt: new Date(index * 1_000) })
        .where(eq(runs.id, ids[index] as string));
    return ids;
  };

  test('runs with an equal key run one after another in order of acceptance, also after a retry; others run concurrently', async () => {
    const user = await addUser(db);
    const trigger = await addTrigger(db, user);
    const [a1, a2, a3, b1, free] = await addKeyed(trigger, ['a', 'a', 'a', 'b', null]);
    const elsewhere = await addTrigger(db, user);
    const [same] = await addKeyed(elsewhere, ['a']);
    const claimIds = async () => (await claim(db, many)).map(({ id }) => id).toSorted();
    expect(await claimIds()).toEqual([a1, b1, free, same].toSorted());
    expect(await claimIds()).toEqual([]);
    const end = (id: string | undefined, status: 'queued' | 'success') =>
      db
        .update(runs)
        .set({ status, dueAt: sql`now()` })
        .where(eq(runs.id, id as string));
    await end(a1, 'queued');
    await db
      .update(runs)
      .set({ dueAt: sql`now() + interval '1 hour'` })
      .where(eq(runs.id, a1 as string));
    expect(await claimIds()).toEqual([]);
    await end(a1, 'success');
    expect(await claimIds()).toEqual([a2]);
    await end(a2, 'success');
    expect(await claimIds()).toEqual([a3]);
  });

  test('a claim examines the first 256 runs: one behind more blocked runs waits for them', async () => {
    const trigger = await addTrigger(db, await addUser(db));
    await addKeyed(trigger, Array(257).fill('a'));
    const [other] = await addKeyed(trigger, ['b']);
    await db
      .update(runs)
      .set({ createdAt: new Date(), dueAt: sql`now() - interval '1 s'` })
      .where(eq(runs.id, other as string));
    await db.update(runs).set({ dueAt: sql`now() - interval '1 h'` }).where(eq(runs.concurrencyKey, 'a'));
    expect(await claim(db, { limit: 1, perUser: 1_000 })).toHaveLength(1);
    expect(await claim(db, { limit: 1, perUser: 1_000 })).toEqual([]);
    await db.delete(runs).where(eq(runs.status, 'running'));
    expect(await claim(db, { limit: 1, perUser: 1_000 })).toHaveLength(1);
    expect(await claim(db, { limit: 1, perUser: 1_000 })).toMatchObject([{ id: other }]);
  });

  test('ten concurrent claims run one of 50 runs with an equal key', async () => {
    const trigger = await addTrigger(db, await addUser(db));
    await addKeyed(trigger, Array(50).fill('a'));
    const claimed = await Promise.all(Array.from({ length: 10 }, () => claim(db, many)));
    expect(claimed.flat()).toHaveLength(1);
  });
});

test('a throttle starts so many runs in any 60 seconds; the others wait', async () => {
  const trigger = await addTrigger(db, await addUser(db), { throttlePerMinute: 3 });
  await addRuns(db, trigger, 10);
  const claimed = await Promise.all(Array.from({ length: 5 }, () => claim(db, many)));
  expect(claimed.flat()).toHaveLength(3);
  await db.update(runs).set({ status: 'success' }).where(eq(runs.status, 'running'));
  expect(await claim(db, many)).toEqual([]);
  await db
    .update(runs)
    .set({ startedAt: sql`clock_timestamp() - interval '61 s'` })
    .where(isNotNull(runs.startedAt));
  expect(await claim(db, many)).toHaveLength(3);
});

test('a claim waits for no run that another transaction changes, and a run that it skipped stays skipped', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  const [id] = (await addRuns(db, trigger, 1)) as [string];
  const skipped = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const skipping = db.transaction(async (tx) => {
    await tx.update(runs).set({ status: 'skipped' }).where(eq(runs.id, id));
    skipped.resolve();
    await release.promise;
  });
  await skipped.promise;
  expect(await claim(db, many)).toEqual([]);
  release.resolve();
  await skipping;
  expect(await claim(db, many)).toEqual([]);
  expect((await readRun(db, id)).status).toBe('skipped');
});

test('a request that did not execute the run is forgotten: the next one uses the changed trigger', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  await addRuns(db, trigger, 1);
  const claimOne = async () => {
    const [run] = await claim(db, many);
    return run as ClaimedRun;
  };
  const waits = (executed: Executed) => ({ status: 'queued' as const, delayMs: 0, executed });
  const change = () => db.update(triggers).set({ revision: sql`${triggers.revision} + 1` });
  await finish(db, await claimOne(), waits('not now'));
  await change();
  const second = await claimOne();
  expect(second).toMatchObject({ revision: 2 });
  await finish(db, second, waits('perhaps'));
  await finish(db, await claimOne(), waits('not now'));
  await change();
  expect(await claimOne()).toMatchObject({ revision: 2 });
});

test('after 7 days a run whose outcome is unknown is forgotten, and no other', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  await addRuns(db, trigger, 3);
  const [asked, refused, lost] = (await claim(db, many)) as [ClaimedRun, ClaimedRun, ClaimedRun];
  await finish(db, asked, { status: 'queued', delayMs: 0, executed: 'perhaps' });
  await finish(db, refused, { status: 'queued', delayMs: 0, executed: 'not now' });
  await endLeases();
  await requeueLost(db);
  const forgottenAfter = async (hours: number) => {
    const then = sql`now() - make_interval(hours => ${hours}::int)`;
    await db.update(runs).set({ askedAt: then }).where(isNotNull(runs.askedAt));
    await db.update(runs).set({ createdAt: sql`now() - interval '30 days'` });
    const claimed = await claim(db, many);
    for (const run of claimed) await finish(db, run, { status: 'queued', delayMs: 0, executed: 'not now' });
    return claimed.filter(({ isForgotten }) => isForgotten).map(({ id }) => id);
  };
  expect(await forgottenAfter(7 * 24 - 2)).toEqual([]);
  expect(new Set(await forgottenAfter(7 * 24))).toEqual(new Set([asked.id, lost.id]));
});

test('runs of a held trigger wait; runs of another trigger do not', async () => {
  const user = await addUser(db);
  const [held, other] = [await addTrigger(db, user), await addTrigger(db, user)];
  await addRuns(db, held, 1);
  const [id] = await addRuns(db, other, 1);
  await holdTrigger(db, { id: held.id, revision: 1, ms: 60_000, reason: 'payment_required' });
  expect(await claim(db, many)).toMatchObject([{ id }]);
  await holdTrigger(db, { id: held.id, revision: 1, ms: -1, reason: 'payment_required' });
  expect(await claim(db, many)).toMatchObject([{ triggerId: held.id }]);
});

test('one run of a held trigger is tried at a time, until one was executed', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  await addRuns(db, trigger, 5);
  await holdTrigger(db, { id: trigger.id, revision: 1, ms: -1, reason: 'payment_required' });
  const claimed = [...(await claim(db, many)), ...(await claim(db, many))];
  expect(claimed).toHaveLength(1);
  await holdTrigger(db, { id: trigger.id, revision: 1, ms: -1, reason: 'payment_required' });
  await finish(db, claimed[0] as ClaimedRun, { status: 'queued', delayMs: 60_000, executed: 'not now' });
  const [next, ...others] = await claim(db, many);
  expect(others).toEqual([]);
  await finish(db, next as ClaimedRun, { status: 'success', response: null, logs: '', costMicros: 1 });
  expect(await claim(db, many)).toHaveLength(3);
});

test('a trigger is paused unless it was changed or paused before', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  const pause = async (revision: number, reason: string) => {
    await pauseTrigger(db, { id: trigger.id, revision, reason });
    const [row] = await db.select().from(triggers);
    return [row?.enabled, row?.pausedReason];
  };
  expect(await pause(2, 'old')).toEqual([true, null]);
  expect(await pause(1, 'first')).toEqual([false, 'first']);
  expect(await pause(1, 'second')).toEqual([false, 'first']);
});
