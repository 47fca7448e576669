import {
  addGroup,
  addUsageKey,
  createWallet,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { zeroAddress } from 'viem';
import { expect, test } from 'vitest';

const account = await newAccount();

test('returns 200 and adds the wallet to the group; a second call changes nothing', async () => {
  const { key, hash } = await newAccount();
  const pkp_id = await createWallet(key);
  const group_id = await addGroup(key);
  for (let i = 0; i < 2; i++) expectWritten(await post('add_pkp_to_group', { group_id, pkp_id }, key));
  expect((await read('listGroupContents', [hash, 1n]))[1]).toEqual([pkp_id]);
  expect((await get(`list_wallets_in_group?group_id=${group_id}`, key)).body).toMatchObject([
    { wallet_address: pkp_id },
  ]);
});

describeBadBodies('add_pkp_to_group', 400, () => account.key, [
  { group_id: 1, pkp_id: '0x' },
  { group_id: 1, pkp_id: `0x${'0'.repeat(64)}` },
]);

test('returns 403 for a usage key that is permitted to remove only', async () => {
  const pkp_id = await createWallet(account.key);
  const group_id = await addGroup(account.key);
  const usageKey = await addUsageKey(account.key, { remove_pkp_from_groups: [0] });
  expectError(await post('add_pkp_to_group', { group_id, pkp_id }, usageKey), 403, /add wallets/);
});

test('returns 404 for a wallet that the account lacks, in every call that takes one, with how to create it', async () => {
  const pkp_id = await createWallet((await newAccount()).key);
  const group_id = await addGroup(account.key);
  const labels = { group_name: 'g', group_description: '' };
  for (const [path, body] of [
    ['add_pkp_to_group', { group_id, pkp_id }],
    ['add_group', { ...labels, pkp_ids_permitted: [pkp_id] }],
    ['update_group', { group_id, name: 'g', description: '', pkp_ids_permitted: [pkp_id] }],
  ] as const) {
    const reply = await post(path, body, account.key);
    expectError(reply, 404, new RegExp(`^The account has no wallet ${pkp_id}\\.$`));
    expect(reply.body).toMatchObject({ fix: expect.stringContaining('create_wallet') });
  }
});

test('returns 404 for an unknown group', async () => {
  expectError(
    await post('add_pkp_to_group', { group_id: 99, pkp_id: zeroAddress }, account.key),
    404,
    /group 99/,
  );
});

describeBadBodies('add_pkp_to_group', 422, () => account.key, [
  {},
  { group_id: 1 },
  { group_id: {}, pkp_id: zeroAddress },
]);
