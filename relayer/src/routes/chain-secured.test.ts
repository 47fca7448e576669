/** A ChainSecured account over HTTP: its usage key runs actions and reads lists, and no payer writes for it. */
import { apiKeyHash, cidHash, walletIdentity } from '@latchkey/protocol';
import { cidOfCode, expectError, get, hex, payAndConfirm, post } from '@latchkey/testing/stack';
import { type AdminWallet, accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { keccak256, toBytes } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';

const code = 'function main() { return "ran" }';
const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const usageKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
const wallet = { pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' };
let admin: AdminWallet;
let identity: bigint;
let block: bigint;

beforeAll(async () => {
  admin = await eoa();
  const write = accountOf(admin);
  identity = walletIdentity(admin.address);
  await write('newChainSecuredAccount', ['mine', '']);
  await payAndConfirm(await billingAuth(admin));
  await write('addGroup', [identity, 'group', '', [cidHash(await cidOfCode(code))], []]);
  const permissions = [true, true, true, [0n], [0n], [0n], [1n]] as const;
  block = await write('setUsageApiKey', [identity, apiKeyHash(usageKey), 0n, 0n, 'key', '', ...permissions]);
});

test('the key works from the block that added it', async () => {
  const headers = { 'X-Min-Block': String(block) };
  expect(await post('svc_action', { code }, usageKey, headers)).toMatchObject({
    status: 200,
    body: { response: 'ran' },
  });
  expect((await get('list_groups', usageKey, headers)).body).toMatchObject([{ id: hex(1n), name: 'group' }]);
});

describe("returns 403 for writes, whatever the key's permissions", () => {
  test.each([
    ['add_group', { group_name: 'n', group_description: '' }],
    ['remove_group', { group_id: 1 }],
    ['add_action_to_group', { group_id: 1, action_ipfs_cid: cid }],
    ['remove_action_from_group', { group_id: 1, hashed_cid: hex(5n) }],
    ['add_pkp_to_group', { group_id: 1, ...wallet }],
    ['remove_pkp_from_group', { group_id: 1, ...wallet }],
    ['create_wallet', {}],
    ['add_action', { action_ipfs_cid: cid, name: '', description: '' }],
    ['delete_action', { hashed_cid: hex(5n) }],
  ])('%s', async (path, body) => {
    expectError(await post(path, body, usageKey), 403);
  });
});

test('refuses a key removed on the chain from that block on', async () => {
  const removed = await accountOf(admin)('removeUsageApiKey', [identity, apiKeyHash(usageKey)]);
  expectError(await get('list_groups', usageKey, { 'X-Min-Block': String(removed) }), 401);
});

describe('a key whose text its owner chose', () => {
  const attached = ['my-own-key!', '~', '!'.repeat(512)];
  let attachedAt: bigint;
  beforeAll(async () => {
    const permissions = [false, false, false, [], [], [], [1n]] as const;
    for (const text of attached)
      attachedAt = await accountOf(admin)('setUsageApiKey', [
        identity,
        BigInt(keccak256(toBytes(text))),
        ...([0n, 0n, 'own', ''] as const),
        ...permissions,
      ]);
  });

  test.each(attached)('%s runs an action', async (text) => {
    const block = { 'X-Min-Block': String(attachedAt) };
    for (const headers of [{ Authorization: `Bearer ${text}` }, { 'X-Api-Key': text }])
      expect(await post('svc_action', { code }, undefined, { ...headers, ...block })).toMatchObject({
        status: 200,
        body: { response: 'ran' },
      });
  });

  test.each([
    ['its hash', hex(BigInt(keccak256(toBytes('my-own-key!')))), /hash of a key/],
    ['an unknown text', 'my-own-key?', /^Unknown API key/],
    ['a space', 'my-own key!', /Malformed/],
    ['a character beyond ASCII', 'cl\u00e9', /Malformed/],
    ['513 characters', '!'.repeat(513), /Malformed/],
  ])('401: %s', async (_what, text, message) => {
    expectError(await post('svc_action', { code }, text), 401, message);
    expectError(
      await post('svc_action', { code }, undefined, { Authorization: `Bearer ${text}` }),
      401,
      message,
    );
  });
});
