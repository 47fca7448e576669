import { apiKeyHash, cidHash, cidOf } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  createWallet,
  expectError,
  get,
  hex,
  newAccount,
  post,
} from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const other = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';

const account = await newAccount();
const [wallet, outside] = await Promise.all([createWallet(account.key), createWallet(account.key)]);
const groupId = await addGroup(account.key, {
  cid_hashes_permitted: [hex(cidHash(cid))],
  pkp_ids_permitted: [wallet],
});
const scoped = await addUsageKey(account.key, { execute_in_groups: [groupId] });
const wildcard = await addUsageKey(account.key, { execute_in_groups: [0] });

const explain = async (query: string, key: string) => {
  const reply = await get(`explain_execution?${query}`, key);
  expect(reply.status).toBe(200);
  return reply.body;
};
const yes = { permitted: true, rule: 'group', explanation: expect.any(String) };
const no = { permitted: false, group_id: '0', explanation: expect.any(String) };

describe('200', () => {
  test('names the group that grants both', async () => {
    const both = { action: { ...yes, group_id: groupId }, wallet: { ...yes, group_id: groupId } };
    expect(await explain(`cid=${cid}&pkp_id=${wallet}`, scoped)).toEqual({ ...both, code_stored: false });
    expect(await explain(`hashed_cid=${hex(cidHash(cid))}&pkp_id=${wallet.toLowerCase()}`, scoped)).toEqual(
      both,
    );
  });

  test('says nothing about a wallet without pkp_id', async () => {
    expect(await explain(`cid=${cid}`, scoped)).toEqual({
      action: { ...yes, group_id: groupId },
      code_stored: false,
    });
  });

  test('names what is missing', async () => {
    expect(await explain(`cid=${other}&pkp_id=${wallet}`, scoped)).toEqual({
      action: { ...no, rule: 'no_group_permits_action' },
      wallet: { ...no, rule: 'no_group_permits_wallet' },
      code_stored: false,
    });
    expect(await explain(`cid=${cid}&pkp_id=${outside}`, scoped)).toMatchObject({
      action: yes,
      wallet: { ...no, rule: 'no_group_permits_wallet' },
      code_stored: false,
    });
    const foreign = await createWallet((await newAccount()).key);
    expect(await explain(`cid=${cid}&pkp_id=${foreign}`, scoped)).toMatchObject({
      wallet: { ...no, rule: 'wallet_unknown' },
    });
  });

  test('says whether the relayer stores the code', async () => {
    const code = `const main = () => ${Math.random()}`;
    const stored = await cidOf(code);
    expect(await explain(`cid=${stored}`, wildcard)).toMatchObject({ code_stored: false });
    expect((await post('svc_action', { code }, wildcard)).status).toBe(200);
    expect(await explain(`cid=${stored}`, wildcard)).toMatchObject({ code_stored: true });
  });

  test('a wildcard permits the run and never a wallet', async () => {
    expect(await explain(`cid=${other}&pkp_id=${wallet}`, wildcard)).toEqual({
      action: { permitted: true, rule: 'wildcard', group_id: '0', explanation: expect.any(String) },
      wallet: { ...no, rule: 'no_group_permits_wallet' },
      code_stored: false,
    });
  });

  test('agrees with what a run does', async () => {
    const code = 'const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })';
    const { body: codeCid } = await post('get_svc_action_ipfs_id', code);
    for (const pkpId of [wallet, outside]) {
      const { wallet: verdict } = (await explain(`cid=${codeCid}&pkp_id=${pkpId}`, wildcard)) as {
        wallet: { permitted: boolean };
      };
      const { body } = await post('svc_action', { code, js_params: { pkpId } }, wildcard);
      expect(body).toMatchObject({ has_error: !verdict.permitted });
    }
    await post('add_action_to_group', { group_id: groupId, action_ipfs_cid: codeCid }, account.key);
    expect(await explain(`cid=${codeCid}&pkp_id=${wallet}`, wildcard)).toMatchObject({ wallet: yes });
    expect((await post('svc_action', { code, js_params: { pkpId: wallet } }, wildcard)).body).toMatchObject({
      has_error: false,
    });
  });
});

describe('an account key asks with the hash of a usage key', () => {
  const about = (key: string) => `cid=${cid}&pkp_id=${wallet}&usage_api_key=${hex(apiKeyHash(key))}`;

  test('200: the answer that the usage key gets', async () => {
    for (const key of [scoped, wildcard])
      expect(await explain(about(key), account.key)).toEqual(
        await explain(`cid=${cid}&pkp_id=${wallet}`, key),
      );
  });

  test('404: a removed key, an account key, and the key of another account', async () => {
    const removed = await addUsageKey(account.key);
    expect(await explain(about(removed), account.key)).toMatchObject({ action: no });
    await post('remove_usage_api_key', { usage_api_key: removed }, account.key);
    const other = await newAccount();
    for (const key of [removed, account.key, await addUsageKey(other.key)])
      expectError(await get(`explain_execution?${about(key)}`, account.key), 404);
  });

  test('400: the key itself, which belongs in no URL', async () => {
    const query = `cid=${cid}&usage_api_key=${encodeURIComponent(scoped)}`;
    expectError(await get(`explain_execution?${query}`, account.key), 400);
  });

  test('422: with a usage key, also about itself', async () => {
    for (const key of [scoped, wildcard])
      expectError(await get(`explain_execution?${about(scoped)}`, key), 422);
  });
});

test.each(['', `cid=${cid}&hashed_cid=${hex(1n)}`, `pkp_id=${'0x'.padEnd(42, '1')}`])(
  '422: %j',
  async (query) => {
    expectError(await get(`explain_execution?${query}`, scoped), 422);
  },
);

test.each(['cid=x', 'hashed_cid=0x1', `cid=${cid}&pkp_id=0x1`])('400: %j', async (query) => {
  expectError(await get(`explain_execution?${query}`, scoped), 400);
});
