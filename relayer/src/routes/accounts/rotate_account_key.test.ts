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
  post,
} from '@latchkey/testing/stack';
import { beforeAll, describe, expect, test } from 'vitest';

const newKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
const rotate = (key: string, next: string, headers?: Record<string, string>) =>
  post('rotate_account_key', { new_api_key: next }, key, headers);

const creditOf = async (key: string): Promise<number> =>
  ((await get('billing/balance', key)).body as { credit_micros: number }).credit_micros;

let account: Account;
beforeAll(async () => {
  account = await newAccount();
});

describe('200', () => {
  test('the new key has everything of the account; the old one is 401 from the very next request', async () => {
    const { key } = await newAccount();
    const group = await addGroup(key);
    const usageKey = await addUsageKey(key, { execute_in_groups: [group] });
    const credit = await creditOf(key);
    const next = newKey();
    expectWritten(await rotate(key, next));
    expectError(await get('list_groups', key), 401);
    expect((await get('list_groups', next)).body).toMatchObject([{ id: hex(BigInt(group)) }]);
    expect((await get('list_api_keys', next)).body).toMatchObject([
      { api_key_hash: hex(apiKeyHash(usageKey)) },
    ]);
    expect((await get('list_groups', usageKey)).status).toBe(200);
    const left = await creditOf(next);
    expect(left).toBeLessThan(credit);
    expect(left).toBeGreaterThan(0);
    await addGroup(next);
  });

  test('by the hash of the new key, and a second time', async () => {
    const { key } = await newAccount();
    const [second, third] = [newKey(), newKey()];
    expectWritten(await rotate(key, hex(apiKeyHash(second))));
    expectWritten(await rotate(second, third));
    for (const old of [key, second]) expectError(await get('list_groups', old), 401);
    expect((await get('list_groups', third)).status).toBe(200);
  });

  test('a retry after a lost reply is 401, and the new key works', async () => {
    const { key } = await newAccount();
    const next = newKey();
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
    const next = newKey();
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
  expectError(await rotate(await addUsageKey(account.key), newKey()), 403);
});
