import {
  addGroup,
  createWallet,
  expectError,
  expectWritten,
  get,
  newAccount,
  post,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();

test('returns 200 with the wallets of the group only', async () => {
  const { key } = await newAccount();
  const [inside] = [await createWallet(key), await createWallet(key)];
  const group = await addGroup(key, { pkp_ids_permitted: [inside] });
  const reply = await get(`list_wallets_in_group?group_id=${group}`, key);
  expect(reply).toMatchObject({ status: 200, body: [{ wallet_address: inside, name: 'test' }] });
  expect(reply.headers.get('x-total-count')).toBe('1');
  expect((await get('list_wallets_in_group?group_id=0x1&page_number=1', key)).body).toEqual([]);
});

describe('400', () => {
  test.each(['group_id=x', 'group_id=-1', 'group_id=1&page_size=0'])('%s', async (query) => {
    expectError(await get(`list_wallets_in_group?${query}`, account.key), 400);
  });
});

test('returns 404 for an unknown or removed group', async () => {
  expectError(await get('list_wallets_in_group?group_id=5', account.key), 404);
  const group_id = await addGroup(account.key);
  expectWritten(await post('remove_group', { group_id }, account.key));
  expectError(await get(`list_wallets_in_group?group_id=${group_id}`, account.key), 404);
});

test('returns 422 without group_id', async () => {
  expectError(await get('list_wallets_in_group', account.key), 422);
});
