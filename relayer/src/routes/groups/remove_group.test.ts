import {
  addGroup,
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();

describe('200', () => {
  test('removes the group and never reuses its id', async () => {
    const { key, hash } = await newAccount();
    const group_id = await addGroup(key);
    expectWritten(await post('remove_group', { group_id }, key));
    expect(await read('listGroups', [hash, 0n, 10n])).toEqual([]);
    expect((await get('list_groups', key)).body).toEqual([]);
    expect(await addGroup(key)).toBe('2');
  });

  test('accepts a usage key with can_delete_groups, and the id as a hex string', async () => {
    const usageKey = await addUsageKey(account.key, { can_delete_groups: true });
    const group_id = `0x${BigInt(await addGroup(account.key)).toString(16)}`;
    expectWritten(await post('remove_group', { group_id }, usageKey));
  });
});

describeBadBodies('remove_group', 400, () => account.key, [
  { group_id: 1.5 },
  { group_id: '-1' },
  { group_id: '' },
]);

test('returns 403 for a usage key without can_delete_groups', async () => {
  const group_id = await addGroup(account.key);
  const usageKey = await addUsageKey(account.key, { can_create_groups: true });
  expectError(await post('remove_group', { group_id }, usageKey), 403, /delete groups/);
});

test('returns 404 for a removed and an unknown group', async () => {
  const group_id = await addGroup(account.key);
  expectWritten(await post('remove_group', { group_id }, account.key));
  expectError(await post('remove_group', { group_id }, account.key), 404);
  expectError(await post('remove_group', { group_id: '18446744073709551615' }, account.key), 404);
  expectError(await post('remove_group', { group_id: 0 }, account.key), 404);
});

describeBadBodies('remove_group', 422, () => account.key, [{}, { group_id: null }, { group_id: [1] }]);
