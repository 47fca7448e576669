import { apiKeyHash, cidHash } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  cidOfCode,
  createWallet,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  stack,
} from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns usage keys, groups, actions, wallets and credit of the last write, and no key', async () => {
  const { key, hash, wallet: admin } = await newAccount();
  const wallet = await createWallet(key);
  const code = `const main = () => ${Date.now()}`;
  const cid = await cidOfCode(code);
  const unrun = await cidOfCode(`${code}0`);
  const stored = await cidOfCode(`${code}1`);
  const group = await addGroup(key, { pkp_ids_permitted: [wallet], cid_hashes_permitted: [] });
  for (const action_ipfs_cid of [cid, unrun, stored])
    expectWritten(await post('add_action_to_group', { group_id: group, action_ipfs_cid }, key));
  const usageKey = await addUsageKey(key, { execute_in_groups: [group], max_concurrency: 3 });
  expect((await post('svc_action', { code }, usageKey)).status).toBe(200);
  const sent = { action_ipfs_cid: stored, code: `${code}1` };
  expect((await post('store_action_code', sent, key)).status).toBe(200);
  const written = await post(
    'update_action_metadata',
    { hashed_cid: hex(cidHash(cid)), name: 'n', description: 'd' },
    key,
  );

  const { status, body, headers } = await get('export_account', key);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    format_version: 1,
    chain_id: stack.chainId,
    contract: stack.contractAddress,
    account: { api_key_hash: hex(hash), admin_wallet_address: admin, managed: true },
    usage_keys: [
      {
        api_key_hash: hex(apiKeyHash(usageKey)),
        name: 'test',
        can_execute_in_groups: [Number(group)],
        max_concurrency: 3,
        max_run_seconds: null,
        record_output: false,
      },
    ],
    groups: [{ id: hex(BigInt(group)), name: 'test', pkp_ids_permitted: [wallet] }],
    actions: [
      { id: hex(cidHash(cid)), cid, name: 'n', description: 'd' },
      { id: hex(cidHash(unrun)), cid: null, name: '' },
      { id: hex(cidHash(stored)), cid: stored, name: '' },
    ],
    wallets: [{ wallet_address: wallet, exportable: true }],
  });
  const { block_number: block, credit_micros: credit } = body as {
    block_number: string;
    credit_micros: number;
  };
  expect(BigInt(block)).toBeGreaterThanOrEqual(expectWritten(written));
  expect(credit).toBe(((await get('billing/balance', key)).body as { credit_micros: number }).credit_micros);
  expect(headers.get('ratelimit')).toMatch(/^"exports";r=\d+;t=\d+$/);
  const text = JSON.stringify(body);
  for (const secret of [key, usageKey]) expect(text).not.toContain(secret);
});

test('never returns code: an account that ran code of a neighbour by its CID gets the CID', async () => {
  const code = `const main = () => 'code of a neighbour ${Date.now()}'`;
  const cid = await cidOfCode(code);
  /** Runs the code or its CID with a new account. Returns the export of the account. */
  const run = async (source: object) => {
    const { key } = await newAccount();
    const group = await addGroup(key, { pkp_ids_permitted: [], cid_hashes_permitted: [] });
    expectWritten(await post('add_action_to_group', { group_id: group, action_ipfs_cid: cid }, key));
    const usageKey = await addUsageKey(key, { execute_in_groups: [group] });
    expect((await post('svc_action', source, usageKey)).status).toBe(200);
    return (await get('export_account?include_code=true', key)).body;
  };
  for (const body of [await run({ code }), await run({ ipfs_id: cid })]) {
    expect(body).toMatchObject({ actions: [{ id: hex(cidHash(cid)), cid }] });
    expect(JSON.stringify(body)).not.toContain('code of a neighbour');
  }
});
