/** Blocks that fire chain-block triggers: reorgs, restarts, outages, pauses and limits. */
import { desc, eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { chainCursors, runs } from '../src/db/schema.ts';
import { useChainDatabase } from './chain-setup.ts';
import {
  addBlockTrigger,
  addTrigger,
  createFollower,
  listFirings,
  nodeOf,
  patchTrigger,
  syncToHead,
} from './chain-triggers.ts';
import { createStandInChain, type StandInChain } from './stand-in-chain.ts';

const database = useChainDatabase();
let chain: StandInChain;
beforeEach(() => {
  chain = createStandInChain();
});

const ADDRESS = `0x${'ab'.repeat(20)}` as const;
const TOKEN = `0x${'cd'.repeat(20)}` as const;
const empty = (count: number) => Array.from({ length: count }, () => []);
const mineAt = (fee: bigint, count = 1) => {
  chain.state.baseFee = fee;
  chain.mine(...empty(count));
};
const mineWith = (balance: bigint, count = 1) => {
  chain.state.balances.set(ADDRESS, balance);
  chain.mine(...empty(count));
};
const add = (config: Parameters<typeof addBlockTrigger>[1]) => addBlockTrigger(database.db, config);
const sync = (follower = createFollower(database.db, chain)) => syncToHead(database.db, chain, follower);
const firings = (id: string) => listFirings(database.db, id);
/** Resolves to the blocks whose runs are not retracted. */
const inForce = async (id: string) =>
  (await firings(id)).filter(({ retracted }) => !retracted).map(({ block }) => block);
const methods = () => chain.requests.map(({ method }) => method);
const inputOf = async (id: string) => {
  const of = database.db.select({ input: runs.input }).from(runs);
  const [run] = await of.where(eq(runs.triggerId, id)).orderBy(desc(runs.createdAt)).limit(1);
  return run?.input;
};

describe('every nth block', () => {
  test('fires with the header of the block, and reads nothing but headers', async () => {
    const id = await add({ every: 5 });
    mineAt(7n, 3);
    const follower = createFollower(database.db, chain);
    await sync(follower);
    chain.requests.length = 0;
    mineAt(8n, 9);
    await follower.tick();
    expect(await inForce(id)).toEqual([5, 10]);
    expect(await inputOf(id)).toEqual({
      source: 'chain_block',
      event: {
        chain_key: 'service',
        chain_id: 31_337,
        block_number: 10,
        block_hash: chain.blocks()[10]?.hash,
        timestamp: 1_700_000_120,
        base_fee: '8',
      },
    });
    expect([...new Set(methods())].filter((method) => !method.startsWith('eth_getBlockBy'))).toEqual([]);
  });

  test('a chain with other triggers costs no further request per block', async () => {
    await addTrigger(database.db, { start_block: 1 });
    chain.mine(...empty(20));
    const follower = createFollower(database.db, chain);
    await sync(follower);
    const requestsOf = async () => {
      chain.requests.length = 0;
      chain.mine([]);
      await follower.tick();
      return methods();
    };
    const alone = await requestsOf();
    await add({ every: 1, start_block: chain.head() + 1 });
    await add({ base_fee: { above: '5' }, start_block: chain.head() + 1 });
    await sync(follower);
    expect(await requestsOf()).toEqual(alone);
  });

  test('waits for confirmations, and passes blocks that its expression does not match', async () => {
    const id = await add({
      every: 2,
      confirmations: 3,
      if: 'args.block_number % 4 == 0 && args.base_fee > 5',
    });
    mineAt(6n, 10);
    await sync();
    expect(await inForce(id)).toEqual([4]);
    mineAt(6n);
    await sync();
    expect(await inForce(id)).toEqual([4, 8]);
  });

  test('a full queue waits, and no block is passed over', async () => {
    const id = await addBlockTrigger(database.db, { every: 1 }, { maxQueuedRuns: 2 });
    const follower = createFollower(database.db, chain);
    await sync(follower);
    chain.mine(...empty(5));
    await follower.tick();
    expect(await inForce(id)).toEqual([1, 2]);
    await database.db.update(runs).set({ status: 'success' });
    await database.db.execute(`update triggers.triggers set max_queued_runs = 100`);
    await sync(follower);
    expect(await inForce(id)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('the base fee', () => {
  test('fires when it passes the threshold, and again only after ten blocks on the other side', async () => {
    const above = await add({ base_fee: { above: '10' } });
    const below = await add({ base_fee: { below: '10' } });
    const follower = createFollower(database.db, chain);
    mineAt(10n, 23);
    await sync(follower);
    chain.requests.length = 0;
    mineAt(11n);
    mineAt(10n, 9);
    mineAt(12n, 2);
    mineAt(10n, 10);
    mineAt(13n);
    mineAt(9n);
    await sync(follower);
    expect([await inForce(above), await inForce(below)]).toEqual([[24, 46], [47]]);
    expect(await inputOf(above)).toMatchObject({ event: { base_fee: '13', above: '10' } });
    expect(methods()).not.toContain('eth_feeHistory');
  });

  test('the blocks before those that are known are read from the fee history', async () => {
    mineAt(20n, 2);
    mineAt(5n, 300);
    const id = await add({ base_fee: { above: '10' }, start_block: 1 });
    mineAt(20n);
    await sync();
    expect((await inForce(id)).sort((a, b) => a - b)).toEqual([1, 303]);
    expect(methods()).toContain('eth_feeHistory');
  });

  test('blocks before and after the oldest one that a reorg can replace count together', async () => {
    const id = await add({ base_fee: { above: '10' } });
    mineAt(5n, 103);
    mineAt(20n, 128);
    await sync();
    expect(await inForce(id)).toEqual([104]);
  });
});

describe('both', () => {
  test.each([['every', { every: 3 }] as const, ['base_fee', { base_fee: { above: '10' } }] as const])(
    '%s: a reorg retracts, and the block that returns restores',
    async (_, condition) => {
      const id = await add(condition);
      const follower = createFollower(database.db, chain);
      mineAt(5n, 2);
      await sync(follower);
      mineAt(11n, 2);
      await sync(follower);
      const dropped = chain.blocks().at(-1)?.hash;
      chain.reorg(2, empty(3));
      await sync(follower);
      expect((await firings(id)).map(({ block, retracted }) => [block, retracted])).toEqual([
        [3, true],
        [3, false],
      ]);
      chain.revive(dropped ?? '0x', empty(1));
      chain.mine([]);
      await sync(follower);
      expect((await firings(id)).map(({ block, retracted }) => [block, retracted])).toEqual(
        'every' in condition
          ? [
              [3, false],
              [3, true],
              [6, false],
            ]
          : [
              [3, false],
              [3, true],
            ],
      );
    },
  );

  test('an outage and a restart catch up, and two processes fire each block once', async () => {
    const every = await add({ every: 100, paused_events: 'fire' });
    const fee = await add({ base_fee: { above: '10' } });
    mineAt(5n, 20);
    await sync();
    for (const baseFee of [11n, 4n, 12n]) mineAt(baseFee, 150);
    const nodes = [createFollower(database.db, chain), createFollower(database.db, chain)];
    chain.faults.disconnect = 1;
    await Promise.all(nodes.map((node) => node.tick().catch(() => {})));
    chain.faults.disconnect = 0;
    for (let round = 0; round < 10; round++)
      await Promise.all(
        nodes.map(async (node) => {
          await node.tick().catch(() => {});
          await node.backfilled();
        }),
      );
    await sync(nodes[0]);
    expect((await inForce(every)).sort((a, b) => a - b)).toEqual([100, 200, 300, 400]);
    expect((await inForce(fee)).sort((a, b) => a - b)).toEqual([21, 321]);
  });

  test.each([
    ['drop', []],
    ['fire', [3, 6]],
  ] as const)('the blocks of a pause: %s', async (paused_events, blocks) => {
    const id = await add({ every: 3, paused_events });
    const follower = createFollower(database.db, chain);
    chain.mine([]);
    await sync(follower);
    await patchTrigger(database.db, chain, id, { enabled: false });
    chain.mine(...empty(5));
    await follower.tick();
    expect(await inForce(id)).toEqual([]);
    await patchTrigger(database.db, chain, id, { enabled: true });
    chain.mine(...empty(3));
    await sync(follower);
    expect(await inForce(id)).toEqual([...blocks, 9]);
  });

  test('a change of the config fires no block that was read before', async () => {
    const id = await add({ every: 4 });
    const follower = createFollower(database.db, chain);
    chain.mine(...empty(6));
    await sync(follower);
    expect(await inForce(id)).toEqual([4]);
    await patchTrigger(database.db, chain, id, { config: { chain: 'service', every: 1 } });
    chain.mine([]);
    await sync(follower);
    expect(await inForce(id)).toEqual([4, 7]);
  });
});

describe('a balance', () => {
  const balance = (limit: object) => ({ balance: { address: ADDRESS, every: 2, ...limit } });
  /** Grows with each write of a cursor. */
  const versionOf = async () =>
    (await database.db.select({ version: sql`max(xmin::text::bigint)` }).from(chainCursors))[0];
  const sidesOf = async (id: string) => {
    const [cursor] = await database.db.select().from(chainCursors).where(eq(chainCursors.triggerId, id));
    return cursor?.sides.map(({ block, is_beyond }) => [block, is_beyond]);
  };

  test('fires when it passes the threshold, in the blocks in which it is read', async () => {
    const id = await add(balance({ below: '10' }));
    const follower = createFollower(database.db, chain);
    await sync(follower);
    for (const amount of [20n, 20n, 5n, 5n, 4n, 12n, 12n, 3n]) {
      mineWith(amount);
      await follower.tick();
    }
    expect(await inForce(id)).toEqual([4, 8]);
    expect(await inputOf(id)).toMatchObject({
      source: 'chain_block',
      event: { block_number: 8, below: '10', balance: '3', address: ADDRESS, token: null },
    });
    expect(methods().filter((method) => method === 'eth_getBalance')).toHaveLength(4);
  });

  test('the first one fires nothing, also when it is beyond the threshold', async () => {
    const id = await add(balance({ below: '10' }));
    mineWith(5n, 4);
    await sync();
    expect([await inForce(id), await sidesOf(id)]).toEqual([[], [[4, true]]]);
  });

  test('of a token', async () => {
    const id = await add(balance({ above: '10', token: TOKEN }));
    const follower = createFollower(database.db, chain);
    chain.state.balances.set(`${ADDRESS} ${TOKEN}`, 10n);
    mineWith(0n, 2);
    await sync(follower);
    chain.state.balances.set(`${ADDRESS} ${TOKEN}`, 2n ** 255n);
    mineWith(0n, 2);
    await sync(follower);
    expect(await inForce(id)).toEqual([4]);
    expect(await inputOf(id)).toMatchObject({ event: { balance: String(2n ** 255n), token: TOKEN } });
  });

  test('a restart goes on with the side that was stored, and an outage compares with the present balance', async () => {
    const id = await add(balance({ below: '10' }));
    mineWith(20n, 2);
    await sync();
    mineWith(20n, 200);
    mineWith(5n, 200);
    await sync();
    expect(await inForce(id)).toEqual([402]);
    await sync();
    mineWith(20n, 300);
    mineWith(5n, 300);
    await sync();
    // No process has read it while it was above.
    expect(await inForce(id)).toEqual([402]);
  });

  test('a reorg retracts a change that left the chain, and fires one that stays', async () => {
    const id = await add(balance({ below: '10' }));
    const follower = createFollower(database.db, chain);
    mineWith(20n, 2);
    await sync(follower);
    mineWith(5n, 2);
    await sync(follower);
    expect(await inForce(id)).toEqual([4]);
    chain.state.balances.set(ADDRESS, 20n);
    chain.reorg(2, empty(4));
    await sync(follower);
    expect([await inForce(id), await sidesOf(id)]).toEqual([[], [[2, false]]]);
    mineWith(5n, 2);
    await sync(follower);
    expect(await inForce(id)).toEqual([8]);
    chain.reorg(2, empty(4));
    await sync(follower);
    expect(await inForce(id)).toEqual([10]);
  });

  test('a change that left the chain during an outage fires again', async () => {
    const id = await add(balance({ below: '10' }));
    mineWith(20n, 2);
    await sync();
    mineWith(5n, 2);
    await sync();
    expect(await inForce(id)).toEqual([4]);
    chain.reorg(2, empty(400));
    await sync();
    mineWith(5n, 4);
    await sync();
    expect((await inForce(id)).length).toBe(1);
    expect((await firings(id)).map(({ retracted }) => retracted)).toEqual([true, false]);
  });

  test('one that does not change side costs no statement per trigger, and one request per account', async () => {
    const follower = createFollower(database.db, chain);
    await Promise.all(Array.from({ length: 30 }, () => add(balance({ below: '10' }))));
    mineWith(20n, 2);
    await sync(follower);
    chain.requests.length = 0;
    const before = await database.db.select().from(chainCursors).orderBy(chainCursors.triggerId);
    const versions = await versionOf();
    mineWith(21n, 2);
    await follower.tick();
    expect(await database.db.select().from(chainCursors).orderBy(chainCursors.triggerId)).toEqual(before);
    expect(await versionOf()).toEqual(versions);
    expect(methods().filter((method) => method === 'eth_getBalance')).toHaveLength(1);
  });

  test('one that cannot be read is read in a later block, and stops nothing else', async () => {
    const id = await add(balance({ above: '10', token: TOKEN }));
    const events = await add({ every: 1 });
    const broken = { ...nodeOf(chain), balances: () => Promise.reject(new Error('no state')) };
    mineWith(0n, 4);
    await sync(createFollower(database.db, chain, broken));
    expect([await inForce(events), await inForce(id)]).toEqual([[1, 2, 3, 4], []]);
    chain.state.balances.set(`${ADDRESS} ${TOKEN}`, 1n);
    mineWith(0n, 2);
    await sync();
    chain.state.balances.delete(`${ADDRESS} ${TOKEN}`);
    mineWith(0n, 2);
    await sync();
    chain.state.balances.set(`${ADDRESS} ${TOKEN}`, 11n);
    mineWith(0n, 2);
    await sync();
    expect(await inForce(id)).toEqual([10]);
  });

  test('a full queue keeps the change for later', async () => {
    const id = await addBlockTrigger(database.db, balance({ below: '10' }), { maxQueuedRuns: 1 });
    const follower = createFollower(database.db, chain);
    await sync(follower);
    for (const amount of [20n, 5n, 20n, 5n]) {
      mineWith(amount, 2);
      await follower.tick();
    }
    expect(await inForce(id)).toEqual([4]);
    mineWith(5n, 2);
    await follower.tick();
    await database.db.update(runs).set({ status: 'success' });
    await sync(follower);
    expect(await inForce(id)).toEqual([4, 10]);
  });

  test.each([
    ['drop', []],
    ['fire', [6]],
  ] as const)('a change during a pause: %s', async (paused_events, blocks) => {
    const id = await add({ ...balance({ below: '10' }), paused_events });
    const follower = createFollower(database.db, chain);
    mineWith(20n, 2);
    await sync(follower);
    await patchTrigger(database.db, chain, id, { enabled: false });
    mineWith(5n, 3);
    await follower.tick();
    await patchTrigger(database.db, chain, id, { enabled: true });
    mineWith(5n, 1);
    await sync(follower);
    expect(await inForce(id)).toEqual(blocks);
  });
});
