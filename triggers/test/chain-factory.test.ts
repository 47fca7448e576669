/** Triggers with a factory: its children are followed from their announcement on, through reorgs, restarts and outages. */
import { eq } from 'drizzle-orm';
import { numberToHex, pad } from 'viem';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { chainCursors, factoryChildren, runs, triggers } from '../src/db/schema.ts';
import { MAX_CHILDREN } from '../src/sources/chain-children.ts';
import { withFailover } from '../src/sources/chain-failover.ts';
import type { ChainNode, ChainRpc } from '../src/sources/chain-rpc.ts';
import { child, FACTORY, from, MADE, MADE_EVENT, made } from './chain-factories.ts';
import { useChainDatabase } from './chain-setup.ts';
import {
  addTrigger,
  createFollower,
  listFirings,
  nodeOf,
  patchTrigger,
  SIGNATURE,
  syncToHead,
} from './chain-triggers.ts';
import { createStandInChain, type NewLog, type StandInChain } from './stand-in-chain.ts';

const none = (count: number): NewLog[][] => Array.from({ length: count }, () => []);

const database = useChainDatabase();
let chain: StandInChain;
beforeEach(() => {
  chain = createStandInChain();
});

const factory = { address: FACTORY, event: MADE_EVENT, parameter: 'child' };
const wire = { chain: 'service', factory, event_signature: SIGNATURE };
/** Adds a trigger as the API does. */
async function add(config: Record<string, unknown> = {}, options?: Parameters<typeof addTrigger>[2]) {
  const id = await addTrigger(database.db, { contract_address: `0x${'99'.repeat(20)}` }, options);
  await patchTrigger(database.db, chain, id, { config: { ...wire, ...config } });
  return id;
}
const firings = async (id: string) =>
  (await listFirings(database.db, id)).map(({ block, retracted }) => (retracted ? -block : block));
const childrenOf = async (id: string) => {
  const rows = await database.db.select().from(factoryChildren).where(eq(factoryChildren.triggerId, id));
  return rows.map(({ address }) => Number(address)).sort((a, b) => a - b);
};
const isLive = async (id: string) =>
  (await database.db.select().from(chainCursors).where(eq(chainCursors.triggerId, id)))[0]?.isLive;

describe('new blocks', () => {
  test('events of a child count from the block of its announcement on', async () => {
    const { db } = database;
    chain.mine([]);
    const id = await add();
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    chain.mine([from(1)], [from(1), made(1), from(1), from(2)], [from(1), from(2)], [made(2, child(9))]);
    await follower.tick();
    chain.mine([from(1), from(2)]);
    await follower.tick();
    expect(await firings(id)).toEqual([3, 3, 4, 6]);
    expect(await childrenOf(id)).toEqual([1]);
    expect(await isLive(id)).toBe(true);
  });

  test('a child that is announced within the blocks of one read fires', async () => {
    const { db } = database;
    const id = await add({ confirmations: 2 });
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    chain.mine([], [made(1)], [from(1), made(2)], [from(2)], [], []);
    await follower.tick();
    expect(await firings(id)).toEqual([3, 4]);
  });

  test('two triggers, of which one follows another factory, fire for their own children', async () => {
    const { db } = database;
    const one = await add();
    const other = await add({ factory: { ...factory, address: child(7), parameter: 'arg0' } });
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    chain.mine([made(1), made(2, child(7)), made(3), made(3, child(7))], [from(1), from(2), from(3)]);
    await follower.tick();
    expect([(await firings(one)).length, (await firings(other)).length]).toEqual([2, 2]);
    expect([await childrenOf(one), await childrenOf(other)]).toEqual([
      [1, 3],
      [2, 3],
    ]);
    await patchTrigger(db, chain, one, { enabled: false });
    chain.mine([from(1), from(2), from(3)]);
    await follower.tick();
    expect([(await firings(one)).length, (await firings(other)).length]).toEqual([2, 4]);
  });

  test('announcements that no address can be read from, and logs of others, add no child', async () => {
    const { db } = database;
    const id = await add();
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    chain.mine([
      { address: FACTORY, topics: [MADE], data: '0x' },
      { address: FACTORY, topics: [MADE, `0x${'ff'.repeat(32)}`], data: '0x01' },
      { ...made(1), topics: [pad('0x1'), pad(child(1))] },
      made(2),
    ]);
    await follower.tick();
    expect(await childrenOf(id)).toEqual([2]);
  });
});

