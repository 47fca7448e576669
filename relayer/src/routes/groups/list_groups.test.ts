import {
  addGroup,
  addUsageKey,
  createWallet,
  expectError,
  get,
  hex,
  newAccount,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();

describe('200', () => {
  test('returns a bare array with contents, labels and count, also to usage keys', async () => {
    const { key } = await newAccount();
    const wallet = await createWallet(key);
    await addGroup(key);
    await addGroup(key, { pkp_ids_permitted: [wallet], cid_hashes_permitted: [hex(0n)] });
    for (const reader of [key, await addUsageKey(key)]) {
      const reply = await get('list_groups', reader);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('x-total-count')).toBe('2');
      expect(reply.body).toEqual([
        { id: hex(1n), name: 'test', description: '', cid_hashes_permitted: [], pkp_ids_permitted: [] },
        {
          id: hex(2n),
          name: 'test',
          description: '',
          cid_hashes_permitted: [hex(0n)],
          pkp_ids_permitted: [wallet],
        },
      ]);
    }
    expect((await get('list_groups?page_number=1&page_size=1', key)).body).toMatchObject([{ id: hex(2n) }]);
    expect((await get('list_groups?page_number=9', key)).body).toEqual([]);
  });

  test('returns only the groups of the account', async () => {
    await addGroup(account.key);
    expect((await get('list_groups', (await newAccount()).key)).body).toEqual([]);
  });

  test('reflects a write in the next read', async () => {
    const { key } = await newAccount();
    for (let count = 1; count <= 5; count++) {
      await addGroup(key);
      expect((await get('list_groups', key)).body).toHaveLength(count);
    }
  });
});

describe('400', () => {
  test.each(['page_size=0', 'page_size=1001', 'page_number=-1', 'page_number=x'])('%s', async (query) => {
    expectError(await get(`list_groups?&${query}`, account.key), 400);
  });
});

test('returns 400 for a block far ahead of the chain', async () => {
  expectError(await get('list_groups', account.key, { 'X-Min-Block': '99999999' }), 400);
});
