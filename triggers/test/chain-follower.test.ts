/** Followers of a stand-in chain: backfill, full queues, replicas and retractions. */
import { eq } from 'drizzle-orm';
import { encodeAbiParameters, getAddress, numberToHex, pad } from 'viem';
import { expect, test, vi } from 'vitest';
import { chainCursors, firedLogs, runs, triggers } from '../src/db/schema.ts';
import { useChainDatabase } from './chain-setup.ts';
import {
  addTrigger,
  CONTRACT,
  createFollower,
  filled,
  listFirings,
  logName,
  SIGNATURE,
  syncToHead,
} from './chain-triggers.ts';
import { createStandInChain, type NewLog } from './stand-in-chain.ts';

const none: NewLog[][] = Array.from({ length: 200 }, () => []);

const database = useChainDatabase();

test('the action receives the event', async () => {
  const { db } = database;
  const chain = createStandInChain();
  const data = encodeAbiParameters([{ type: 'bytes' }], ['0xbeef']);
  const log: NewLog = { ...filled(7), data };
  chain.mine([], [filled(6, `0x${'22'.repeat(20)}`), log]);
  const id = await addTrigger(db);
  await syncToHead(db, chain, createFollower(db, chain));
  const [run] = await db.select().from(runs).where(eq(runs.triggerId, id));
  const [, { blockHash, transactionHash } = { blockHash: '', transactionHash: '' }] = chain.logs(2);
  expect(run?.input).toEqual({
    source: 'chain_event',
    event: {
      chain_key: 'service',
      chain_id: 31_337,
      contract_address: CONTRACT,
      event_signature: SIGNATURE,
      topic0: log.topics[0],
      topics: log.topics,
      data,
      block_number: 2,
      transaction_hash: transactionHash,
      log_index: 1,
      decoded: { arg0: '7', arg1: '0xbeef', id: '7', note: '0xbeef' },
      raw_log: {
        address: CONTRACT,
        topics: log.topics,
        data,
        blockNumber: '0x2',
        blockHash,
        transactionHash,
        transactionIndex: '0x0',
        logIndex: '0x1',
        removed: false,
      },
    },
  });
});

test('reads 1,000 final blocks in bounded ranges while new blocks fire immediately', async () => {
  const { db } = database;
  const chain = createStandInChain({ maxRange: 64n });
  chain.mine(
    ...Array.from({ length: 1_000 }, (_, index) => (index % 5 === 0 ? [filled(index % 200)] : [])),
    ...none,
  );
  const live = await addTrigger(db, { start_block: chain.head() + 1 });
  const old = await addTrigger(db, { start_block: 1 });
  const follower = createFollower(db, chain);
  const seenWhileBehind: number[] = [];
  for (let rounds = 0; rounds < 5; rounds++) {
    chain.mine([filled(1)]);
    await follower.tick();
    const isBehind = (await listFirings(db, old)).length < 200;
    if (isBehind) seenWhileBehind.push((await listFirings(db, live)).length);
  }
  await syncToHead(db, chain, follower);
  // New blocks did not wait for the final ones.
  expect(seenWhileBehind.slice(0, 1)).toEqual([1]);
  for (const [id, from] of [
    [live, 1_201],
    [old, 1],
  ] as const) {
    const wanted = chain.logs(chain.head()).filter(({ blockNumber }) => Number(blockNumber) >= from);
    expect((await listFirings(db, id)).map(({ log }) => log).sort()).toEqual(wanted.map(logName).sort());
  }
  const ranges = chain.requests.flatMap(({ method, params: [filter] }) => {
    const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock?: string; toBlock?: string };
    return method === 'eth_getLogs' && fromBlock ? [Number(toBlock) - Number(fromBlock) + 1] : [];
  });
  // The range is halved from 1,000 to below the provider's limit of 64, and then probed upwards again.
  expect(ranges.slice(0, 5)).toEqual([1_000, 500, 250, 125, 62]);
  expect(ranges.length).toBeLessThan(60);
});

test('a user with many triggers does not delay the final blocks of another user', async () => {
  const { db } = database;
  const chain = createStandInChain({ maxRange: 100n });
  chain.mine(...Array.from({ length: 1_500 }, () => []));
  for (let n = 0; n < 40; n++) await addTrigger(db, { start_block: 1 });
  const contract_address = `0x${'33'.repeat(20)}` as const;
  await addTrigger(db, { contract_address, start_block: 1 }, { account: `0x${'1'.repeat(64)}` });
  await syncToHead(db, chain, createFollower(db, chain));
  const addresses = chain.requests.flatMap(({ method, params: [filter] }) => {
    const { address = [], fromBlock } = (filter ?? {}) as { address?: string[]; fromBlock?: string };
    return method === 'eth_getLogs' && fromBlock ? address : [];
  });
  const [all, last] = [addresses.length, addresses.lastIndexOf(contract_address)];
  expect(addresses.filter((address) => address === contract_address).length).toBeGreaterThan(15);
  // Users take turns.
  expect(last).toBeLessThan(all / 4);
});

