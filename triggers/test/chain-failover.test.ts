/** Fail-over between the RPC nodes of a chain. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { chainCursors } from '../src/db/schema.ts';
import { openChainRpc, withFailover } from '../src/sources/chain-failover.ts';
import type { ChainLog, ChainNode } from '../src/sources/chain-rpc.ts';
import {
  addTrigger,
  clearChains,
  createFollower,
  filled,
  listFirings,
  logName,
  nodeOf,
  syncToHead,
} from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase } from './database.ts';
import { createStandInChain, type StandInChain } from './stand-in-chain.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());
beforeEach(() => {
  const [startMs, nowMs] = [Date.now(), performance.now.bind(performance)];
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  // The clock of the nodes is moved with the date, and goes on by itself.
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + Date.now() - startMs);
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  };
});

/** Two nodes of one chain. The second one lags by `lag` blocks. */
function twoNodes(blocks: number, lag = 0): [StandInChain, StandInChain] {
  const [one, two] = [createStandInChain(), createStandInChain()];
  for (let number = 1; number <= blocks; number++) {
    one.mine([filled(number)]);
    if (number <= blocks - lag) two.mine([filled(number)]);
  }
  return [one, two];
}
/** Questions but those for the head, which all nodes are asked for. */
const asked = (node: StandInChain) =>
  node.requests.splice(0).filter(({ method }) => !/^eth_(blockNumber|chainId)$/.test(method)).length;

test('asks the next node after a failure, and stays with it', async () => {
  const [one, two] = twoNodes(3);
  const rpc = withFailover([nodeOf(one), nodeOf(two)]);
  expect((await rpc.block('latest'))?.number).toBe(3n);
  one.faults.disconnect = 1;
  expect((await rpc.block(2n))?.number).toBe(2n);
  one.faults.disconnect = 0;
  asked(one);
  expect((await rpc.block(1n))?.number).toBe(1n);
  expect(asked(one)).toBe(0);
});

test('rejects when all nodes fail, and names the fault of each', async () => {
  const [one, two] = twoNodes(1);
  one.faults.disconnect = 1;
  two.faults.disconnect = 1;
  const rpc = withFailover([nodeOf(one), nodeOf(two)]);
  await expect(rpc.block('latest')).rejects.toThrow('socket hang up');
  expect(rpc.status()).toMatchObject([{ fault: 'socket hang up' }, { fault: 'socket hang up' }]);
});

test('reads a block and its logs from a node that has the block', async () => {
  const [one, two] = twoNodes(5, 2);
  const rpc = withFailover([nodeOf(two), nodeOf(one)]);
  const filter = { address: filled(1).address, topics: [] };
  expect(await rpc.logs({ fromBlock: 4n, toBlock: 5n, ...filter })).toHaveLength(2);
  const last = await rpc.block(5n);
  expect(await rpc.logs({ blockHash: last?.hash ?? '0x', ...filter })).toHaveLength(1);
  await expect(rpc.logs({ fromBlock: 4n, toBlock: 6n, ...filter })).rejects.toThrow();
});

test.each([undefined, 31_337])('ignores a node of another chain (expected: %s)', async (chainId) => {
  const [one] = twoNodes(2);
  const other = createStandInChain({ chainId: 1 });
  other.mine([], [], [], []);
  const rpc = withFailover([nodeOf(one), nodeOf(other)], { chainId });
  expect(await rpc.chainId()).toBe(31_337);
  one.faults.disconnect = 1;
  await expect(rpc.block('latest')).rejects.toThrow('socket hang up');
  expect(rpc.status()[1]?.fault).toBe('the node serves chain 1, not 31337');
});

test('leaves a node whose head does not move for the node that is ahead', async () => {
  const [one, two] = twoNodes(4, 3);
  const rpc = withFailover([nodeOf(two), nodeOf(one)]);
  expect((await rpc.block('latest'))?.number).toBe(1n);
  expect((await rpc.block('latest'))?.number).toBe(1n);
  vi.setSystemTime(Date.now() + 30_000);
  expect((await rpc.block('latest'))?.number).toBe(4n);
  asked(two);
  expect((await rpc.block('latest'))?.number).toBe(4n);
  expect(asked(two)).toBe(0);
});

