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

const hashed_cid = hex(cidHash(cid));

test('returns 200 and removes the action from the account and every group', async () => {
  const { key, hash } = await newAccount();
  const group_id = await addGroup(key, { cid_hashes_permitted: [hashed_cid] });
  expectWritten(await post('delete_action', { hashed_cid }, key));
  expect(await read('listActions', [hash, 0n, 10n])).toEqual([]);
  expect((await get(`list_actions?group_id=${group_id}`, key)).body).toEqual([]);
});

describeBadBodies('delete_action', 400, () => account.key, [{ hashed_cid: cid }, { hashed_cid: '0x' }]);

test('returns 404 for an unknown action', async () => {
  expectError(await post('delete_action', { hashed_cid }, account.key), 404, /no action/);
});

describeBadBodies('delete_action', 422, () => account.key, [{}, { hashed_cid: 1 }]);
