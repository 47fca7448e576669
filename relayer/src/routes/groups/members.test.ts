/** `add_to_group` and `remove_from_group`. */
import { cidHash } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  cidOfCode,
  createWallet,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const account = await newAccount();
const wallets = [await createWallet(account.key), await createWallet(account.key)];
const cids = await Promise.all(['a', 'b'].map(async (name) => hex(cidHash(await cidOfCode(`// ${name}`)))));

const change = (path: 'add_to_group' | 'remove_from_group', key: string, body: object) =>
  post(path, body, key);
const contentsOf = async (id: string) => {
  const { body } = await get('list_groups?page_size=100', account.key);
  const found = (body as { id: string; cid_hashes_permitted: string[]; pkp_ids_permitted: string[] }[]).find(
    (group) => BigInt(group.id) === BigInt(id),
  );
  return [found?.cid_hashes_permitted, found?.pkp_ids_permitted];
};

describe('200', () => {
  test('adds and removes several members in one write', async () => {
    const group_id = await addGroup(account.key);
    expectWritten(
      await change('add_to_group', account.key, { group_id, cid_hashes: cids, pkp_ids: wallets }),
    );
    expect(await contentsOf(group_id)).toEqual([cids, wallets]);
    const some = { group_id, cid_hashes: [cids[0]], pkp_ids: [wallets[1]] };
    expectWritten(await change('remove_from_group', account.key, some));
    expect(await contentsOf(group_id)).toEqual([[cids[1]], [wallets[0]]]);
  });

  test('a usage key needs the permissions for the members that it sends', async () => {
    const group_id = await addGroup(account.key);
    const key = await addUsageKey(account.key, { manage_ipfs_ids_in_groups: [group_id] });
    expectWritten(await change('add_to_group', key, { group_id, cid_hashes: cids }));
    expectError(await change('add_to_group', key, { group_id, cid_hashes: cids, pkp_ids: wallets }), 403);
    expectWritten(await change('remove_from_group', key, { group_id, cid_hashes: cids }));
    expectError(await change('remove_from_group', key, { group_id, pkp_ids: wallets }), 403);
    expect(await contentsOf(group_id)).toEqual([[], []]);
  });
});

test('returns 404 for an unknown wallet or group, and adds nothing', async () => {
  const group_id = await addGroup(account.key);
  const unknown = { group_id, cid_hashes: cids, pkp_ids: [wallets[0], `0x${'12'.repeat(20)}`] };
  expectError(await change('add_to_group', account.key, unknown), 404);
  expect(await contentsOf(group_id)).toEqual([[], []]);
  expectError(await change('add_to_group', account.key, { group_id: '999', cid_hashes: cids }), 404);
});

for (const path of ['add_to_group', 'remove_from_group'] as const) {
  describeBadBodies(path, 400, () => account.key, [
    { group_id: '1', cid_hashes: ['x'] },
    { group_id: '1', pkp_ids: ['0x12'] },
  ]);
  describeBadBodies(path, 422, () => account.key, [
    {},
    { group_id: '1' },
    { group_id: '1', cid_hashes: [], pkp_ids: [] },
    { group_id: '1', cid_hashes: Array(11).fill(`0x${'11'.repeat(32)}`) },
    { group_id: '1', pkp_ids: Array(11).fill(`0x${'11'.repeat(20)}`) },
  ]);
}
