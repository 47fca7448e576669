import { BlockNotReachedError } from '@latchkey/chain/head-watcher';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { describe, expect, test, vi } from 'vitest';
import { checkChain } from './chain.ts';

const OTHER_CHAIN_ID = 8_453;

/** Checks a node of this chain with block 10 against a database with block 50. */
async function checkBehind(chainId: number) {
  const chain = {
    chainId,
    client: { getChainId: async () => chainId },
    reach: (block: bigint) => Promise.reject(new BlockNotReachedError(block, 10n, false)),
    refreshHead: async () => 10n,
  } as unknown as Parameters<typeof checkChain>[0];
  const heads = { highest: async () => 50n, lower: vi.fn(async () => {}) };
  const log = { warn: vi.fn() };
  await checkChain(chain, heads, log);
  return { lowered: heads.lower.mock.calls, warnings: log.warn.mock.calls };
}

describe('a start at a node that is behind the stored heads', () => {
  test('keeps the heads and warns: a node that is syncing does not know removals of keys yet', async () => {
    const { lowered, warnings } = await checkBehind(OTHER_CHAIN_ID);
    expect(lowered).toEqual([]);
    expect(warnings).toEqual([
      [expect.objectContaining({ head: '10', known: '50' }), expect.stringContaining('503 until')],
    ]);
  });

  test('lowers the heads on the local chain, which can lose its last blocks', async () => {
    const { lowered, warnings } = await checkBehind(LOCAL_CHAIN_ID);
    expect(lowered).toEqual([[10n]]);
    expect(warnings).toHaveLength(1);
  });
});
