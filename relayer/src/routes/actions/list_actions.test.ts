import { cidHash } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const cids = [
  'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
  'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
];

const account = await newAccount();

describe('200', () => {
  test('returns all actions of the account, or the actions of one group', async () => {
    const { key } = await newAccount();
    for (const action_ipfs_cid of cids)
      expectWritten(await post('add_action', { action_ipfs_cid, name: 'n', description: 'd' }, key));
    const group_id = await addGroup(key, { cid_hashes_permitted: [hex(cidHash(cids[1] ?? ''))] });
    const expected = cids.map((cid) => ({ id: hex(cidHash(cid)), name: 'n', description: 'd' }));
    for (const reader of [key, await addUsageKey(key)]) {
      const reply = await get('list_actions', reader);
      expect(reply).toMatchObject({ status: 200, body: expected });
      expect(reply.headers.get('x-total-count')).toBe('2');
      expect((await get(`list_actions?group_id=${group_id}`, reader)).body).toEqual([expected[1]]);
    }
    for (const all of ['0', '0x0', hex(0n)])
      expect((await get(`list_actions?group_id=${all}`, key)).body).toEqual(expected);
    expect((await get('list_actions?page_size=1', key)).body).toEqual([expected[0]]);
  });
});

describe('400', () => {
  test.each(['page_size=0', 'page_number=1.5', 'group_id=a', 'group_id=18446744073709551616'])(
    '%s',
    async (query) => {
      expectError(await get(`list_actions?${query}`, account.key), 400);
    },
  );
});

test('returns 404 for an unknown group', async () => {
  expectError(await get('list_actions?group_id=3', account.key), 404);
});
