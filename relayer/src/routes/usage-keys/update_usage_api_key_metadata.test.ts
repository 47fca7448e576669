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

test('returns 200, changes the labels and keeps the permissions', async () => {
  const { key, hash } = await newAccount();
  const usageKey = await addUsageKey(key, { can_create_groups: true });
  const before = await read('listApiKeys', [hash, 0n, 10n]);
  const body = { usage_api_key: usageKey, name: 'new', description: 'näme ✓' };
  expectWritten(await post('update_usage_api_key_metadata', body, key));
  expect((await get('list_api_keys', key)).body).toMatchObject([
    { name: 'new', description: 'näme ✓', can_create_groups: true },
  ]);
  expect(await read('listApiKeys', [hash, 0n, 10n])).toEqual(before);
});

const labels = { name: 'a', description: 'b' };

describeBadBodies('update_usage_api_key_metadata', 400, () => account.key, [
  { usage_api_key: 'no key', ...labels },
]);

test('returns 403 for a usage key', async () => {
  const usageKey = await addUsageKey(account.key);
  expectError(
    await post('update_usage_api_key_metadata', { usage_api_key: usageKey, ...labels }, usageKey),
    403,
  );
});

describe('404', () => {
  test('an unknown key, and the key of another account', async () => {
    const other = await addUsageKey((await newAccount()).key);
    for (const usage_api_key of [hex(5n), other])
      expectError(
        await post('update_usage_api_key_metadata', { usage_api_key, ...labels }, account.key),
        404,
      );
  });
});

describeBadBodies('update_usage_api_key_metadata', 422, () => account.key, [
  { usage_api_key: hex(5n) },
  { usage_api_key: hex(5n), ...labels, name: 'x'.repeat(129) },
  { ...labels },
]);
