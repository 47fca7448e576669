/** The wildcards of a group in every form and every call that accepts them; lists return them as zeros. */

import {
  type Account,
  addGroup,
  createWallet,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { zeroAddress } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';

let account: Account;
beforeAll(async () => {
  account = await newAccount();
  await createWallet(account.key);
});

const readContents = (group_id: string) => read('listGroupContents', [account.hash, BigInt(group_id)]);
const both = [[0n], [zeroAddress]];
const labels = { name: 'n', description: '' };

describe.each([
  ['the number 0', 0, 0],
  ['0', '0', '0'],
  ['0x0', '0x0', '0x0'],
  ['all zeros', hex(0n), zeroAddress],
])('%s', (_form, action, wallet) => {
  const contents = { cid_hashes_permitted: [action], pkp_ids_permitted: [wallet] };

  test('add_group permits everything; lists return zeros', async () => {
    const group_id = await addGroup(account.key, contents as never);
    expect(await readContents(group_id)).toEqual(both);
    const listed = (await get('list_groups', account.key)).body as { id: string }[];
    expect(listed.find(({ id }) => BigInt(id) === BigInt(group_id))).toMatchObject({
      cid_hashes_permitted: [hex(0n)],
      pkp_ids_permitted: [zeroAddress],
    });
    expect((await get(`list_actions?group_id=${group_id}`, account.key)).body).toMatchObject([
      { id: hex(0n) },
    ]);
    expect((await get(`list_wallets_in_group?group_id=${group_id}`, account.key)).body).toMatchObject([
      { wallet_address: zeroAddress },
    ]);
  });

  test('update_group permits everything', async () => {
    const group_id = await addGroup(account.key);
    expectWritten(await post('update_group', { group_id, ...labels, ...contents }, account.key));
    expect(await readContents(group_id)).toEqual(both);
  });

  test('single members are added and removed', async () => {
    const group_id = await addGroup(account.key);
    const send = async (path: string, body: object) =>
      expectWritten(await post(path, { group_id, ...body }, account.key));
    await send('add_action_to_group', { action_ipfs_cid: action });
    await send('add_pkp_to_group', { pkp_id: wallet });
    expect(await readContents(group_id)).toEqual(both);
    await send('remove_action_from_group', { hashed_cid: action });
    await send('remove_pkp_from_group', { pkp_id: wallet });
    expect(await readContents(group_id)).toEqual([[], []]);
  });
});
