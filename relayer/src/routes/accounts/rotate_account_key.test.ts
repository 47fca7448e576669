import { apiKeyHash } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  describeBadBodies,
  describeBadKeys,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  post,
} from '@latchkey/testing/stack';
import { beforeAll, describe, expect, test } from 'vitest';
import { CENT, readCredit } from '../../../test/credit.ts';

const rotate = (key: string, next: string, headers?: Record<string, string>) =>
  post('rotate_account_key', { new_api_key: next }, key, headers);

let account: Account;
beforeAll(async () => {
  account = await newAccount();
});

describe('200', () => {
  test('the new key has everything of the account; the old one is 401 from the very next request', async () => {
    const { key, hash } = await newAccount();
    const group = await addGroup(key);
    const usageKey = await addUsageKey(key, { execute_in_groups: [group] });
    const credit = await readCredit({ 'X-Api-Key': key });
    const next = newKeyText();
    expectWritten(await rotate(key, next));
    expectError(await get('list_groups', key), 401);
    expect((await get('list_groups', next)).body).toMatchObject([{ id: hex(BigInt(group)) }]);
    expect((await get('list_api_keys', next)).body).toMatchObject([
      { api_key_hash: hex(apiKeyHash(usageKey)) },
    ]);
    expect((await get('list_groups', usageKey)).status).toBe(200);
    expect(await readCredit({ 'X-Api-Key': next })).toBe(credit - CENT);
    const admins = [key, next].map((of) => get(`account_admin?account=${hex(apiKeyHash(of))}`));
    const [former, current] = await Promise.all(admins);
    expect(former?.status).toBe(404);
    expect(current?.body).toMatchObject({ account: hex(hash), managed: true });
    await addGroup(next);
  });

  test('by the hash of the new key, and a second time', async () => {
    const { key } = await newAccount();
    const [second, third] = [newKeyText(), newKeyText()];
    expectWritten(await rotate(key, hex(apiKeyHash(second))));
    expectWritten(await rotate(second, third));
    for (const old of [key, second]) expectError(await get('list_groups', old), 401);
    expect((await get('list_groups', third)).status).toBe(200);
  });

  test('a retry after a lost reply is 401, and the new key works', async () => {
    const { key } = await newAccount();
    const next = newKeyText();
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    expectWritten(await rotate(key, next, headers));
    expectError(await rotate(key, next, headers), 401);
    expect((await get('list_groups', next)).status).toBe(200);
  });
});

describe('409', () => {
  test('a key in use, and an earlier account key of any account', async () => {
    const { key } = await newAccount();
    const usageKey = await addUsageKey(key);
    const other = await newAccount();
    for (const used of [key, usageKey, other.key]) expectError(await rotate(key, hex(apiKeyHash(used))), 409);
    const next = newKeyText();
    expectWritten(await rotate(key, next));
    expectError(await rotate(next, hex(apiKeyHash(key))), 409);
    expectError(await rotate(other.key, hex(apiKeyHash(key))), 409);
  });
});

describeBadBodies('rotate_account_key', 400, () => account.key, [
  { new_api_key: '' },
  { new_api_key: 'guessable' },
  { new_api_key: 'A'.repeat(44) },
]);
describeBadBodies('rotate_account_key', 422, () => account.key, [{}, { new_api_key: null }]);
describeBadKeys('POST', 'rotate_account_key', {});

test('returns 403 for a usage key', async () => {
  expectError(await rotate(await addUsageKey(account.key), newKeyText()), 403);
});
