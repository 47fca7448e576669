import {
  type Account,
  addUsageKey,
  describeBadBodies,
  describeBadKeys,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { beforeAll, expect, test } from 'vitest';

const retire = (key: string, hash: bigint) => post('retire_account', { api_key_hash: hex(hash) }, key);

let account: Account;
beforeAll(async () => {
  account = await newAccount();
});

test('returns 200; all keys of the account are 401 from the very next request', async () => {
  const { key, hash } = await newAccount();
  const usageKey = await addUsageKey(key);
  expect((await get('list_groups', usageKey)).status).toBe(200);
  expectWritten(await retire(key, hash));
  for (const ended of [key, usageKey]) expectError(await get('list_groups', ended), 401);
  expect(await read('accountExistsAndIsMutable', [hash])).toBe(false);
});

test('returns 400 for the hash of another account, and changes nothing', async () => {
  expectError(await retire(account.key, 1n), 400, /master hash/);
  expect((await get('list_groups', account.key)).status).toBe(200);
});

test('returns 403 for a usage key', async () => {
  expectError(await retire(await addUsageKey(account.key), account.hash), 403);
});

describeBadBodies('retire_account', 400, () => account.key, [{ api_key_hash: '0x' }]);
describeBadBodies('retire_account', 422, () => account.key, [{}, { api_key_hash: null }]);
describeBadKeys('POST', 'retire_account', {});
