import { cidHash } from '@latchkey/protocol';
import {
  addUsageKey,
  createWallet,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { zeroAddress } from 'viem';
import { describe, expect, test } from 'vitest';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';

const account = await newAccount();

const labels = { group_name: 'g', group_description: 'd' };
const countGroups = async (hash: bigint) => (await read('listSizes', [hash]))[1];

describe('200', () => {
  test('assigns ids from 1 and writes the contents to the chain before the reply', async () => {
    const { key, hash } = await newAccount();
    const wallet = await createWallet(key);
    expectWritten(await post('add_group', labels, key), { success: true, group_id: '1' });
    const body = {
      ...labels,
      pkp_ids_permitted: [wallet.toLowerCase()],
      cid_hashes_permitted: [hex(cidHash(cid))],
    };
    expectWritten(await post('add_group', body, key), { success: true, group_id: '2' });
    expect(await read('listGroupContents', [hash, 2n])).toEqual([[cidHash(cid)], [wallet]]);
    expect((await get('list_actions', key)).body).toEqual([
      { id: hex(cidHash(cid)), name: '', description: '' },
    ]);
  });

  test('hash 0 and wallet 0 permit everything', async () => {
    const { key, hash } = await newAccount();
    const body = { ...labels, pkp_ids_permitted: [zeroAddress], cid_hashes_permitted: [hex(0n)] };
    expectWritten(await post('add_group', body, key), { success: true, group_id: '1' });
    expect(await read('listGroupContents', [hash, 1n])).toEqual([[0n], [zeroAddress]]);
  });

  test('accepts a usage key with can_create_groups', async () => {
    const usageKey = await addUsageKey(account.key, { can_create_groups: true });
    const before = await countGroups(account.hash);
    expectWritten(await post('add_group', labels, usageKey), { success: true });
    expect(await countGroups(account.hash)).toBe(before + 1n);
  });
});

const wrongChecksum = '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
describeBadBodies('add_group', 400, () => account.key, [
  { ...labels, pkp_ids_permitted: [wrongChecksum] },
  { ...labels, pkp_ids_permitted: ['0x12'] },
  { ...labels, cid_hashes_permitted: [cid] },
]);

test('returns 403 for a usage key without can_create_groups and writes nothing', async () => {
  const usageKey = await addUsageKey(account.key, { can_delete_groups: true, execute_in_groups: [0] });
  const before = await countGroups(account.hash);
  expectError(await post('add_group', labels, usageKey), 403, /create groups/);
  expect(await countGroups(account.hash)).toBe(before);
});

test('returns 404 for a wallet of another account', async () => {
  const wallet = await createWallet((await newAccount()).key);
  expectError(
    await post('add_group', { ...labels, pkp_ids_permitted: [wallet] }, account.key),
    404,
    /wallet/,
  );
});

test('returns 409 for the same Idempotency-Key with another body', async () => {
  const headers = { 'Idempotency-Key': 'group' };
  const first = await post('add_group', labels, account.key, headers);
  expect((await post('add_group', labels, account.key, headers)).body).toEqual(first.body);
  expectError(await post('add_group', { ...labels, group_name: 'h' }, account.key, headers), 409);
});

describeBadBodies('add_group', 422, () => account.key, [
  {},
  { group_name: 'g' },
  { ...labels, group_name: null },
  { ...labels, pkp_ids_permitted: zeroAddress },
  { ...labels, cid_hashes_permitted: Array.from({ length: 11 }, () => hex(0n)) },
]);
