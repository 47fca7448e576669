import { cidHash } from '@latchkey/protocol';
import {
  addGroup,
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

test('returns 200 and registers an unknown action with empty labels; a second call changes nothing', async () => {
  const { key, hash } = await newAccount();
  const group_id = await addGroup(key);
  for (let i = 0; i < 2; i++)
    expectWritten(await post('add_action_to_group', { group_id, action_ipfs_cid: cid }, key));
  expect(await read('listActionsInGroup', [hash, 1n, 0n, 10n])).toEqual([cidHash(cid)]);
  expect((await get(`list_actions?group_id=${group_id}`, key)).body).toEqual([
    { id: hex(cidHash(cid)), name: '', description: '' },
  ]);
});

describeBadBodies('add_action_to_group', 400, () => account.key, [
  { group_id: 1, action_ipfs_cid: 'Qm' },
  { group_id: 1, action_ipfs_cid: hex(1n) },
  { group_id: 'one', action_ipfs_cid: cid },
]);

test('returns 404 for an unknown group', async () => {
  expectError(await post('add_action_to_group', { group_id: 99, action_ipfs_cid: cid }, account.key), 404);
});

describeBadBodies('add_action_to_group', 422, () => account.key, [
  {},
  { group_id: 1 },
  { group_id: 1, action_ipfs_cid: 5 },
]);
