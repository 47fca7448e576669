import { cidHash } from '@latchkey/protocol';
import {
  addGroup,
  describeBadBodies,
  expectError,
  expectWritten,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';

const account = await newAccount();

const hashed_cid = hex(cidHash(cid));

test('returns 200 and removes the action from the group, not from the account', async () => {
  const { key, hash } = await newAccount();
  const group_id = await addGroup(key, { cid_hashes_permitted: [hashed_cid] });
  expectWritten(await post('remove_action_from_group', { group_id, hashed_cid }, key));
  expect(await read('listActionsInGroup', [hash, 1n, 0n, 10n])).toEqual([]);
  expect(await read('listActions', [hash, 0n, 10n])).toEqual([cidHash(cid)]);
});

describeBadBodies('remove_action_from_group', 400, () => account.key, [
  { group_id: 1, hashed_cid: cid },
  { group_id: 1, hashed_cid: '0x1' },
]);

test('returns 404 for an action not in the group, and for an unknown group', async () => {
  const group_id = await addGroup(account.key);
  expectError(
    await post('remove_action_from_group', { group_id, hashed_cid }, account.key),
    404,
    /no action/,
  );
  expectError(
    await post('remove_action_from_group', { group_id: 99, hashed_cid }, account.key),
    404,
    /no group/,
  );
});

describeBadBodies('remove_action_from_group', 422, () => account.key, [{}, { group_id: 1 }, { hashed_cid }]);
