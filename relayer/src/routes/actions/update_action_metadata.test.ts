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
} from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';

const account = await newAccount();

const body = { hashed_cid: hex(cidHash(cid)), name: 'new', description: 'labels' };

test('returns 200 and changes only the labels of the action', async () => {
  const { key } = await newAccount();
  const group_id = await addGroup(key, { cid_hashes_permitted: [body.hashed_cid] });
  expectWritten(await post('update_action_metadata', body, key));
  const expected = [{ id: body.hashed_cid, name: 'new', description: 'labels' }];
  expect((await get('list_actions', key)).body).toEqual(expected);
  expect((await get(`list_actions?group_id=${group_id}`, key)).body).toEqual(expected);
});

describeBadBodies('update_action_metadata', 400, () => account.key, [{ ...body, hashed_cid: cid }]);

test('returns 404 for an unknown action', async () => {
  expectError(await post('update_action_metadata', body, account.key), 404);
});

describeBadBodies('update_action_metadata', 422, () => account.key, [
  {},
  { ...body, description: 'x'.repeat(1_025) },
]);
