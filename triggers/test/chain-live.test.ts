/** Live triggers: the position of their chain moves for all of them, and each keeps its own promises. */
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { chainChanges, chainCursors, runs, triggers } from '../src/db/schema.ts';
import { useChainDatabase } from './chain-setup.ts';
import {
  addTrigger,
  createFollower,
  cursorOf,
  filled,
  listFirings,
  patchTrigger,
  syncToHead,
} from './chain-triggers.ts';
import { createStandInChain, type NewLog, type StandInChain } from './stand-in-chain.ts';

const other = `0x${'22'.repeat(20)}` as const;
const none = (count: number): NewLog[][] => Array.from({ length: count }, () => []);
const add = (config: Parameters<typeof addTrigger>[1] = {}, options?: Parameters<typeof addTrigger>[2]) =>
  addTrigger(database.db, { start_block: 1, ...config }, options);
const blocksOf = async (id: string) => (await listFirings(database.db, id)).map(({ block }) => block);
const isLive = async (id: string) => {
  const [row] = await database.db.select().from(chainCursors).where(eq(chainCursors.triggerId, id));
  return row?.isLive;
};

const database = useChainDatabase();
let chain: StandInChain;
beforeEach(() => {
  chain = createStandInChain();
});

test('blocks without a log of a trigger write no row of it, and count as read', async () => {
  const { db } = database;
  const quiet = await add({ contract_address: other });
  const loud = await add();
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  const rowOf = async (id: string) =>
    (await db.execute(sql`select xmin, * from ${chainCursors} where trigger_id = ${id}`)) as unknown as {
      rows: unknown[];
    };
  const before = (await rowOf(quiet)).rows;
  for (let n = 0; n < 5; n++) {
    chain.mine([filled(1)], []);
    await follower.tick();
  }
  expect((await rowOf(quiet)).rows).toEqual(before);
  expect(await cursorOf(db, quiet)).toMatchObject({ nextBlock: 11n, headBlock: 10n });
  expect(await blocksOf(loud)).toEqual([1, 3, 5, 7, 9]);
});

describe('pauses', () => {
  test.each([
    ['a person', (id: string) => patchTrigger(database.db, chain, id, { enabled: false })],
    [
      'the service',
      (id: string) =>
        database.db
          .update(triggers)
          .set({ enabled: false, updatedAt: new Date(Date.now() + 5) })
          .where(eq(triggers.id, id)),
    ],
  ])('a trigger that %s pauses keeps its place while the chain is read for others', async (_, pause) => {
    const { db } = database;
    const paused = await add({ paused_events: 'fire' });
    const goesOn = await add();
    const follower = createFollower(db, chain);
    chain.mine([filled(1)]);
    await syncToHead(db, chain, follower);
    await pause(paused);
    chain.mine([filled(2)], [filled(3)]);
    await syncToHead(db, chain, follower);
    expect([await blocksOf(paused), await blocksOf(goesOn)]).toEqual([[1], [1, 2, 3]]);
    expect(await cursorOf(db, paused)).toMatchObject({ nextBlock: 2n, headBlock: 1n, isLive: false });
    expect(await patchTrigger(db, chain, paused, { enabled: true })).toBeUndefined();
    await syncToHead(db, chain, follower);
    expect(await blocksOf(paused)).toEqual([1, 2, 3]);
  });

  test('a pause before the follower has seen it fires nothing', async () => {
    const { db } = database;
    const id = await add({ paused_events: 'fire' });
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    await patchTrigger(db, chain, id, { enabled: false });
    await db.delete(chainChanges);
    chain.mine([filled(1)]);
    await follower.tick();
    expect(await blocksOf(id)).toEqual([]);
    await patchTrigger(db, chain, id, { enabled: true });
    await syncToHead(db, chain, follower);
    expect(await blocksOf(id)).toEqual([1]);
  });
});

