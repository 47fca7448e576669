import type { Log } from 'viem';
import { expect, test } from 'vitest';
import { isOnChain } from './agreed-logs.ts';

const contract = '0x00000000000000000000000000000000000000Aa';
const log = {
  blockNumber: 7n,
  blockHash: '0xb7',
  logIndex: 2,
  topics: ['0x01', '0x02'],
  data: '0x',
} as unknown as Log;

/** A chain on whose nodes the contract has emitted one log in block 7. */
const reached: bigint[] = [];
const chain = {
  reach: async (block: bigint) => void reached.push(block),
  agreed: async (question: (client: never) => Promise<unknown>) => {
    const getLogs = async (range: object) => {
      expect(range).toEqual({ address: contract, fromBlock: reached.at(-1), toBlock: reached.at(-1) });
      return reached.at(-1) === 7n ? [{ ...log, removed: false }] : [];
    };
    return question({ getLogs } as never);
  },
} as unknown as Parameters<typeof isOnChain>[0];

test('a log that the nodes have is on the chain', async () => {
  expect(await isOnChain(chain, contract, { ...log, removed: false })).toBe(true);
  expect(reached).toEqual([7n]);
});

test.each([
  ['in another block', { blockNumber: 8n, blockHash: '0xb8' }],
  ['of a block that a reorg has dropped', { blockHash: '0xb9' }],
  ['of a block that does not exist yet', { blockNumber: null }],
  ['at another place', { logIndex: 3 }],
  ['of another event', { topics: ['0x03', '0x02'] }],
  ['about another account', { topics: ['0x01', '0x04'] }],
  ['with other data', { data: '0x01' }],
])('a log %s is not', async (_name, fields) => {
  expect(await isOnChain(chain, contract, { ...log, ...fields } as Log)).toBe(false);
});
