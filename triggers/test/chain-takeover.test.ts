/** Several processes on one chain: one reads it, and another one goes on when it ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@latchkey/service/logger';
import { spawnService } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chainPositions, runs, triggers } from '../src/db/schema.ts';
import { createChainFollower } from '../src/sources/chain-follower.ts';
import { serveAnnounced } from './chain-node.ts';
import {
  addTrigger,
  clearChains,
  createFollower,
  filled,
  listFirings,
  logName,
  nodeOf,
} from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase, settingsFor } from './database.ts';
import { createStandInChain, type StandInChain } from './stand-in-chain.ts';

let database: OpenTestDatabase;
let chain: StandInChain;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await clearChains(database.db);
  chain = createStandInChain();
});

const log = createLogger({ name: 'test', level: 'silent' });
const worker = { wake: () => {} };
const follow = (leaseMs: number) =>
  createChainFollower({ db: database.db, log, worker, leaseMs }, 'service', nodeOf(chain));
const blocksOf = async (id: string) => (await listFirings(database.db, id)).map(({ block }) => block);

test('a process stands by while another one has the chain, and goes on when that one stops', async () => {
  const id = await addTrigger(database.db, { start_block: 1 });
  const [first, second] = [follow(60_000), follow(60_000)];
  expect([await first.tick(), await second.tick()]).toEqual(['following', 'standby']);
  chain.mine([filled(1)]);
  await first.tick();
  const asked = chain.requests.length;
  expect(await second.tick()).toBe('standby');
  // It asks its node for nothing, and tells the newest block that the other process knows.
  expect([chain.requests.length, second.head()]).toEqual([asked, 1n]);
  chain.mine([filled(2)]);
  await first.release();
  expect(await second.tick()).toBe('following');
  expect(await first.tick()).toBe('standby');
  expect(await blocksOf(id)).toEqual([1, 2]);
});

test('a process goes on when the lease of another one has expired', async () => {
  const id = await addTrigger(database.db, { start_block: 1 });
  const [killed, second] = [follow(300), follow(300)];
  await killed.tick();
  chain.mine([filled(1)]);
  expect(await second.tick()).toBe('standby');
  await until('the lease expires', async () => (await second.tick()) === 'following', 5_000);
  expect(await blocksOf(id)).toEqual([1]);
});

test('a process that has lost the chain does not move it past a trigger that it does not know', async () => {
  const { db } = database;
  await addTrigger(db, { start_block: 1, contract_address: `0x${'22'.repeat(20)}` });
  const reading = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const node = nodeOf(chain);
  let isSlow = false;
  const slow = createFollower(db, chain, {
    ...node,
    async logs(filter) {
      if (isSlow) {
        reading.resolve();
        await held.promise;
      }
      return node.logs(filter);
    },
  });
  await slow.tick();
  isSlow = true;
  chain.mine([filled(1, `0x${'22'.repeat(20)}`), filled(2)]);
  const ticking = slow.tick();
  await reading.promise;
  // Another process takes the chain. Its node is a block behind, so that the new trigger is live before the block.
  const behind = createStandInChain();
  const id = await addTrigger(db, { start_block: 1 });
  expect(await createFollower(db, behind).tick()).toBe('following');
  held.resolve();
  expect(await ticking).toBe('standby');
  await createFollower(db, chain).tick();
  expect(await blocksOf(id)).toEqual([1]);
});

test('with processes that are killed one after another, each log fires once, within seconds', async () => {
  const { db, url } = database;
  const id = await addTrigger(db, { start_block: 1 });
  await db
    .update(triggers)
    .set({ heldUntil: new Date('2100-01-01') })
    .where(eq(triggers.id, id));
  await using node = await serveAnnounced(chain);
  const settings = {
    ...settingsFor({ url }),
    SERVICE_RPC_URL: node.url,
    RELAYER_URLS: 'http://127.0.0.1:1',
    LOG_LEVEL: 'error',
  };
  const spawn = () => spawnService('triggers', settings);
  const processes = [await spawn(), await spawn()];
  let lastMs = 0;
  try {
    for (const service of processes) await service.ready();
    const mineUntil = async (count: number) => {
      const startedMs = performance.now();
      await until(`${count} runs`, async () => {
        node.mine([filled(1), filled(2)]);
        await delay(50);
        return (await db.$count(runs)) >= count;
      });
      lastMs = performance.now() - startedMs;
    };
    await mineUntil(20);
    for (let round = 0; round < 3; round++) {
      const holder = await db.select().from(chainPositions);
      expect(holder).toHaveLength(1);
      await processes[round % 2]?.stop('SIGKILL');
      await mineUntil((await db.$count(runs)) + 20);
      expect(lastMs).toBeLessThan(15_000);
      processes[round % 2] = await spawn();
    }
    await until(
      'all logs fire',
      async () => (await db.$count(runs)) === chain.logs(chain.head()).length,
      15_000,
    );
    const fired = (await listFirings(db, id)).map(({ log: name }) => name).sort();
    expect(fired).toEqual(chain.logs(chain.head()).map(logName).sort());
  } finally {
    for (const service of processes) await service.stop('SIGKILL');
  }
}, 120_000);
