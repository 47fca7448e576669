import { cidHash } from '@latchkey/protocol';
import {
  addGroup,
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
import { expect, test } from 'vitest';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';

const account = await newAccount();

const full = { group_id: 1, name: 'n', description: 'd', pkp_ids_permitted: [], cid_hashes_permitted: [] };

test('returns 200 and sets exactly the new labels and contents', async () => {
  const { key, hash } = await newAccount();
  const [first, second] = [await createWallet(key), await createWallet(key)];
  const group_id = await addGroup(key, { pkp_ids_permitted: [first], cid_hashes_permitted: [hex(0n)] });
  const body = { ...full, group_id, pkp_ids_permitted: [second], cid_hashes_permitted: [hex(cidHash(cid))] };
  expectWritten(await post('update_group', body, key));
  expect(await read('listGroupContents', [hash, 1n])).toEqual([[cidHash(cid)], [second]]);
  expect((await get('list_groups', key)).body).toEqual([
    {
      id: hex(1n),
      name: 'n',
      description: 'd',
      cid_hashes_permitted: [hex(cidHash(cid))],
      pkp_ids_permitted: [second],
    },
  ]);
});

test('returns 200 and empties omitted arrays', async () => {
  const { key, hash } = await newAccount();
  const contents = {
    pkp_ids_permitted: [await createWallet(key)],
    cid_hashes_permitted: [hex(cidHash(cid))],
  };
  const group_id = await addGroup(key, contents);
  const labels = { group_id, name: 'n', description: 'd' };
  const { pkp_ids_permitted } = contents;
  expectWritten(await post('update_group', { ...labels, pkp_ids_permitted }, key));
  expect(await read('listGroupContents', [hash, 1n])).toEqual([[], pkp_ids_permitted]);
  expectWritten(await post('update_group', labels, key));
  expect(await read('listGroupContents', [hash, 1n])).toEqual([[], []]);
});

describeBadBodies('update_group', 400, () => account.key, [
  { ...full, group_id: 'x' },
  { ...full, group_id: 2 ** 60 },
  { ...full, pkp_ids_permitted: [''] },
]);

test('returns 404 for an unknown group', async () => {
  expectError(await post('update_group', { ...full, group_id: 77 }, account.key), 404, /group 77/);
});

describeBadBodies('update_group', 422, () => account.key, [
  { group_id: 1, name: 'n' },
  { ...full, pkp_ids_permitted: null },
  { ...full, group_id: true },
  { ...full, name: 'x'.repeat(200) },
]);
