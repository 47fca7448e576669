/** PATCH, pauses and background reads of chain-event triggers on a stand-in chain. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { chainCursors, runs, triggers } from '../src/db/schema.ts';
import {
  addTrigger,
  CONTRACT,
  clearChains,
  createFollower,
  filled,
  listFirings,
  nodeOf,
  patchTrigger,
  SIGNATURE,
  syncToHead,
} from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase } from './database.ts';
import { createStandInChain, type NewLog, type StandInChain } from './stand-in-chain.ts';

let database: OpenTestDatabase;
let chain: StandInChain;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await clearChains(database.db);
  chain = createStandInChain();
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => vi.useRealTimers();
});

const other = `0x${'22'.repeat(20)}` as const;
const both: NewLog[] = [filled(1), filled(2, other)];
const none = (count: number): NewLog[][] => Array.from({ length: count }, () => []);
const config = { chain: 'service', contract_address: CONTRACT, event_signature: SIGNATURE };

const sync = () => syncToHead(database.db, chain, createFollower(database.db, chain));
const patch = (id: string, change: Parameters<typeof patchTrigger>[3]) =>
  patchTrigger(database.db, chain, id, change);
/** The contracts and blocks of the logs that fired. */
async function fired(id: string): Promise<string[]> {
  const rows = await database.db.select().from(runs).where(eq(runs.triggerId, id)).orderBy(runs.createdAt);
  return rows.map(({ input }) => {
    const { raw_log, block_number } = input.event as { raw_log: { address: string }; block_number: number };
    return `${raw_log.address === CONTRACT ? 'first' : 'other'} ${block_number}`;
  });
}