test('a head of the far future that one node invents keeps no other node out when it fails', async () => {
  const [one, two] = twoNodes(4);
  const liar = nodeOf(one);
  const rpc = withFailover([
    {
      ...liar,
      request: async (call) => (call.method === 'eth_blockNumber' ? '0xffffffff' : liar.request(call)),
      block: async (which) => {
        const block = await liar.block(which);
        return block && which === 'latest' ? { ...block, number: 0xffffffffn } : block;
      },
    },
    nodeOf(two),
  ]);
  expect((await rpc.block('latest'))?.number).toBe(4n);
  one.faults.disconnect = 1;
  two.mine([]);
  expect((await rpc.block('latest'))?.number).toBe(5n);
});

test('a lagging node neither moves the cursor back nor skips a log', async () => {
  const { db } = database;
  const [one, two] = twoNodes(40, 20);
  await clearChains(db);
  const id = await addTrigger(db);
  const rpc = withFailover([nodeOf(one), nodeOf(two)]);
  await syncToHead(db, one, createFollower(db, one, rpc));
  const cursor = async () => (await db.select().from(chainCursors).where(eq(chainCursors.triggerId, id)))[0];
  const before = await cursor();
  one.faults.disconnect = 1;
  for (const follower of [createFollower(db, one, rpc), createFollower(db, two)]) {
    await follower.tick().catch(() => {});
    await follower.backfilled();
    expect(await cursor()).toEqual(before);
  }
  one.faults.disconnect = 0;
  one.mine([filled(41)]);
  vi.setSystemTime(Date.now() + 60_000);
  await syncToHead(db, one, createFollower(db, one, rpc));
  const all = await listFirings(db, id);
  expect(all.map(({ log, retracted }) => [log, retracted])).toEqual(
    one.logs(41).map((log) => [logName(log), false]),
  );
});

describe('a node that lies about a log', () => {
  const lies = {
    'leaves it out': (logs: ChainLog[]) => logs.slice(1),
    'invents one': (logs: ChainLog[]) => logs.flatMap((log) => [log, { ...log, logIndex: 9n }]),
    'changes its data': (logs: ChainLog[]) => logs.map((log) => ({ ...log, data: '0x01' as const })),
    'puts it into another block': (logs: ChainLog[]) => logs.map((log) => ({ ...log, blockNumber: 0n })),
  };
  const liar = (chain: StandInChain, change: (logs: ChainLog[]) => ChainLog[]): ChainNode => {
    const node = nodeOf(chain);
    return { ...node, logs: async (filter) => change(await node.logs(filter)) };
  };

  test.each(Object.entries(lies))('%s: two others decide, and it rests', async (_, change) => {
    const { db } = database;
    const [one, two] = twoNodes(3);
    await clearChains(db);
    const id = await addTrigger(db, { start_block: 1 });
    const rpc = withFailover([liar(one, change), nodeOf(one), nodeOf(two)]);
    await syncToHead(db, one, createFollower(db, one, rpc));
    const fired = await listFirings(db, id);
    expect(fired.map(({ log }) => log)).toEqual(one.logs(3).map(logName));
    expect(rpc.status()[0]?.fault).toBe('its answer differs from the answer of two other nodes');
  });

  test.each(Object.entries(lies))('%s: of two nodes none decides, and nothing fires', async (_, change) => {
    const { db } = database;
    const [one, two] = twoNodes(3);
    await clearChains(db);
    const id = await addTrigger(db, { start_block: 1 });
    const rpc = withFailover([liar(one, change), nodeOf(two)]);
    const follower = createFollower(db, one, rpc);
    await follower.tick();
    expect(await listFirings(db, id)).toEqual([]);
    expect(follower.faultOf(id)?.message).toBe('failed to read block 1');
    await syncToHead(db, one, createFollower(db, one, nodeOf(two)));
    expect(await listFirings(db, id)).toHaveLength(3);
  });

  test('with an empty bloom filter leaves out nothing', async () => {
    const { db } = database;
    const [one, two] = twoNodes(3);
    await clearChains(db);
    const id = await addTrigger(db, { start_block: 1 });
    const honest = nodeOf(one);
    const rpc = withFailover([
      {
        ...honest,
        async block(which) {
          const block = await honest.block(which);
          return block && { ...block, logsBloom: `0x${'00'.repeat(256)}` };
        },
      },
      honest,
      nodeOf(two),
    ]);
    await syncToHead(db, one, createFollower(db, one, rpc));
    expect(await listFirings(db, id)).toHaveLength(3);
  });
});

test('over HTTP, a node that does not listen is skipped', async () => {
  const [one] = twoNodes(2);
  await using node = await one.serve();
  for (const url of ['http://127.0.0.1:1', 'ws://127.0.0.1:1']) {
    const rpc = openChainRpc([url, node.url]);
    expect((await rpc.block('latest'))?.number).toBe(2n);
    rpc.close();
  }
});