describe('reorgs', () => {
  test('a child whose announcement is dropped is no longer followed, and comes back with it', async () => {
    const { db } = database;
    const id = await add();
    const other = await add({ factory: { ...factory, address: child(7) } });
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    chain.mine([made(1)], [made(2)], [from(1), from(2)]);
    await follower.tick();
    chain.reorg(2, [[], [from(1), from(2)], [made(3)]]);
    await follower.tick();
    expect([await firings(id), await childrenOf(id)]).toEqual([
      [-3, -3, 3],
      [1, 3],
    ]);
    chain.mine([made(2)], [from(2)], [from(2)]);
    await follower.tick();
    expect([await firings(id), await childrenOf(id)]).toEqual([
      [-3, -3, 3, 6, 7],
      [1, 2, 3],
    ]);
    expect(await firings(other)).toEqual([]);
  });

  test('one that happened while no process read the chain counts', async () => {
    const { db } = database;
    const id = await add();
    await syncToHead(db, chain, createFollower(db, chain));
    chain.mine([made(1)], [from(1)]);
    await createFollower(db, chain).tick();
    expect(await firings(id)).toEqual([2]);
    chain.reorg(2, [[made(2)], [from(1), from(2)], [from(1), from(2)]]);
    const follower = createFollower(db, chain);
    await follower.tick();
    expect([await firings(id), await childrenOf(id)]).toEqual([[-2, 2, 3], [2]]);
    chain.mine([from(1), from(2)]);
    await follower.tick();
    expect(await firings(id)).toEqual([-2, 2, 3, 4]);
  });
});

describe('older blocks', () => {
  test('children of before the start block are followed, and only its later events fire', async () => {
    const { db } = database;
    chain.mine([], [made(1)], [from(1)], [made(2)], ...none(300), [from(2), made(3)], ...none(20));
    const id = await add({ factory: { ...factory, start_block: 3 }, start_block: 300 });
    const early = await add({ factory: { ...factory, start_block: 1 } });
    const follower = createFollower(db, chain);
    await syncToHead(db, chain, follower);
    expect([await childrenOf(id), await childrenOf(early)]).toEqual([
      [2, 3],
      [1, 2, 3],
    ]);
    chain.mine([from(1), from(2), from(3)]);
    await follower.tick();
    expect(await firings(id)).toEqual([305, 326, 326]);
    expect(await firings(early)).toEqual([326, 326, 326]);
  });

  test('new blocks wait until all children of before are known', async () => {
    const { db } = database;
    chain.mine([made(1)], ...none(200));
    const id = await add({ factory: { ...factory, start_block: 1 } });
    let isDown = true;
    const node = nodeOf(chain);
    const rpc: ChainRpc = {
      ...node,
      logs: (filter) =>
        'fromBlock' in filter && isDown ? Promise.reject(new Error('down')) : node.logs(filter),
    };
    const follower = createFollower(db, chain, rpc);
    for (let n = 0; n < 4; n++) {
      chain.mine([from(1)]);
      vi.setSystemTime(Date.now() + 60_000);
      await follower.tick();
      await follower.backfilled();
    }
    expect([await firings(id), await isLive(id)]).toEqual([[], false]);
    isDown = false;
    await syncToHead(db, chain, follower);
    expect([await firings(id), await isLive(id)]).toEqual([[202, 203, 204, 205], true]);
  });

  test('after an outage, children that were announced in it are followed', async () => {
    const { db } = database;
    const id = await add();
    const follower = createFollower(db, chain);
    chain.mine([]);
    await syncToHead(db, chain, follower);
    chain.mine([made(1)], ...none(300), [from(1), made(2)], ...none(140), [from(1), from(2)]);
    await syncToHead(db, chain, follower);
    expect(await firings(id)).toEqual([303, 444, 444]);
    expect(await isLive(id)).toBe(true);
  });

  test('children that were announced during a pause are followed, and the events of the pause dropped', async () => {
    const { db } = database;
    const id = await add();
    const follower = createFollower(db, chain);
    chain.mine([made(1)]);
    await syncToHead(db, chain, follower);
    await patchTrigger(db, chain, id, { enabled: false });
    chain.mine([made(2), from(1)], ...none(400), [made(3), from(2)], ...none(5));
    await patchTrigger(db, chain, id, { enabled: true });
    // A change of the filter keeps the blocks that are left to read.
    await patchTrigger(db, chain, id, {
      config: { ...wire, topic_filters: [[1, 2, 3].map((n) => pad(numberToHex(n)))] },
    });
    await syncToHead(db, chain, follower);
    chain.mine([from(1), from(2), from(3)]);
    await syncToHead(db, chain, follower);
    expect(await firings(id)).toEqual([409, 409, 409]);
  });
});

