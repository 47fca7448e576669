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

test('returns 200 and removes the wallet from the group, not from the account', async () => {
  const { key, hash } = await newAccount();
  const pkp_id = await createWallet(key);
  const group_id = await addGroup(key, { pkp_ids_permitted: [pkp_id] });
  expectWritten(await post('remove_pkp_from_group', { group_id, pkp_id }, key));
  expect((await read('listGroupContents', [hash, 1n]))[1]).toEqual([]);
  expect((await get('list_wallets', key)).body).toMatchObject([{ wallet_address: pkp_id }]);
});

describeBadBodies('remove_pkp_from_group', 400, () => account.key, [{ group_id: 1, pkp_id: 'wallet' }]);

test('returns 403 for a usage key that is permitted to add only', async () => {
  const pkp_id = await createWallet(account.key);
  const group_id = await addGroup(account.key, { pkp_ids_permitted: [pkp_id] });
  const usageKey = await addUsageKey(account.key, { add_pkp_to_groups: [0] });
  expectError(await post('remove_pkp_from_group', { group_id, pkp_id }, usageKey), 403, /remove wallets/);
});

test('returns 404 for a wallet not in the group, and for an unknown group', async () => {
  const pkp_id = await createWallet(account.key);
  const group_id = await addGroup(account.key);
  expectError(
    await post('remove_pkp_from_group', { group_id, pkp_id }, account.key),
    404,
    /group \d+ has no wallet/,
  );
  expectError(await post('remove_pkp_from_group', { group_id: 99, pkp_id }, account.key), 404, /no group/);
});

describeBadBodies('remove_pkp_from_group', 422, () => account.key, [{}, { pkp_id: zeroAddress }]);
