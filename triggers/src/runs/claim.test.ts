import { randomUUID } from 'node:crypto';
import { watchPlans } from '@latchkey/testing/plans';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, waitForLock } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear } from '../../test/fixtures.ts';
import type { Database } from '../db/database.ts';
import * as schema from '../db/schema.ts';
import { claim, settle } from './claim.ts';
import { finish } from './queue.ts';

const { queueChanges, queueTriggers, queueUsers, runs, triggers } = schema;
const many = { limit: 1_000, perUser: 1_000 };

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());
beforeEach(() => clear(db));

/** Resolves when `work` was done inside a transaction, which stays open until the scope ends. */
async function during(work: (tx: Database) => Promise<unknown>): Promise<AsyncDisposable> {
  const done = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const transaction = db.transaction(async (tx) => {
    await work(tx);
    done.resolve();
    await release.promise;
  });
  await Promise.race([done.promise, transaction]);
  return {
    async [Symbol.asyncDispose]() {
      release.resolve();
      await transaction;
    },
  };
}

test('a change is left while another transaction looks at the triggers of its user, and read afterwards', async () => {
  const [own, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  await settle(db);
  await addRuns(db, own, 1);
  {
    await using _ = await during(settle);
    await addRuns(db, own, 1);
    await addRuns(db, other, 1);
    await settle(db);
    expect(new Set((await db.select().from(queueChanges)).map(({ triggerId }) => triggerId))).toEqual(
      new Set([own.id]),
    );
  }
  await settle(db);
  expect(await db.$count(queueChanges)).toBe(0);
  expect(await claim(db, many)).toHaveLength(3);
});

const lockUser = (userId: string) =>
  during((tx) => tx.select().from(queueUsers).where(eq(queueUsers.userId, userId)).for('no key update'));

/** Two triggers of different users with a run each. `lock` locks the user of the first one. */
const twoUsers = async () => {
  const [locked, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  for (const trigger of [locked, other]) await addRuns(db, trigger, 1);
  await settle(db);
  return { locked, other, lock: () => lockUser(locked.userId) };
};

/** More than a claim and a settling read of one user. */
const MANY_CHANGES = 600;

test('the changes of a user who is locked for long, however many, hold up no run of another', async () => {
  const [own, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  await settle(db);
  await using _ = await lockUser(own.userId);
  const change = { userId: own.userId, triggerId: own.id };
  await db.insert(queueChanges).values(Array.from({ length: MANY_CHANGES }, () => change));
  await addRuns(db, other, 1);
  expect(await claim(db, many)).toMatchObject([{ triggerId: other.id }]);
});

test('nor do the triggers of such a user that become ready', async () => {
  const [own, other] = [await addTrigger(db, await addUser(db)), await addTrigger(db, await addUser(db))];
  await db
    .insert(triggers)
    .values(Array.from({ length: MANY_CHANGES }, () => ({ ...own, id: randomUUID() })));
  await addRuns(db, other, 1);
  await settle(db);
  const wakeIn = (userId: string, hours: number) =>
    db
      .update(queueTriggers)
      .set({ isReady: false, wakeAt: sql`now() + make_interval(hours => ${hours})` })
      .where(eq(queueTriggers.userId, userId));
  await wakeIn(own.userId, -2);
  await wakeIn(other.userId, -1);
  await db.update(queueUsers).set({ isReady: false });
  await using _ = await lockUser(own.userId);
  expect(await claim(db, many)).toMatchObject([{ triggerId: other.id }]);
});

test('a user who is locked for long, as by a deletion, holds up no run of another, and each starts as it is claimed', async () => {
  const { other, lock } = await twoUsers();
  await using _ = await lock();
  const started: string[] = [];
  const claimed = await claim(db, many, (run) => started.push(run.triggerId));
  expect(claimed.map((run) => run.triggerId)).toEqual([other.id]);
  expect(started).toEqual([other.id]);
});

test('a claim reads a few runs, however many wait for one concurrency key', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  await addRuns(db, trigger, 20_000);
  await db.update(runs).set({ concurrencyKey: 'a key' });
  await db.execute(sql`analyze`);
  await settle(db);
  await using watched = watchPlans(database.url, schema);
  for (const expected of [1, 0]) {
    const plans = await watched.plansOf(async () =>
      expect(await claim(watched.db, many)).toHaveLength(expected),
    );
    expect(Math.max(...plans.map(({ read }) => read))).toBeLessThan(5_000);
  }
});

test('a claim waits for a user whom another transaction has for a moment', async () => {
  const { locked, other, lock } = await twoUsers();
  const started = Promise.withResolvers<void>();
  let claiming: ReturnType<typeof claim>;
  {
    await using _ = await lock();
    claiming = claim(db, many, () => started.resolve());
    await started.promise;
    await waitForLock(db);
  }
  expect((await claiming).map((run) => run.triggerId)).toEqual([other.id, locked.id]);
});

test('reports which runs have waited for a day, and for seven', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  const ages = new Map<string, number>();
  for (const hours of [23, 25, 7 * 24 + 1]) {
    const [id = ''] = await addRuns(db, trigger, 1);
    ages.set(id, hours);
    await db
      .update(runs)
      .set({ createdAt: sql`now() - make_interval(hours => ${hours})` })
      .where(eq(runs.id, id));
  }
  const claimed = await claim(db, many);
  expect(new Map(claimed.map(({ id, isLate, isOld }) => [ages.get(id), [isLate, isOld]]))).toEqual(
    new Map([
      [23, [false, false]],
      [25, [true, false]],
      [7 * 24 + 1, [true, true]],
    ]),
  );
});

test('the time in which an approval can be open does not make a run late or old', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  const claimAt = async (days: number) => {
    const [id = ''] = await addRuns(db, trigger, 1);
    const createdAt = sql`now() - make_interval(days => ${days})`;
    await db.update(runs).set({ approvalId: randomUUID(), createdAt }).where(eq(runs.id, id));
    const [claimed] = await claim(db, many);
    return [claimed?.isLate, claimed?.isOld];
  };
  expect(await claimAt(29)).toEqual([false, false]);
  expect(await claimAt(32)).toEqual([true, false]);
  expect(await claimAt(38)).toEqual([true, true]);
});