describe('PATCH without start_block', () => {
  test('another contract fires from the next unread block on', async () => {
    chain.mine(both, both, both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await sync();
    chain.mine(both);
    expect(await patch(id, { config: { ...config, contract_address: other } })).toEqual({
      reads: { from_block: 4, to_block: 4 },
    });
    chain.mine(both);
    await sync();
    expect(await fired(id)).toEqual(['first 1', 'first 2', 'first 3', 'other 4', 'other 5']);
    await sync();
    expect(await fired(id)).toHaveLength(5);
  });

  test('a wider filter fires the logs of unread blocks only', async () => {
    const [, topic = ''] = filled(1).topics;
    chain.mine([filled(1), filled(2)]);
    const id = await addTrigger(database.db, { start_block: 1, topic_filters: [topic as never] });
    await sync();
    await patch(id, { config });
    await patch(id, { config: { ...config, confirmations: 0, fire_on_retraction: true } });
    chain.mine([filled(2)]);
    await sync();
    expect(await fired(id)).toEqual(['first 1', 'first 2']);
  });

  test('another contract in the list fires the logs of unread blocks only', async () => {
    chain.mine(both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await sync();
    const { contract_address: _, ...others } = config;
    const change = (contract_addresses: string[]) => patch(id, { config: { ...others, contract_addresses } });
    await change([CONTRACT, other]);
    chain.mine(both);
    await sync();
    await change([other, CONTRACT]);
    expect(await fired(id)).toEqual(['first 1', 'first 2', 'other 2']);
    await change([other]);
    chain.mine(both);
    await sync();
    expect(await fired(id)).toEqual(['first 1', 'first 2', 'other 2', 'other 3']);
  });

  test('another `if` fires the logs of unread blocks only', async () => {
    chain.mine([filled(1), filled(2)]);
    const id = await addTrigger(database.db, { start_block: 1, if: 'args.id == 1' });
    await sync();
    await patch(id, { config: { ...config, if: 'args.id == 2' } });
    chain.mine([filled(1), filled(2)]);
    await sync();
    expect(await fired(id)).toEqual(['first 1', 'first 2']);
  });

  test('a log that a later reorg brings below the cursor fires', async () => {
    chain.mine(both, both, both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await sync();
    await patch(id, { config: { ...config, contract_address: other } });
    await sync();
    chain.reorg(2, [both, [], []]);
    await sync();
    expect(await fired(id)).toEqual(['first 1', 'first 2', 'first 3', 'other 2']);
    expect((await listFirings(database.db, id)).map(({ retracted }) => retracted)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('a process that read with the earlier config fires nothing', async () => {
    const id = await addTrigger(database.db, { start_block: 1 });
    const node = nodeOf(chain);
    let reads = 0;
    const slow = {
      ...node,
      async logs(filter: Parameters<typeof node.logs>[0]) {
        const found = await node.logs(filter);
        if (reads++ === 0) await patch(id, { config: { ...config, contract_address: other } });
        return found;
      },
    };
    chain.mine(both);
    const follower = createFollower(database.db, chain, slow);
    await follower.tick();
    expect(reads).toBe(1);
    expect(await fired(id)).toEqual([]);
    await syncToHead(database.db, chain, follower);
    expect(await fired(id)).toEqual(['other 1']);
  });

  test('blocks that are read again after a pause or a long gap do not fire another contract', async () => {
    chain.mine(...none(10), both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await sync();
    await patch(id, { enabled: false });
    chain.mine([]);
    await patch(id, { enabled: true });
    await patch(id, { config: { ...config, contract_address: other } });
    await sync();
    expect(await fired(id)).toEqual(['first 11']);
    chain.mine(both, ...none(400));
    await createFollower(database.db, chain).tick();
    await patch(id, { config });
    await sync();
    expect(new Set(await fired(id)).size).toBe(2);
  });

  test('another chain starts at its next block', async () => {
    chain.mine(both, both);
    const id = await addTrigger(database.db, { start_block: 1, chain_id: 1 });
    expect(await patch(id, { config })).toEqual({ reads: { from_block: 3, to_block: 2 } });
    chain.mine(both);
    await sync();
    expect(await fired(id)).toEqual(['first 3']);
  });

  test('an unfinished background read continues', async () => {
    chain.mine(...none(300), both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await createFollower(database.db, chain).tick();
    const reply = await patch(id, { config: { ...config, contract_address: other } });
    expect(reply).toMatchObject({ reads: { to_block: 301 } });
    await sync();
    const [cursor] = await database.db.select().from(chainCursors);
    expect(cursor).toMatchObject({ nextBlock: 302n, unread: [] });
  });
});

describe('PATCH with start_block', () => {
  test('reads from there, and no log fires twice', async () => {
    chain.mine(both, both, ...none(200), both);
    const id = await addTrigger(database.db, { start_block: 203 });
    await sync();
    expect(await fired(id)).toEqual(['first 203']);
    expect(await patch(id, { config: { ...config, start_block: 2 } })).toEqual({
      reads: { from_block: 2, to_block: 203 },
    });
    chain.mine(both);
    await sync();
    expect((await fired(id)).sort()).toEqual(['first 2', 'first 203', 'first 204']);
    await patch(id, { config: { ...config, start_block: 0 } });
    await sync();
    expect((await fired(id)).sort()).toEqual(['first 1', 'first 2', 'first 203', 'first 204']);
  });

  test('a later block skips the blocks before it', async () => {
    chain.mine(both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await sync();
    expect(await patch(id, { config: { ...config, start_block: 3 } })).toEqual({
      reads: { from_block: 3, to_block: 1 },
    });
    chain.mine(both, both);
    await sync();
    expect(await fired(id)).toEqual(['first 1', 'first 3']);
  });
});

describe('pauses', () => {
  test.each([
    ['drop', ['first 1', 'first 4']],
    ['fire', ['first 1', 'first 2', 'first 3', 'first 4']],
  ] as const)('paused_events %s', async (paused_events, expected) => {
    chain.mine(both);
    const id = await addTrigger(database.db, { start_block: 1, paused_events });
    await sync();
    await patch(id, { enabled: false });
    chain.mine(both, both);
    await sync();
    expect(await fired(id)).toEqual(['first 1']);
    await patch(id, { enabled: true });
    chain.mine(both);
    await sync();
    expect(await fired(id)).toEqual(expected);
  });

  test('a log that gets its last confirmation after the pause fires', async () => {
    const id = await addTrigger(database.db, { start_block: 1, confirmations: 2 });
    chain.mine([], []);
    await sync();
    await patch(id, { enabled: false });
    chain.mine(both, both, []);
    expect(await patch(id, { enabled: true })).toEqual({ reads: { from_block: 4, to_block: 5 } });
    chain.mine([]);
    await sync();
    expect(await fired(id)).toEqual(['first 4']);
  });

  test('older blocks and logs that waited for the queue are not dropped', async () => {
    const { db } = database;
    chain.mine(both, both);
    const id = await addTrigger(db, { start_block: 3 }, { maxQueuedRuns: 1 });
    await patch(id, { config: { ...config, start_block: 1 } });
    chain.mine(both, both);
    await createFollower(db, chain).tick();
    await patch(id, { enabled: false });
    chain.mine(both);
    await patch(id, { enabled: true });
    await db.update(triggers).set({ maxQueuedRuns: 100 }).where(eq(triggers.id, id));
    await sync();
    expect((await fired(id)).sort()).toEqual(['first 1', 'first 2', 'first 3', 'first 4']);
  });

  test('a reorg during a pause retracts the runs of the dropped blocks', async () => {
    chain.mine(...none(10), both);
    const id = await addTrigger(database.db, { start_block: 1 });
    await sync();
    await patch(id, { enabled: false });
    chain.reorg(1, none(400));
    await patch(id, { enabled: true });
    await sync();
    expect((await listFirings(database.db, id)).map(({ retracted }) => retracted)).toEqual([true]);
  });
});

test('new logs do not wait for the logs of older blocks', async () => {
  const { db } = database;
  chain.mine(...Array.from({ length: 400 }, () => both));
  const id = await addTrigger(db, { start_block: 1 }, { maxQueuedRuns: 10 });
  const follower = createFollower(db, chain);
  const tick = async () => {
    vi.setSystemTime(Date.now() + 60_000);
    await follower.tick();
    await follower.backfilled();
  };
  // The newest 128 blocks are not final, so they are read in order.
  await db.update(triggers).set({ maxQueuedRuns: 138 }).where(eq(triggers.id, id));
  for (let n = 0; n < 4; n++) await tick();
  await db.update(runs).set({ status: 'success' });
  await db.update(triggers).set({ maxQueuedRuns: 10 }).where(eq(triggers.id, id));
  await tick();
  // Older blocks use half of the queue.
  expect(await db.$count(runs, eq(runs.status, 'queued'))).toBe(5);
  for (let n = 0; n < 5; n++) {
    chain.mine(both);
    await tick();
    expect((await fired(id)).filter((log) => log === `first ${chain.head()}`)).toHaveLength(1);
  }
  const [cursor] = await db.select().from(chainCursors).where(eq(chainCursors.triggerId, id));
  expect(cursor?.unread).toEqual([[expect.any(Number), 272]]);
  await db.update(triggers).set({ maxQueuedRuns: 1_000_000 }).where(eq(triggers.id, id));
  await syncToHead(db, chain, follower);
  expect(new Set(await fired(id)).size).toBe(405);
  expect(await fired(id)).toHaveLength(405);
});

test('the ranges of a trigger that is paused again and again stay bounded', async () => {
  const { db } = database;
  const id = await addTrigger(db, { start_block: 1 }, { maxQueuedRuns: 1 });
  for (let n = 0; n < 15; n++) {
    chain.mine(both, both);
    const follower = createFollower(db, chain);
    await follower.tick();
    await follower.backfilled();
    await follower.tick();
    await follower.backfilled();
    await patch(id, { enabled: false });
    chain.mine(...none(200));
    await patch(id, { enabled: true });
  }
  const [cursor] = await db.select().from(chainCursors).where(eq(chainCursors.triggerId, id));
  expect(cursor?.unread.length).toBeLessThanOrEqual(8);
  await db.update(triggers).set({ maxQueuedRuns: 1_000_000 }).where(eq(triggers.id, id));
  await sync();
  expect(new Set(await fired(id)).size).toBe(30);
  expect(await fired(id)).toHaveLength(30);
});
