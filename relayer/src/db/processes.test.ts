import { driverError } from '@latchkey/service/database-errors';
import { setReadOnly } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { createAccountHeads } from './account-heads.ts';
import { joinProcesses } from './processes.ts';
import { accountHeads, relayerProcesses } from './schema.ts';
import { hashText } from './text.ts';

const ACCOUNT = 5n;
let database: OpenTestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.dispose();
});

const setHead = (block: bigint) =>
  database.db
    .insert(accountHeads)
    .values({ account: hashText(ACCOUNT), block })
    .onConflictDoUpdate({ target: accountHeads.account, set: { block } });

describe('a process alone on its database', () => {
  test('remembers heads, and raises them with its own writes', async () => {
    const processes = await joinProcesses(database.db);
    const heads = createAccountHeads(database.db, processes);
    await setHead(3n);
    expect(await heads.get(ACCOUNT)).toBe(3n);
    const select = vi.spyOn(database.db, 'select');
    expect(await heads.get(ACCOUNT)).toBe(3n);
    heads.raised(ACCOUNT, 5n);
    heads.raised(ACCOUNT, 4n);
    expect(await heads.get(ACCOUNT)).toBe(5n);
    expect(select).not.toHaveBeenCalled();
  });

  test('does not remember a head that was read before its own write', async () => {
    const heads = createAccountHeads(database.db, await joinProcesses(database.db));
    await setHead(3n);
    const reading = heads.get(ACCOUNT);
    heads.raised(ACCOUNT, 4n);
    await reading;
    expect(await heads.get(ACCOUNT)).toBe(4n);
  });

  test('relies on being alone only for a short time after it asked', async () => {
    const processes = await joinProcesses(database.db);
    const period = processes.solePeriod();
    expect(period).toBeDefined();
    await processes.renew();
    expect(processes.solePeriod()).toBe(period);
    await expect.poll(() => processes.solePeriod()).toBeUndefined();
    await processes.renew();
    expect(processes.solePeriod()).toBeGreaterThan(period as number);
  });
});

test('a process renews its row only when that is a second old', async () => {
  const processes = await joinProcesses(database.db);
  const renewedAfter = async (age: string) => {
    const [row] = await database.db
      .update(relayerProcesses)
      .set({ seenAt: sql`clock_timestamp() - ${age}::interval` })
      .returning();
    await processes.renew();
    const [renewed] = await database.db.select().from(relayerProcesses);
    return row?.seenAt.getTime() !== renewed?.seenAt.getTime();
  };
  // A minute in the future, so that a busy machine cannot make it old.
  expect(await renewedAfter('-1 minute')).toBe(false);
  expect(await renewedAfter('1 second')).toBe(true);
});

describe('a second process', () => {
  test('acknowledges no write before the first has read heads again', async () => {
    const first = await joinProcesses(database.db);
    const heads = createAccountHeads(database.db, first);
    expect(await heads.get(ACCOUNT)).toBe(0n);
    const second = await joinProcesses(database.db);
    await setHead(3n);
    await second.ensureMember();
    expect(await heads.get(ACCOUNT)).toBe(3n);
    await first.renew();
    expect(first.solePeriod()).toBeUndefined();
    expect(second.solePeriod()).toBeUndefined();
  });

  test('leaves: the first reads again what it remembered, and is alone', async () => {
    const first = await joinProcesses(database.db);
    const heads = createAccountHeads(database.db, first);
    expect(await heads.get(ACCOUNT)).toBe(0n);
    const second = await joinProcesses(database.db);
    await first.renew();
    await setHead(3n);
    await second.leave();
    await first.renew();
    expect(first.solePeriod()).toBeDefined();
    expect(await heads.get(ACCOUNT)).toBe(3n);
  });

  test('counts until it has not renewed its row for ten seconds', async () => {
    const first = await joinProcesses(database.db);
    await joinProcesses(database.db);
    await first.renew();
    expect(first.solePeriod()).toBeUndefined();
    await database.db.update(relayerProcesses).set({ seenAt: sql`now() - interval '11 seconds'` });
    await first.renew();
    expect(first.solePeriod()).toBeDefined();
  });

  test('that joins concurrently sees the first, or is seen by it', async () => {
    for (let round = 0; round < 2; round++) {
      await database.db.delete(relayerProcesses);
      const both = await Promise.all([joinProcesses(database.db), joinProcesses(database.db)]);
      await Promise.all(both.map((one) => one.renew()));
      expect(both.filter((one) => one.solePeriod() !== undefined)).toEqual([]);
    }
  });
});

test('a process that lost its row joins again and waits before it acknowledges a write', async () => {
  const first = await joinProcesses(database.db);
  await database.db.delete(relayerProcesses);
  const second = await joinProcesses(database.db);
  expect(second.solePeriod()).toBeDefined();
  // The membership of the first is only renewed when it is old.
  const later = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => Date.now() - performance.timeOrigin + 9_000);
  const acknowledged = first.ensureMember();
  await expect.poll(() => database.db.$count(relayerProcesses)).toBe(2);
  later.mockRestore();
  expect(await acknowledged.then(second.solePeriod)).toBeUndefined();
});

test('a process knows when the database last failed', async () => {
  const processes = await joinProcesses(database.db);
  expect(processes.calmMs()).toBe(Number.POSITIVE_INFINITY);
  await setReadOnly(database.url, true);
  await expect.poll(() => processes.renew().catch(driverError)).toMatchObject({ code: '25006' });
  expect(processes.calmMs()).toBeLessThan(5_000);
  await setReadOnly(database.url, false);
  await expect.poll(() => processes.renew().then(() => true)).toBe(true);
  expect(processes.calmMs()).toBeLessThan(30_000);
});