test('claims of different users do not wait for each other', async () => {
  for (let i = 0; i < 3; i++) await addRuns(db, await addTrigger(db, await addUser(db)), 2);
  await settle(db);
  const first: string[] = [];
  await using _ = await during(async (tx) => {
    for (const { userId } of await claim(tx, { limit: 1, perUser: 5 })) first.push(userId);
  });
  const claimed = await claim(db, { limit: 2, perUser: 5 });
  expect(claimed).toHaveLength(2);
  expect(claimed.map(({ userId }) => userId)).not.toContain(first[0]);
});

test('accepts, ends and changes of a trigger do not wait for a claim of its user', async () => {
  const trigger = await addTrigger(db, await addUser(db));
  await addRuns(db, trigger, 2);
  const [run] = await claim(db, { limit: 1, perUser: 5 });
  await using _ = await during((tx) => claim(tx, { limit: 1, perUser: 5 }));
  if (run) await finish(db, run, { status: 'success', response: 1, logs: '', costMicros: 1 });
  await addRuns(db, trigger, 1);
  await db.update(triggers).set({ maxConcurrentRuns: 1 });
  expect(await db.$count(runs, sql`${runs.status} = 'queued'`)).toBe(2);
});

test('a removed trigger with a running run makes room for the other triggers of its user', async () => {
  const userId = await addUser(db);
  const [removed, kept] = [await addTrigger(db, userId), await addTrigger(db, userId)];
  await addRuns(db, removed, 1);
  expect(await claim(db, { limit: 5, perUser: 1 })).toHaveLength(1);
  await addRuns(db, kept, 1);
  expect(await claim(db, { limit: 5, perUser: 1 })).toEqual([]);
  await db.delete(triggers).where(eq(triggers.id, removed.id));
  expect(await claim(db, { limit: 5, perUser: 1 })).toMatchObject([{ triggerId: kept.id }]);
});

test('claims of the previous version and of this one together keep the limits of a user', async () => {
  const userId = await addUser(db);
  for (let i = 0; i < 4; i++) await addRuns(db, await addTrigger(db, userId), 10);
  const claimAsBefore = async () => {
    const claimed = sql`select run_id from triggers.claim_runs(3, 7, '', 256, 30)`;
    return ((await db.execute(claimed)) as unknown as { rows: unknown[] }).rows;
  };
  for (let round = 0; round < 10; round++) {
    const claims = Array.from({ length: 4 }, () => [claimAsBefore(), claim(db, { limit: 3, perUser: 7 })]);
    await Promise.all(claims.flat());
    expect(await db.$count(runs, sql`${runs.status} = 'running'`)).toBe(7);
    await db
      .update(runs)
      .set({ status: 'success' })
      .where(sql`${runs.status} = 'running' and ${runs.number} % 2 = 0`);
    await db.update(runs).set({ status: 'queued' }).where(sql`${runs.status} = 'running'`);
  }
});