test('a deleted trigger fires nothing, and the others go on', async () => {
  const { db } = database;
  const gone = await add();
  const id = await add();
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  await db.delete(triggers).where(eq(triggers.id, gone));
  chain.mine([filled(1)]);
  await follower.tick();
  expect(await blocksOf(id)).toEqual([1]);
  expect(await db.$count(chainChanges)).toBe(0);
});

test('a trigger with a full queue waits alone, and loses no log', async () => {
  const { db } = database;
  const full = await add({}, { maxQueuedRuns: 2 });
  const id = await add();
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  for (let n = 0; n < 4; n++) {
    chain.mine([filled(n)]);
    await follower.tick();
  }
  expect([await blocksOf(full), await blocksOf(id)]).toEqual([
    [1, 2],
    [1, 2, 3, 4],
  ]);
  expect([await isLive(full), await isLive(id)]).toEqual([false, true]);
  await db.update(triggers).set({ maxQueuedRuns: 100 }).where(eq(triggers.id, full));
  // Another process reads the rest.
  await syncToHead(db, chain, createFollower(db, chain));
  expect(await blocksOf(full)).toEqual([1, 2, 3, 4]);
  expect(await isLive(full)).toBe(true);
});

test('a trigger whose log cannot be stored is tried again, and the others go on', async () => {
  const { db } = database;
  const broken = await add();
  const id = await add();
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  await db.execute(
    sql.raw(`alter table triggers.runs add constraint broken check (trigger_id <> '${broken}')`),
  );
  chain.mine([filled(1)], [filled(2)]);
  await follower.tick();
  expect([await blocksOf(broken), await blocksOf(id)]).toEqual([[], [1, 2]]);
  expect(follower.faultOf(broken)?.message).toBe('failed to read block 1');
  await db.execute(sql`alter table triggers.runs drop constraint broken`);
  await syncToHead(db, chain, createFollower(db, chain));
  expect(await blocksOf(broken)).toEqual([1, 2]);
});

describe('outages', () => {
  test('new blocks fire immediately, and those of the outage in the background', async () => {
    const { db } = database;
    const id = await add();
    await syncToHead(db, chain, createFollower(db, chain));
    chain.mine([filled(1)], ...none(300), [filled(2)]);
    const follower = createFollower(db, chain);
    await follower.tick();
    expect((await blocksOf(id)).at(0)).toBe(302);
    expect(await isLive(id)).toBe(true);
    await syncToHead(db, chain, follower);
    expect((await blocksOf(id)).sort()).toEqual([1, 302]);
  });

  test.each([2, 400])('a reorg during an outage of %i blocks retracts the runs', async (length) => {
    const { db } = database;
    chain.mine(...none(10), [filled(1)], []);
    const id = await add({ confirmations: 1 });
    const elsewhere = await add({ contract_address: other });
    await syncToHead(db, chain, createFollower(db, chain));
    chain.reorg(2, [[filled(2, other)], ...none(length)]);
    await syncToHead(db, chain, createFollower(db, chain));
    const firings = await listFirings(db, id);
    expect(firings.map(({ block, retracted }) => [block, retracted])).toEqual([[11, true]]);
    expect(await blocksOf(elsewhere)).toEqual([11]);
    expect(await db.$count(runs)).toBe(2);
  });
});

test('triggers with different confirmations read the same chain, each at its own depth', async () => {
  const { db } = database;
  const depths = [0, 3, 12, 140];
  const ids = await Promise.all(depths.map((confirmations) => add({ confirmations })));
  chain.mine([filled(1)]);
  const follower = createFollower(db, chain);
  const firedAt = new Map<string, number>();
  for (let head = 1; head <= 145; head++) {
    if (head > 1) chain.mine([]);
    await follower.tick();
    await follower.backfilled();
    for (const id of ids) if ((await blocksOf(id)).length > 0 && !firedAt.has(id)) firedAt.set(id, head);
  }
  expect(ids.map((id) => firedAt.get(id))).toEqual(depths.map((depth) => depth + 1));
});