test('a user with many triggers does not delay the recent blocks of another user', async () => {
  const { db } = database;
  const chain = createStandInChain();
  for (let n = 0; n < 20; n++) await addTrigger(db, { start_block: 1 });
  const other = await addTrigger(db, { start_block: 1 }, { account: `0x${'1'.repeat(64)}` });
  chain.mine([filled(1)]);
  await syncToHead(db, chain, createFollower(db, chain));
  const fired = await db.select({ id: runs.triggerId, at: runs.createdAt }).from(runs);
  expect(fired).toHaveLength(21);
  const otherAt = fired.find(({ id }) => id === other)?.at as Date;
  // The other user's turn is the second. Four triggers are read concurrently, so it can end later, but not among the last of 21.
  expect(fired.filter(({ at }) => at < otherAt).length).toBeLessThan(15);
});

test('splits filters with more contracts than a node accepts', async () => {
  const { db } = database;
  const chain = createStandInChain({ maxAddresses: 500 });
  const addresses = Array.from({ length: 501 }, (_, n) => pad(numberToHex(n + 1), { size: 20 }));
  const ids: string[] = [];
  for (const contract_address of addresses)
    ids.push(await addTrigger(db, { contract_address, start_block: 1 }));
  chain.mine(addresses.map((address, n) => filled(n % 200, address)));
  await syncToHead(db, chain, createFollower(db, chain));
  const fired = await db.select({ triggerId: runs.triggerId }).from(runs);
  expect(fired.map(({ triggerId }) => triggerId).sort()).toEqual(ids.sort());
});

test('a full queue stops the cursor, and no log is lost', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1), filled(2), filled(3)], [filled(4)], []);
  const id = await addTrigger(db, { start_block: 1 }, { maxQueuedRuns: 2 });
  const follower = createFollower(db, chain);
  const next = async () =>
    (await db.select().from(chainCursors).where(eq(chainCursors.triggerId, id)))[0]?.nextBlock;
  const drain = () => db.update(runs).set({ status: 'success' }).where(eq(runs.triggerId, id));
  await follower.tick();
  expect(await listFirings(db, id)).toHaveLength(2);
  expect(await next()).toBe(1n);
  vi.setSystemTime(Date.now() + 60_000);
  await follower.tick();
  expect(await listFirings(db, id)).toHaveLength(2);
  await drain();
  vi.setSystemTime(Date.now() + 60_000);
  await follower.tick();
  expect((await listFirings(db, id)).map(({ log }) => log)).toEqual(chain.logs(3).map(logName));
  expect(await next()).toBe(4n);
});

test('a reorg deeper than confirmations retracts runs, and an undone reorg restores them', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine(...none, [filled(1)], []);
  const [lost] = chain.logs(chain.head());
  const quiet = await addTrigger(db, { confirmations: 1 });
  const told = await addTrigger(db, { confirmations: 1, fire_on_retraction: true });
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  chain.reorg(2, [[], [], []]);
  await syncToHead(db, chain, follower);
  const name = logName(lost ?? { blockHash: '', logIndex: 0 });
  const shape = async (id: string) =>
    (await listFirings(db, id)).map(({ log, retracted, isRetraction }) => [
      log === name,
      retracted,
      isRetraction,
    ]);
  expect(await shape(quiet)).toEqual([[true, true, false]]);
  expect(await shape(told)).toEqual([
    [true, true, false],
    [true, false, true],
  ]);
  // The dropped branch becomes the chain again.
  chain.revive(lost?.blockHash ?? '0x', [[], [], [], []]);
  await syncToHead(db, chain, createFollower(db, chain));
  expect(await shape(quiet)).toEqual([[true, false, false]]);
  expect(await shape(told)).toEqual([
    [true, true, false],
    [true, false, true],
    [true, false, false],
  ]);
});

test('a reorg within confirmations fires and retracts nothing', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([], [filled(1)], []);
  const id = await addTrigger(db, { confirmations: 2, fire_on_retraction: true });
  const follower = createFollower(db, chain);
  await follower.tick();
  chain.reorg(2, [[], [filled(2)], [], []]);
  await syncToHead(db, chain, follower);
  expect((await listFirings(db, id)).map(({ log }) => log)).toEqual(chain.logs(chain.head()).map(logName));
});

