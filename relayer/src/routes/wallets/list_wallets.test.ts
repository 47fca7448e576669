import { addUsageKey, createWallet, expectError, get, hex, newAccount, read } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();

describe('200', () => {
  test('returns address and path of every wallet to account and usage keys', async () => {
    const { key, hash } = await newAccount();
    const wallets = [await createWallet(key), await createWallet(key)];
    const expected = await Promise.all(
      wallets.map(async (wallet) => {
        const path = hex(await read('getWalletDerivation', [hash, wallet]));
        const listed = { name: 'test', description: '', wallet_address: wallet, exportable: true };
        return { ...listed, id: path, derivation_path: path };
      }),
    );
    for (const reader of [key, await addUsageKey(key)]) {
      const reply = await get('list_wallets', reader);
      expect(reply).toMatchObject({ status: 200, body: expected });
      expect(reply.headers.get('x-total-count')).toBe('2');
    }
    expect((await get('list_wallets?page_size=1&page_number=1', key)).body).toEqual([expected[1]]);
    expect((await get('list_wallets?page_number=1', key)).body).toEqual([]);
  });
});

describe('400', () => {
  test.each(['page_size=0', 'page_size=1001', 'page_number=-1', 'page_number=x'])('%s', async (query) => {
    expectError(await get(`list_wallets?&${query}`, account.key), 400);
  });
});