test('a process that goes on after another one knows its children without reading them again', async () => {
  const { db } = database;
  chain.mine([made(1)], ...none(300));
  const id = await add({ factory: { ...factory, start_block: 1 } });
  await syncToHead(db, chain, createFollower(db, chain));
  const asked = chain.requests.length;
  const follower = createFollower(db, chain);
  chain.mine([from(1)]);
  await follower.tick();
  expect(await firings(id)).toEqual([302]);
  const ranges = chain.requests
    .slice(asked)
    .filter(({ params }) => JSON.stringify(params).includes('fromBlock'));
  expect(ranges).toEqual([]);
});

test('a child that one of three nodes invents is not followed', async () => {
  const { db } = database;
  const id = await add();
  const liar: ChainNode = {
    ...nodeOf(chain),
    host: 'liar',
    async logs(filter) {
      const logs = await nodeOf(chain).logs(filter);
      const [first] = logs;
      return first ? [{ ...first, topics: [MADE, pad(child(2))], logIndex: 90n }, ...logs] : logs;
    },
  };
  const honest = [1, 2].map((n) => ({ ...nodeOf(chain), host: `honest ${n}` }));
  const follower = createFollower(db, chain, withFailover([liar, ...honest]));
  await syncToHead(db, chain, follower);
  chain.mine([made(1)], [from(1), from(2)]);
  await follower.tick();
  expect([await firings(id), await childrenOf(id)]).toEqual([[2], [1]]);
});

test('a failure after an announcement forgets no child, and follows none twice', async () => {
  const { db } = database;
  const id = await add();
  const node = nodeOf(chain);
  let failures = 2;
  const follower = createFollower(db, chain, {
    ...node,
    async logs(filter) {
      if (JSON.stringify(filter).includes(child(1)) && failures-- > 0) throw new Error('down');
      return node.logs(filter);
    },
  });
  await syncToHead(db, chain, follower);
  chain.mine([made(1), from(1)]);
  for (let n = 0; n < 2; n++) await expect(follower.tick()).rejects.toThrow('down');
  await follower.tick();
  expect([await firings(id), await childrenOf(id)]).toEqual([[1], [1]]);
});

test('a trigger with a full queue keeps its children, and goes on with them', async () => {
  const { db } = database;
  const id = await add({}, { maxQueuedRuns: 1 });
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  chain.mine([made(1), from(1)], [from(1), made(2)], [from(2)]);
  await follower.tick();
  expect([await firings(id), await childrenOf(id)]).toEqual([[1], [1, 2]]);
  await db.update(triggers).set({ maxQueuedRuns: 100 }).where(eq(triggers.id, id));
  await syncToHead(db, chain, follower);
  expect(await firings(id)).toEqual([1, 2, 3]);
});

test('a PATCH of the factory forgets the children of the one before', async () => {
  const { db } = database;
  const id = await add();
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  chain.mine([made(1), made(2, child(7))], [from(1)]);
  await syncToHead(db, chain, follower);
  const changed = { ...factory, address: child(7), start_block: 1 };
  const reply = await patchTrigger(db, chain, id, { config: { ...wire, factory: changed } });
  expect(reply).toEqual({ reads: { from_block: 3, to_block: 2 } });
  await syncToHead(db, chain, follower);
  chain.mine([from(1), from(2)]);
  await syncToHead(db, chain, follower);
  expect([await firings(id), await childrenOf(id)]).toEqual([[2, 3], [2]]);
  // The same factory again keeps the position and the children.
  await patchTrigger(db, chain, id, { config: { ...wire, factory: { ...factory, address: child(7) } } });
  chain.mine([from(2)]);
  await syncToHead(db, chain, follower);
  expect([await firings(id), await childrenOf(id)]).toEqual([[2, 3, 4], [2]]);
});

test(`follows the first ${MAX_CHILDREN} children, without a request per child`, async () => {
  const { db } = database;
  const id = await add();
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  const count = MAX_CHILDREN + 5;
  chain.mine(Array.from({ length: count }, (_, n) => made(n + 1)));
  let startedMs = performance.now();
  await follower.tick();
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(await db.$count(factoryChildren, eq(factoryChildren.triggerId, id))).toBe(MAX_CHILDREN);
  const asked = chain.requests.length;
  startedMs = performance.now();
  chain.mine([from(1), from(MAX_CHILDREN), from(MAX_CHILDREN + 1)]);
  await follower.tick();
  expect(performance.now() - startedMs).toBeLessThan(1_000);
  expect(await firings(id)).toEqual([2, 2]);
  const requests = chain.requests.slice(asked).filter(({ method }) => method === 'eth_getLogs');
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(requests).length).toBeLessThan(1_000);
  // A range of final blocks lists them.
  await patchTrigger(db, chain, id, { enabled: false });
  chain.mine([from(3)], ...none(300));
  await db.delete(runs);
  await patchTrigger(db, chain, id, { enabled: true });
  chain.mine([from(4)]);
  await syncToHead(db, chain, follower);
  expect(await firings(id)).toEqual([304]);
});
