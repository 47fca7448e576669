import { apiKeyHash, isApiKey } from '@latchkey/protocol';
import {
  addGroup,
  describeBadBodies,
  expectError,
  expectWritten,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();
const listKeys = (hash: bigint) => read('listApiKeys', [hash, 0n, 20n]);

describe('200', () => {
  test('returns the key once, and the contract has exactly its permissions', async () => {
    const { key, hash } = await newAccount();
    const [first, second] = [await addGroup(key), await addGroup(key)];
    const reply = await post(
      'add_usage_api_key',
      {
        name: 'worker',
        description: 'runs things',
        expiration: 4_000_000_000,
        can_create_pkps: true,
        manage_ipfs_ids_in_groups: [0],
        add_pkp_to_groups: [first],
        remove_pkp_from_groups: [`0x${second}`],
        execute_in_groups: [Number(first), second],
      },
      key,
    );
    expectWritten(reply);
    const { usage_api_key: usageKey } = reply.body as { usage_api_key: string };
    expect(isApiKey(usageKey)).toBe(true);
    expect(await listKeys(hash)).toEqual([
      {
        usageApiKeyHash: apiKeyHash(usageKey),
        expiration: 4_000_000_000n,
        permissions: {
          createGroups: false,
          deleteGroups: false,
          createPKPs: true,
          manageIPFSIdsInGroups: [0n],
          addPkpToGroups: [1n],
          removePkpFromGroups: [2n],
          executeInGroups: [1n, 2n],
        },
      },
    ]);
  });

  test('without fields the key has no permissions and no expiry', async () => {
    const { key, hash } = await newAccount();
    expectWritten(await post('add_usage_api_key', {}, key));
    const [added] = await listKeys(hash);
    expect(added).toMatchObject({
      expiration: 0n,
      permissions: { createGroups: false, executeInGroups: [], addPkpToGroups: [] },
    });
  });

  test('creates one key per Idempotency-Key, also for concurrent requests', async () => {
    const { key, hash } = await newAccount();
    const headers = { 'Idempotency-Key': 'one key' };
    const replies = await Promise.all(
      [1, 2, 3].map(() => post('add_usage_api_key', { name: 'a' }, key, headers)),
    );
    for (const reply of replies) expect(reply.body).toEqual(replies[0]?.body);
    expect(await listKeys(hash)).toHaveLength(1);
  });
});

describeBadBodies('add_usage_api_key', 400, () => account.key, [
  { execute_in_groups: ['x'] },
  { execute_in_groups: [-1] },
  { execute_in_groups: ['18446744073709551616'] },
  { expiration: '2030-01-01' },
]);

test('returns 404 for an unknown group and creates no key', async () => {
  const { key, hash } = await newAccount();
  expectError(await post('add_usage_api_key', { execute_in_groups: [1] }, key), 404, /group 1/);
  expect(await listKeys(hash)).toEqual([]);
});

test('returns 409 for the same Idempotency-Key with another body', async () => {
  const headers = { 'Idempotency-Key': 'two bodies' };
  expectWritten(await post('add_usage_api_key', { name: 'a' }, account.key, headers));
  expectError(await post('add_usage_api_key', { name: 'b' }, account.key, headers), 409);
});

describeBadBodies('add_usage_api_key', 422, () => account.key, [
  { can_create_groups: 'true' },
  { execute_in_groups: 1 },
  { execute_in_groups: Array.from({ length: 51 }, () => 0) },
  { name: 'x'.repeat(129) },
  { expiration: null },
]);
