/** Chain followers on anvil, over HTTP and websocket. */
import { createLogger } from '@latchkey/service/logger';
import { type Chain, startChain } from '@latchkey/testing/chain';
import { until } from '@latchkey/testing/until';
import { type Hex, numberToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChainFollowers } from '../src/sources/chain-followers.ts';
import { addTrigger, CONTRACT, clearChains, filled, listFirings } from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase } from './database.ts';

/** Contract that emits its calldata as a log: two topics of 32 bytes, then the data. */
const EMITTER: Hex = '0x60403603806040600037602035600035826000a200';

let database: OpenTestDatabase;
let chain: Chain;
beforeAll(async () => {
  [database, chain] = await Promise.all([openTestDatabase(), startChain()]);
  await chain.client.setCode({ address: CONTRACT, bytecode: EMITTER });
});
afterAll(async () => {
  await database.dispose();
  await chain[Symbol.asyncDispose]();
});

const callData = (id: number): Hex => {
  const { topics, data = '0x' } = filled(id);
  return `0x${[...topics, data].map((hex) => hex.slice(2)).join('')}`;
};

async function emit(id: number): Promise<void> {
  const [account] = await chain.client.getAddresses();
  if (!account) throw new Error('no account');
  const hash = await chain.client.sendTransaction({
    account,
    to: CONTRACT,
    data: callData(id),
    gas: 200_000n,
  });
  await chain.client.waitForTransactionReceipt({ hash });
}

describe.each(['url', 'wsUrl'] as const)('%s', (transport) => {
  test('fires logs, retracts them on a reorg, and fires the new ones', async () => {
    const { db } = database;
    await clearChains(db);
    const start = Number(await chain.client.getBlockNumber()) + 1;
    const id = await addTrigger(db, { start_block: start, fire_on_retraction: true });
    const urls = { service: [chain[transport]], ethereum: undefined, base: undefined };
    const rest = { arbitrum: undefined, bsc: undefined, polygon: undefined };
    const log = createLogger({ name: 'test', level: 'silent' });
    const worker = { wake: () => {}, running: () => 0, close: async () => {} };
    const followers = startChainFollowers({ db, log, worker }, { ...urls, ...rest });
    try {
      const firings = (count: number) =>
        until(`${count} runs`, async () => {
          const all = await listFirings(db, id);
          return all.length >= count && all;
        });
      for (const each of [1, 2, 3]) await emit(each);
      expect((await firings(3)).map(({ retracted }) => retracted)).toEqual([false, false, false]);

      const [account] = await chain.client.getAddresses();
      const again = { from: account, to: CONTRACT, data: callData(9), gas: numberToHex(200_000) };
      await chain.client.request({ method: 'anvil_reorg', params: [2, [[again, 0]]] } as never);
      await chain.client.mine({ blocks: 1 });
      const all = await firings(6);
      const counts = [all.filter((each) => each.retracted), all.filter((each) => each.isRetraction)];
      expect(counts.map(({ length }) => length)).toEqual([2, 2]);
      const held = all.filter((each) => !each.retracted && !each.isRetraction);
      const onChain = await chain.client.getLogs({ address: CONTRACT, fromBlock: BigInt(start) });
      expect(held.map(({ log }) => log).sort()).toEqual(
        onChain.map(({ blockHash, logIndex }) => `${blockHash}:${logIndex}`).sort(),
      );
    } finally {
      await followers.close();
    }
  });
});
