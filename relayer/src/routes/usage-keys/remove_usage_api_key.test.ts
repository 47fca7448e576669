import { apiKeyHash } from '@latchkey/protocol';
import {
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();

describe('200', () => {
  test('refuses the key with 401 from the very next request; other keys work', async () => {
    const { key, hash } = await newAccount();
    const [removed, kept] = [await addUsageKey(key), await addUsageKey(key)];
    expect((await get('list_groups', removed)).status).toBe(200);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: removed }, key));
    expectError(await get('list_groups', removed), 401);
    expect((await get('list_groups', kept)).status).toBe(200);
    expect(await read('listApiKeys', [hash, 0n, 10n])).toMatchObject([{ usageApiKeyHash: apiKeyHash(kept) }]);
  });

  test('accepts the hash of the key', async () => {
    const usageKey = await addUsageKey(account.key);
    expectWritten(
      await post('remove_usage_api_key', { usage_api_key: hex(apiKeyHash(usageKey)) }, account.key),
    );
    expectError(await get('list_groups', usageKey), 401);
  });
});

describeBadBodies('remove_usage_api_key', 400, () => account.key, [
  { usage_api_key: '' },
  { usage_api_key: 'x'.repeat(513) },
]);

test('returns 403 for a usage key that removes itself', async () => {
  const usageKey = await addUsageKey(account.key);
  expectError(await post('remove_usage_api_key', { usage_api_key: usageKey }, usageKey), 403);
  expect((await get('list_groups', usageKey)).status).toBe(200);
});

describe('404', () => {
  test('a removed key, and the key of another account', async () => {
    const usageKey = await addUsageKey(account.key);
    const other = await newAccount();
    expectError(await post('remove_usage_api_key', { usage_api_key: usageKey }, other.key), 404);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: usageKey }, account.key));
    expectError(await post('remove_usage_api_key', { usage_api_key: usageKey }, account.key), 404);
  });
});

describeBadBodies('remove_usage_api_key', 422, () => account.key, [{}, { usage_api_key: null }]);
