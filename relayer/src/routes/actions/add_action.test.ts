import { cidHash } from '@latchkey/protocol';
import {
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';

const account = await newAccount();

const body = { action_ipfs_cid: cid, name: 'hello', description: 'says it' };

describe('200', () => {
  test('registers the hash of the CID text, with labels', async () => {
    const { key, hash } = await newAccount();
    expectWritten(await post('add_action', body, key));
    expect(await read('listActions', [hash, 0n, 10n])).toEqual([cidHash(cid)]);
    expect((await get('list_actions', key)).body).toEqual([
      { id: hex(cidHash(cid)), name: 'hello', description: 'says it' },
    ]);
  });

  test('hashes CIDv1 texts as given', async () => {
    const { key, hash } = await newAccount();
    const v1 = 'bafybeicg2rebjoofv4kbyovkw7af3rpiitvnl6i7ckcywaq6xjcxnc2mby';
    expectWritten(await post('add_action', { ...body, action_ipfs_cid: v1 }, key));
    expect(await read('listActions', [hash, 0n, 10n])).toEqual([cidHash(v1)]);
  });
});

describeBadBodies('add_action', 400, () => account.key, [
  { ...body, action_ipfs_cid: '' },
  { ...body, action_ipfs_cid: hex(cidHash(cid)) },
  { ...body, action_ipfs_cid: `${cid} ` },
]);

test('returns 409 when the action exists', async () => {
  const { key } = await newAccount();
  expectWritten(await post('add_action', body, key));
  expectError(await post('add_action', body, key), 409, /already has the action/);
});

describeBadBodies('add_action', 422, () => account.key, [
  {},
  { action_ipfs_cid: cid },
  { ...body, action_ipfs_cid: 'Q'.repeat(257) },
  { ...body, name: 'x'.repeat(129) },
]);
