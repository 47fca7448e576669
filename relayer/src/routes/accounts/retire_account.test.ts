import { accountWalletAddress } from '@latchkey/protocol';
import {
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  post,
  read,
} from '@latchkey/testing/stack';
import { expect, test } from 'vitest';
import { readCredit } from '../../../test/credit.ts';

const retire = (key: string, hash: bigint) => post('retire_account', { api_key_hash: hex(hash) }, key);

const account = await newAccount();

test('returns 200 for the master hash, also after a rotation; all keys are 401 from the very next request', async () => {
  const { key, hash } = await newAccount();
  const usageKey = await addUsageKey(key);
  expect((await get('list_groups', usageKey)).status).toBe(200);
  const next = newKeyText();
  expectWritten(
    await post(
      'rotate_account_key',
      { new_api_key: next, new_wallet_address: accountWalletAddress(next) },
      key,
    ),
  );
  expectWritten(await retire(next, hash));
  for (const ended of [next, usageKey]) expectError(await get('list_groups', ended), 401);
  expect(await read('accountExistsAndIsMutable', [hash])).toBe(false);
});

test('returns 400 for the hash of another account, and changes and charges nothing', async () => {
  const credit = await readCredit({ 'X-Api-Key': account.key });
  expectError(await retire(account.key, 1n), 400, /master hash/);
  expect(await readCredit({ 'X-Api-Key': account.key })).toBe(credit);
  expect((await get('list_groups', account.key)).status).toBe(200);
});

describeBadBodies('retire_account', 400, () => account.key, [{ api_key_hash: '0x' }]);
describeBadBodies('retire_account', 422, () => account.key, [{}, { api_key_hash: null }]);
