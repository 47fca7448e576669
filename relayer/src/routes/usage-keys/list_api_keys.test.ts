import { apiKeyHash } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  expectError,
  get,
  hex,
  newAccount,
} from '@latchkey/testing/stack';
import { beforeAll, describe, expect, test } from 'vitest';

let account: Account;
const usageKeys: string[] = [];
beforeAll(async () => {
  account = await newAccount();
  const group = await addGroup(account.key);
  const fields = {
    description: 'd',
    expiration: '4000000000',
    execute_in_groups: [group],
    add_pkp_to_groups: [0],
  };
  for (const name of ['a', 'b', 'c']) usageKeys.push(await addUsageKey(account.key, { name, ...fields }));
});

describe('200', () => {
  test('returns hash, labels and permissions of every key, never its value', async () => {
    const reply = await get('list_api_keys', account.key);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-total-count')).toBe('3');
    expect(reply.body).toEqual(
      usageKeys.map((key, index) => ({
        id: hex(apiKeyHash(key)),
        api_key_hash: hex(apiKeyHash(key)),
        name: 'abc'[index],
        description: 'd',
        expiration: '4000000000',
        balance: '0',
        can_create_groups: false,
        can_delete_groups: false,
        can_create_pkps: false,
        can_manage_ipfs_ids_in_groups: [],
        can_add_pkp_to_groups: [0],
        can_remove_pkp_from_groups: [],
        can_execute_in_groups: [1],
        spend_cap_cents: null,
        spend_window_seconds: null,
        max_runs_per_minute: null,
        max_concurrency: null,
        max_run_seconds: null,
        record_output: false,
      })),
    );
  });

  test('pages', async () => {
    const page = async (query: string) =>
      ((await get(`list_api_keys?${query}`, account.key)).body as { name: string }[]).map(({ name }) => name);
    expect(await page('page_size=2')).toEqual(['a', 'b']);
    expect(await page('page_size=2&page_number=1')).toEqual(['c']);
    expect(await page('page_number=7')).toEqual([]);
  });
});

describe('400', () => {
  test.each(['page_size=0', 'page_size=1001', 'page_number=-1', 'page_number=x'])('%s', async (query) => {
    expectError(await get(`list_api_keys?${query}`, account.key), 400);
  });
});
