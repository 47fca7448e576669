/** Stored code: by its account, and by neighbours who want it. */
import { readFileSync } from 'node:fs';
import { apiKeyHash, cidHash, cidOf } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  post,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { MAX_STORED_CODE_BYTES, MAX_STORED_CODES } from '../../db/stored-codes.ts';

/** CIDv1 of a raw block with this text. */
const raw = { code: 'hello world', cid: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e' };

const [account, neighbour] = await Promise.all([newAccount(), newAccount()]);

/** Code that no other test has. */
const freshCode = (response = 'own') =>
  `function main() { return ${JSON.stringify(response)} } // ${crypto.randomUUID()}`;
async function store(
  code: string,
  {
    key,
    auth,
    ...fields
  }: { key?: string; auth?: Record<string, string>; replaces_hashed_cid?: string } = {},
) {
  const cid = await cidOf(code);
  const reply = await post(
    'store_action_code',
    { action_ipfs_cid: cid, code, ...fields },
    auth ? undefined : (key ?? account.key),
    auth,
  );
  return { cid, reply };
}
const listed = async (key = account.key) =>
  ((await get('list_action_codes', key)).body as { cid: string }[]).map(({ cid }) => cid);

test.each([
  ['non-ASCII text', '// ü €\u2028 😀\r\nconst main = () => 1;'],
  ['a byte order mark and NUL', '\ufeff// \0\nconst main = () => 1;'],
])('returns code as it was stored: %s', async (_what, text) => {
  const code = `${text} // ${crypto.randomUUID()}`;
  const { cid, reply } = await store(code);
  expect(reply).toMatchObject({ status: 200, body: { success: true } });
  const stored = {
    cid,
    bytes: Buffer.byteLength(code),
    replaces_hashed_cid: null,
    stored_at: expect.stringMatching(/^\d{4}-.*Z$/),
  };
  expect((await get(`action_code/${cid}`, account.key)).body).toEqual({ ...stored, code });
  expect((await get('list_action_codes', account.key)).body).toContainEqual(stored);
});

test('stores code under the CID of another form, and the version that it replaces', async () => {
  const body = { action_ipfs_cid: raw.cid, code: raw.code, replaces_hashed_cid: hex(cidHash('Qm')) };
  expect((await post('store_action_code', body, account.key)).status).toBe(200);
  expect((await get(`action_code/${raw.cid}`, account.key)).body).toMatchObject({
    code: raw.code,
    replaces_hashed_cid: hex(cidHash('Qm')),
  });
  expectError(await get(`action_code/${await cidOf(raw.code)}`, account.key), 404);
});

test('stored code runs by its CID, without a run that sent it, and only in its account', async () => {
  const keys = await Promise.all(
    [account, neighbour].map(async ({ key }) => {
      const group = await addGroup(key, { pkp_ids_permitted: [], cid_hashes_permitted: ['0'] });
      return addUsageKey(key, { execute_in_groups: [group] });
    }),
  );
  const { cid } = await store(freshCode());
  expectError(await post('svc_action', { ipfs_id: cid }, keys[1]), 404);
  expect((await post('svc_action', { ipfs_id: cid }, keys[0])).body).toMatchObject({ response: 'own' });
  // The relayer now keeps the code of a paid run, which any account runs by its CID and none reads.
  expect((await post('svc_action', { ipfs_id: cid }, keys[1])).body).toMatchObject({ response: 'own' });
  expectWritten(await post('add_action', { action_ipfs_cid: cid, name: '', description: '' }, neighbour.key));
  expectError(await get(`action_code/${cid}`, neighbour.key), 404);
  expect(await listed(neighbour.key)).not.toContain(cid);
});

test('a neighbour neither reads, changes nor deletes it', async () => {
  const code = freshCode();
  const { cid } = await store(code);
  const before = (await get(`action_code/${cid}`, account.key)).body;
  expectError(await get(`action_code/${cid}`, neighbour.key), 404);
  expectError(await post('delete_action_code', { action_ipfs_cid: cid }, neighbour.key), 404);
  // With code of its own for the CID, and with the same code.
  const forged = { action_ipfs_cid: cid, code: `${code} ` };
  expectError(await post('store_action_code', forged, neighbour.key), 400);
  const { reply } = await store(code, { key: neighbour.key, replaces_hashed_cid: hex(5n) });
  expect(reply.status).toBe(200);
  expect((await post('delete_action_code', { action_ipfs_cid: cid }, neighbour.key)).status).toBe(200);
  expect((await get(`action_code/${cid}`, account.key)).body).toEqual(before);
});

test('code stays with the account when its key is replaced, and the replaced key reads nothing', async () => {
  const { key, wallet } = await newAccount();
  const code = freshCode();
  const { cid } = await store(code, { key });
  const next = newKeyText();
  const rotation = { new_api_key: hex(apiKeyHash(next)), new_wallet_address: wallet };
  expectWritten(await post('rotate_account_key', rotation, key), expect.anything());
  for (const reply of [
    await get(`action_code/${cid}`, key),
    await get('list_action_codes', key),
    (await store(freshCode(), { key })).reply,
    await post('delete_action_code', { action_ipfs_cid: cid }, key),
  ])
    expectError(reply, 401);
  expect((await get(`action_code/${cid}`, next)).body).toMatchObject({ code });
});

test('the admin wallet of a ChainSecured account stores, reads and deletes code', async () => {
  const admin = await eoa();
  await accountOf(admin)('newChainSecuredAccount', ['', '']);
  const auth = await billingAuth(admin);
  const code = freshCode();
  const { cid, reply } = await store(code, { auth });
  expect(reply.status).toBe(200);
  expect((await get(`action_code/${cid}`, undefined, auth)).body).toMatchObject({ code });
  expect((await get('list_action_codes', undefined, auth)).body).toMatchObject([{ cid }]);
  expectError(await get(`action_code/${cid}`, undefined, await billingAuth(await eoa())), 401);
  expect((await post('delete_action_code', { action_ipfs_cid: cid }, undefined, auth)).status).toBe(200);
  expect((await get('list_action_codes', undefined, auth)).body).toEqual([]);
});

test('a deleted code is gone, and its action is not', async () => {
  const { cid } = await store(freshCode());
  expectWritten(await post('add_action', { action_ipfs_cid: cid, name: 'a', description: '' }, account.key));
  expect((await post('delete_action_code', { action_ipfs_cid: cid }, account.key)).status).toBe(200);
  expectError(await get(`action_code/${cid}`, account.key), 404);
  expectError(await post('delete_action_code', { action_ipfs_cid: cid }, account.key), 404);
  expect((await get('list_actions', account.key)).body).toContainEqual(
    expect.objectContaining({ id: hex(cidHash(cid)) }),
  );
});

describe('refuses, and stores nothing', () => {
  const cid = raw.cid;
  describeBadBodies('store_action_code', 400, () => neighbour.key, [
    { action_ipfs_cid: cid, code: 'other code' },
    { action_ipfs_cid: 'Qm', code: raw.code },
    // An identity multihash names any bytes.
    { action_ipfs_cid: 'bafkqac3imvwgy3zao5xxe3de', code: raw.code },
    { action_ipfs_cid: cid, code: '\ud800' },
    { action_ipfs_cid: cid, code: raw.code, replaces_hashed_cid: '0x1' },
  ]);
  describeBadBodies('store_action_code', 422, () => neighbour.key, [
    { action_ipfs_cid: cid },
    { code: raw.code },
    { action_ipfs_cid: cid, code: '' },
    { action_ipfs_cid: cid, code: raw.code, name: 'n' },
  ]);
  test('nothing is stored', async () => {
    expect(await listed(neighbour.key)).not.toContain(cid);
  });
});

test('refuses code above the quota of the account with 409, until another one is deleted', async () => {
  const { key } = await newAccount();
  const long = (letter: string) => letter.repeat(8 * 1024 * 1024);
  const { cid } = await store(long('a'), { key });
  expect((await store(long('b'), { key })).reply.status).toBe(200);
  expectError((await store('c', { key })).reply, 409, /16777216 bytes/);
  expect((await post('delete_action_code', { action_ipfs_cid: cid }, key)).status).toBe(200);
  expect((await store('c', { key })).reply.status).toBe(200);
});

test('the page names the limits', () => {
  const page = readFileSync(new URL('../../../../docs/relayer.md', import.meta.url), 'utf8');
  expect(page).toContain(`| codes per account | ${MAX_STORED_CODES.toLocaleString('en')} |`);
  expect(page).toContain(`| all codes of an account | ${MAX_STORED_CODE_BYTES / 1024 / 1024} MiB |`);
});
