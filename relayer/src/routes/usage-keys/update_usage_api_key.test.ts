import { apiKeyHash } from '@latchkey/protocol';
import {
  addGroup,
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
  test('replaces everything and resets omitted fields', async () => {
    const { key, hash } = await newAccount();
    const group = await addGroup(key);
    const usageKey = await addUsageKey(key, {
      name: 'old',
      can_create_groups: true,
      execute_in_groups: [0],
      expiration: 4_000_000_000,
    });
    expectWritten(
      await post('update_usage_api_key', { usage_api_key: usageKey, add_pkp_to_groups: [group] }, key),
    );
    expect(await read('listApiKeys', [hash, 0n, 10n])).toMatchObject([
      {
        usageApiKeyHash: apiKeyHash(usageKey),
        expiration: 0n,
        permissions: { createGroups: false, executeInGroups: [], addPkpToGroups: [1n] },
      },
    ]);
    expect((await get('list_api_keys', key)).body).toMatchObject([{ name: '', description: '' }]);
  });

  test('accepts the hash of the key, as in a list', async () => {
    const usageKey = await addUsageKey(account.key);
    const body = { usage_api_key: hex(apiKeyHash(usageKey)), name: 'by hash', can_create_groups: true };
    expectWritten(await post('update_usage_api_key', body, account.key));
    expectWritten(await post('add_group', { group_name: 'g', group_description: '' }, usageKey), {});
  });
});

describeBadBodies('update_usage_api_key', 400, () => account.key, [
  { usage_api_key: 'no key' },
  { usage_api_key: 'clé' },
]);

test('returns 403 for a usage key that updates itself', async () => {
  const usageKey = await addUsageKey(account.key);
  const body = { usage_api_key: usageKey, can_create_groups: true };
  expectError(await post('update_usage_api_key', body, usageKey), 403);
});

describe('404', () => {
  test('does not create an unknown or removed key', async () => {
    const { key, hash } = await newAccount();
    const usageKey = await addUsageKey(key);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: usageKey }, key));
    expectError(await post('update_usage_api_key', { usage_api_key: usageKey }, key), 404);
    expectError(await post('update_usage_api_key', { usage_api_key: hex(5n) }, key), 404);
    expect(await read('listApiKeys', [hash, 0n, 10n])).toEqual([]);
  });

  test('the key of another account', async () => {
    const usageKey = await addUsageKey((await newAccount()).key);
    expectError(await post('update_usage_api_key', { usage_api_key: usageKey }, account.key), 404);
  });

  test('an unknown group leaves the key unchanged', async () => {
    const { key, hash } = await newAccount();
    const usageKey = await addUsageKey(key, { can_create_groups: true });
    const body = { usage_api_key: usageKey, execute_in_groups: [8] };
    expectError(await post('update_usage_api_key', body, key), 404, /group 8/);
    expect(await read('listApiKeys', [hash, 0n, 10n])).toMatchObject([
      { permissions: { createGroups: true } },
    ]);
  });
});

describeBadBodies('update_usage_api_key', 422, () => account.key, [
  {},
  { usage_api_key: 5 },
  { usage_api_key: hex(1n), can_create_pkps: 1 },
]);
