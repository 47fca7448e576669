/** Many triggers on one chain. */

import { eq } from 'drizzle-orm';
import { numberToHex, pad } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chainCursors } from '../src/db/schema.ts';
import {
  addTrigger,
  addTriggers,
  clearChains,
  createFollower,
  filled,
  listFirings,
} from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase } from './database.ts';
import { createStandInChain } from './stand-in-chain.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());
beforeEach(() => clearChains(database.db));

const address = (n: number) => pad(numberToHex(n), { size: 20 });
const countLive = () => database.db.$count(chainCursors, eq(chainCursors.isLive, true));
const blocksOf = async (id: string) => (await listFirings(database.db, id)).map(({ block }) => block);

test('2,000 new triggers are read within seconds, and delay no log of another one', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine(...Array.from({ length: 150 }, () => [filled(1, address(7))]));
  const id = await addTrigger(db, { start_block: 151 });
  const follower = createFollower(db, chain);
  await follower.tick();
  // Some of them have older blocks to read.
  await addTriggers(db, 2_000, (n) => ({
    contract_address: address(n + 1),
    start_block: n % 20 ? 151 : 1,
  }));
  // As for a trigger that the API creates.
  await db
    .update(chainCursors)
    .set({ nextBlock: 151n, unread: [[1, 150]] })
    .where(eq(chainCursors.nextBlock, 1n));
  const startedMs = performance.now();
  let slowestMs = 0;
  while ((await countLive()) < 2_001) {
    chain.mine([filled(1), filled(2, address(2_000))]);
    const minedMs = performance.now();
    await follower.tick();
    slowestMs = Math.max(slowestMs, performance.now() - minedMs);
    expect((await blocksOf(id)).at(-1)).toBe(chain.head());
  }
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  expect(slowestMs).toBeLessThan(5_000);
  follower.stop();
  await follower.backfilled();
}, 120_000);

test('a restart reads 20,000 triggers within five seconds', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([]);
  await addTrigger(db, { start_block: 1 });
  await createFollower(db, chain).tick();
  const ids = await addTriggers(db, 20_000, (n) => ({ contract_address: address(n + 1), start_block: 2 }));
  await db.update(chainCursors).set({ isLive: true });
  chain.mine([filled(1, address(20_000))]);
  const startedMs = performance.now();
  await createFollower(db, chain).tick();
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(await blocksOf(ids.at(-1) ?? '')).toEqual([2]);
}, 120_000);

test('however many different confirmations triggers want, a node is asked once for each old block', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine(...Array.from({ length: 400 }, () => []));
  await addTrigger(db, { start_block: 1 });
  await createFollower(db, chain).tick();
  const ids = await addTriggers(db, 100, (n) => ({
    contract_address: address(n + 1),
    start_block: 2,
    confirmations: 150 + n,
  }));
  await db.update(chainCursors).set({ isLive: true });
  const follower = createFollower(db, chain);
  /** Resolves to the blocks that the node was asked for by number. */
  const readNext = async () => {
    const before = chain.requests.length;
    chain.mine([filled(1, address(1)), filled(2, address(100))]);
    await follower.tick();
    return chain.requests
      .slice(before)
      .filter(({ method, params: [which] }) => method === 'eth_getBlockByNumber' && which !== 'latest')
      .length;
  };
  await readNext();
  for (let blocks = 0; blocks < 255; blocks++) expect(await readNext()).toBeLessThan(5);
  expect((await blocksOf(ids[0] ?? '')).at(-1)).toBe(chain.head() - 150);
  expect((await blocksOf(ids[99] ?? '')).at(-1)).toBe(chain.head() - 249);
  follower.stop();
  await follower.backfilled();
}, 120_000);