test('four replicas fire each log once', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine(...none, ...Array.from({ length: 30 }, () => [filled(1), filled(2)]));
  const id = await addTrigger(db);
  const replicas = Array.from({ length: 4 }, () => createFollower(db, chain));
  const tickAll = () =>
    Promise.all(replicas.map((replica) => replica.tick().then(() => replica.backfilled())));
  for (let rounds = 0; rounds < 3; rounds++) {
    await tickAll();
    chain.mine([filled(3)]);
  }
  for (const replica of replicas) await syncToHead(db, chain, replica);
  expect((await listFirings(db, id)).map(({ log }) => log).sort()).toEqual(
    chain.logs(chain.head()).map(logName).sort(),
  );
});

test('a node that lags retracts nothing', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine(...none, [filled(1)]);
  const id = await addTrigger(db);
  await syncToHead(db, chain, createFollower(db, chain));
  const behind = createStandInChain();
  behind.mine(...none.slice(1));
  const follower = createFollower(db, behind);
  await follower.tick();
  await follower.backfilled();
  expect((await listFirings(db, id)).map(({ retracted }) => retracted)).toEqual([false]);
});

test('an enabled trigger continues at its cursor; another event resets the cursor', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1)]);
  const id = await addTrigger(db);
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  const set = (change: Partial<typeof triggers.$inferInsert>) =>
    db
      .update(triggers)
      .set({ ...change, updatedAt: new Date(Date.now() + 1) })
      .where(eq(triggers.id, id));
  await set({ enabled: false });
  chain.mine([filled(2)]);
  await follower.tick();
  expect(await listFirings(db, id)).toHaveLength(1);
  await set({ enabled: true });
  await syncToHead(db, chain, follower);
  expect(await listFirings(db, id)).toHaveLength(2);

  const [{ config } = { config: {} }] = await db.select().from(triggers).where(eq(triggers.id, id));
  const other = filled(3, `0x${'22'.repeat(20)}`);
  await set({ config: { ...config, contract_address: other.address, start_block: 3 } });
  chain.mine([other, filled(4)]);
  await syncToHead(db, chain, follower);
  expect((await listFirings(db, id)).map(({ block }) => block)).toEqual([1, 2, 3]);
});

test('an RPC node of another chain fires nothing', async () => {
  const { db } = database;
  const chain = createStandInChain({ chainId: 1 });
  chain.mine([filled(1)]);
  const id = await addTrigger(db);
  await createFollower(db, chain).tick();
  expect(await listFirings(db, id)).toEqual([]);
});

test('final logs are deleted and do not fire again', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1)], ...none, ...none, [filled(2)]);
  const id = await addTrigger(db);
  await syncToHead(db, chain, createFollower(db, chain));
  const kept = await db.select().from(firedLogs).where(eq(firedLogs.triggerId, id));
  expect(kept.map(({ blockNumber }) => blockNumber)).toEqual([402n]);
  await syncToHead(db, chain, createFollower(db, chain));
  expect(await listFirings(db, id)).toHaveLength(2);
});

test('a log that does not match `if` fires nothing, and the cursor advances', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1), filled(2)], [filled(3)], [filled(2)], []);
  const id = await addTrigger(db, { if: 'args.id == 2' });
  const broken = await addTrigger(db, { if: 'args.other == 2' });
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  expect((await listFirings(db, id)).map(({ block }) => block)).toEqual([1, 3]);
  expect(await listFirings(db, broken)).toEqual([]);
  const stored = await db.select().from(triggers).where(eq(triggers.id, broken));
  expect(stored[0]?.filterError?.message).toBe('No such key: other');
  // A reorg brings a log that matches, and one that does not.
  chain.reorg(1, [[filled(2), filled(1)], []]);
  await syncToHead(db, chain, follower);
  expect((await listFirings(db, id)).filter(({ retracted }) => !retracted)).toHaveLength(3);
});

test('each contract of a trigger fires, in final and in recent blocks', async () => {
  const { db } = database;
  const chain = createStandInChain({ maxAddresses: 2 });
  const [second, third] = [`0x${'ab'.repeat(20)}`, `0x${'33'.repeat(20)}`] as const;
  const all = [filled(1), filled(2, second), filled(3, third)];
  chain.mine(all, ...none);
  const id = await addTrigger(db, { contract_addresses: [CONTRACT, second] });
  const follower = createFollower(db, chain);
  await syncToHead(db, chain, follower);
  chain.mine(all);
  await syncToHead(db, chain, follower);
  const fired = await db.select().from(runs).where(eq(runs.triggerId, id)).orderBy(runs.createdAt);
  const contracts = fired.map(({ input }) => (input.event as { contract_address: string }).contract_address);
  expect(contracts).toEqual([CONTRACT, getAddress(second), CONTRACT, getAddress(second)]);
});
