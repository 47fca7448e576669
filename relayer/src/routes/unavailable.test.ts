/** Every endpoint that needs a part which is down returns 503; all others work. */

import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import {
  addUsageKey,
  call,
  expectError,
  hex,
  newAccount,
  payAndConfirm,
  stack,
} from '@latchkey/testing/stack';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownRelayer } from '../../test/own-relayer.ts';

let usageKey: string;

const rpc = disposeAfterAll(await rpcProxy(stack.rpcUrl));
const relayer = disposeAfterAll(await ownRelayer({ RPC_URL: rpc.url, INDEXER_URLS: 'http://127.0.0.1:9' }));
const accountKey = (await newAccount()).key;
beforeAll(async () => {
  await payAndConfirm({ 'X-Api-Key': accountKey }, { url: relayer.url });
  usageKey = await addUsageKey(accountKey, { execute_in_groups: [0] });
});

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const group = { group_id: 1 };
const wallet = { pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' };
const labels = { name: 'n', description: 'd' };
const key = { usage_api_key: hex(1n) };

const writes: [string, unknown][] = [
  ['new_account', { account_name: 'n', account_description: '' }],
  ['add_usage_api_key', {}],
  ['update_usage_api_key', key],
  ['update_usage_api_key_metadata', { ...key, ...labels }],
  ['remove_usage_api_key', key],
  ['add_group', { group_name: 'n', group_description: '' }],
  ['update_group', { ...group, ...labels, pkp_ids_permitted: [], cid_hashes_permitted: [] }],
  ['remove_group', group],
  ['add_action_to_group', { ...group, action_ipfs_cid: cid }],
  ['remove_action_from_group', { ...group, hashed_cid: hex(1n) }],
  ['add_pkp_to_group', { ...group, ...wallet }],
  ['remove_pkp_from_group', { ...group, ...wallet }],
  ['add_action', { action_ipfs_cid: cid, ...labels }],
  ['update_action_metadata', { hashed_cid: hex(1n), ...labels }],
  ['delete_action', { hashed_cid: hex(1n) }],
  ['create_wallet', {}],
];
const lists = [
  'list_api_keys',
  'list_groups',
  'list_actions',
  'list_wallets',
  'list_wallets_in_group?group_id=1',
  'list_account_changes',
];

describe('the indexer is down', () => {
  test.each(lists)('%s', async (path) => {
    expectError(await call('GET', path, { key: accountKey }, relayer.url), 503);
  });

  test('all other endpoints work', async () => {
    const run = { key: usageKey, body: { code: 'function main() { return 1 }' } };
    expect(await call('POST', 'svc_action', run, relayer.url)).toMatchObject({
      status: 200,
      body: { response: 1 },
    });
    expect((await call('GET', 'account_exists', { key: accountKey }, relayer.url)).body).toBe(true);
  });
});

describe('the chain is down', () => {
  beforeAll(() => {
    rpc.broken = true;
  });

  test.each(writes)('%s', async (path, body) => {
    const reply = await call('POST', path, { key: accountKey, body }, relayer.url);
    // A mint asks the key nodes, which may be the first to miss the chain.
    expectError(
      reply,
      503,
      /^(A service that this request depends on is unavailable\.|the key nodes do not answer)$/,
    );
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each(['account_exists', 'get_api_payers', 'get_admin_api_payer', ...lists])('%s', async (path) => {
    // Not in the cache, so its state can only come from the chain.
    const unknown = Buffer.alloc(32, 8).toString('base64');
    expectError(await call('GET', path, { key: unknown }, relayer.url), 503);
  });

  test('svc_action', async () => {
    const body = { code: 'function main() {}' };
    expectError(await call('POST', 'svc_action', { key: usageKey, body }, relayer.url), 503);
  });

  test('endpoints that do not need the chain work', async () => {
    for (const path of ['version', 'get_node_chain_config', 'get_svc_action_client_config'])
      expect((await call('GET', path, {}, relayer.url)).status).toBe(200);
    expect((await fetch(`${relayer.url}/live`)).status).toBe(200);
    expect((await fetch(`${relayer.url}/ready`)).status).toBe(503);
    const health = await fetch(`${relayer.url}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({
      chain: { ok: false, detail: 'does not work' },
      database: { ok: true },
    });
  });
});
