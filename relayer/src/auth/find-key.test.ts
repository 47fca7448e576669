import { createRateLimit } from '@latchkey/http';
import { describe, expect, test } from 'vitest';
import { findKey } from './find-key.ts';

const key = (hash: bigint) =>
  ({
    hash,
    account: 7n,
    adminWallet: '0x',
    managed: true,
    isUsageKey: true,
    isAccepted: true,
    expiration: 0n,
    minBlock: 0n,
    accountHead: 0n,
  }) as const;

/** A limit of three misses per minute. Keys below 100 exist; the ones found before are known. */
function createFinder() {
  const state = { asked: 0, isDown: false };
  const known = new Set<bigint>();
  const context = {
    keyRegistry: {
      isKnown: (hash: bigint) => known.has(hash),
      find: async (hash: bigint) => {
        state.asked++;
        if (state.isDown) throw new Error('down');
        if (hash >= 100n) return undefined;
        known.add(hash);
        return key(hash);
      },
      findRecent: async () => undefined,
      findUnaccepted: async () => undefined,
    },
    unknownKeyLimit: createRateLimit({ name: 'test', points: 3, message: 'Too many.' }),
  };
  const find = (hash: bigint, ip = '192.0.2.1') => findKey(context, { hash, minBlock: 0n, ip });
  return { state, find };
}
const tooMany = expect.objectContaining({ status: 429, retryAfterSec: expect.any(Number) });

describe('misses of one address', () => {
  test('throw 429 above the limit without a call to the chain, and do not affect other addresses', async () => {
    const { state, find } = createFinder();
    for (const hash of [100n, 101n, 102n]) expect(await find(hash)).toBeUndefined();
    await expect(find(103n)).rejects.toThrow(tooMany);
    expect(state.asked).toBe(3);
    expect(await find(103n, '192.0.2.2')).toBeUndefined();
  });

  test('count for the whole /64', async () => {
    const { find } = createFinder();
    for (const end of [1, 2, 3]) await find(100n, `2001:db8::${end}`);
    await expect(find(100n, '2001:db8::4')).rejects.toThrow(tooMany);
    expect(await find(100n, '2001:db8:0:1::1')).toBeUndefined();
  });

  test('that are concurrent cannot exceed the limit', async () => {
    const { state, find } = createFinder();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => find(100n + BigInt(i))));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(state.asked).toBe(3);
  });

  test('do not lock out a key that was found before', async () => {
    const { find } = createFinder();
    await find(1n);
    for (let miss = 0; miss < 3; miss++) await find(100n);
    await expect(find(2n)).rejects.toThrow(tooMany);
    expect(await find(1n)).toMatchObject({ hash: 1n });
  });
});

test('existing keys and chain outages do not count as misses', async () => {
  const { state, find } = createFinder();
  for (let hash = 1n; hash < 50n; hash++) expect(await find(hash)).toBeDefined();
  state.isDown = true;
  for (let attempt = 0; attempt < 10; attempt++) await expect(find(50n)).rejects.toThrow('down');
  state.isDown = false;
  expect(await find(50n)).toBeDefined();
});
