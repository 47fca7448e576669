/** One effect per Idempotency-Key: every endpoint that writes, ordered so that each has something to write. */
import { apiKeyHash, cidHash } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  createWallet,
  expectError,
  hex,
  newAccount,
  pay,
  post,
  read,
} from '@latchkey/testing/stack';
import { eoa, type Proof, proofOf } from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from './index.ts';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const otherCid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const hashed_cid = hex(cidHash(cid));
const labels = { name: 'n', description: 'd' };
const secret = { name: 'A', version: 1, ciphertext: Buffer.alloc(100, 2).toString('base64') };
const empty = { pkp_ids_permitted: [], cid_hashes_permitted: [] };

let account: Account;
let pkp_id: string;
let usage_api_key: string;
let rotated: string;
let runner: string;
let proofs: Record<'CreateWallet' | 'AddUsageApiKey' | 'ConvertAccount', Proof>;
let wallet: string;
let payment_intent_id: string;
beforeAll(async () => {
  account = await newAccount();
  await addGroup(account.key);
  pkp_id = await createWallet(account.key);
  usage_api_key = await addUsageKey(account.key);
  rotated = await addUsageKey(account.key);
  runner = await addUsageKey(account.key, { execute_in_groups: [0] });
  payment_intent_id = await pay({ 'X-Api-Key': account.key });
  const { address, signDigest } = await eoa();
  wallet = address;
  proofs = {
    CreateWallet: await proofOf({ primaryType: 'CreateWallet', address }, signDigest),
    AddUsageApiKey: await proofOf({ primaryType: 'AddUsageApiKey', address }, signDigest),
    ConvertAccount: await proofOf({ primaryType: 'ConvertAccount', address }, signDigest),
  };
});

/** A body, and a change to it. */
const writes: [path: string, body: () => object, change: object][] = [
  ['new_account', () => ({ account_name: 'n', account_description: '' }), { account_name: 'm' }],
  ['create_wallet', () => labels, { name: 'm' }],
  ['add_group', () => ({ group_name: 'n', group_description: '', ...empty }), { group_name: 'm' }],
  ['add_action', () => ({ action_ipfs_cid: cid, ...labels }), { name: 'm' }],
  ['add_action_to_group', () => ({ group_id: 1, action_ipfs_cid: cid }), { action_ipfs_cid: otherCid }],
  ['update_action_metadata', () => ({ hashed_cid, ...labels }), { name: 'm' }],
  ['add_pkp_to_group', () => ({ group_id: 1, pkp_id }), { group_id: 2 }],
  ['add_usage_api_key', () => labels, { name: 'm' }],
  ['update_usage_api_key', () => ({ usage_api_key, ...labels }), { can_create_pkps: true }],
  ['update_usage_api_key_metadata', () => ({ usage_api_key, ...labels }), { name: 'm' }],
  ['remove_action_from_group', () => ({ group_id: 1, hashed_cid }), { group_id: 2 }],
  ['remove_pkp_from_group', () => ({ group_id: 1, pkp_id }), { group_id: 2 }],
  ['delete_action', () => ({ hashed_cid }), { hashed_cid: hex(1n) }],
  ['update_group', () => ({ group_id: 1, ...labels, ...empty }), { name: 'm' }],
  ['add_to_group', () => ({ group_id: 1, cid_hashes: [hex(2n)] }), { group_id: 2 }],
  ['remove_from_group', () => ({ group_id: 1, cid_hashes: [hex(2n)] }), { group_id: 2 }],
  [
    'set_usage_api_key_expiration',
    () => ({ usage_api_key, expiration: '4102444800' }),
    { expiration: '4102444801' },
  ],
  ['set_usage_api_key_recording', () => ({ usage_api_key, record_output: true }), { record_output: false }],
  ['store_action_code', () => ({ action_ipfs_cid: otherCid, code: 'hello world' }), { code: 'other' }],
  ['delete_action_code', () => ({ action_ipfs_cid: otherCid }), { action_ipfs_cid: cid }],
  ['set_secret', () => ({ ...secret, wallet_address: pkp_id }), { name: 'OTHER' }],
  ['delete_secret', () => ({ name: secret.name }), { name: 'OTHER' }],
  [
    'rotate_usage_api_key',
    () => ({ usage_api_key: rotated, new_usage_api_key: hex(apiKeyHash(`after ${rotated}`)) }),
    { usage_api_key: hex(1n) },
  ],
  ['remove_group', () => ({ group_id: 1 }), { group_id: 2 }],
  ['remove_usage_api_key', () => ({ usage_api_key }), { usage_api_key: hex(1n) }],
  [
    'svc_action',
    () => ({ code: 'function main() { return crypto.randomUUID() }' }),
    { code: 'function main() {}' },
  ],
  [
    'add_webhook',
    () => ({ url: 'https://webhook.invalid/', types: ['run.finished'] }),
    { url: 'https://other.invalid/' },
  ],
  ['billing/create_payment_intent', () => ({ amount_cents: 500 }), { amount_cents: 501 }],
  ['billing/confirm_payment', () => ({ payment_intent_id }), { payment_intent_id: 'pi_1' }],
  ['create_wallet_with_signature', () => proofs.CreateWallet, { signature: '0x' }],
  ['add_usage_api_key_with_signature', () => proofs.AddUsageApiKey, { signature: '0x' }],
  [
    'convert_to_chain_secured_account',
    () => ({ new_admin_wallet_address: wallet, ...proofs.ConvertAccount }),
    { signature: '0x' },
  ],
];

/** Tested elsewhere: writes that end the caller's key, have only one body, are identified by their signed content, or need what their own tests make. */
const elsewhere = [
  'rotate_account_key',
  'retire_account',
  'remove_all_usage_api_keys',
  'submit_signed_write',
  'send_transaction',
  'cancel_transaction',
  'update_webhook',
  'remove_webhook',
  'test_webhook',
  'replay_webhook_deliveries',
  'approve',
  'refuse_approval',
  'cancel_approval',
  'billing/create_setup_intent',
  'billing/set_auto_top_up',
  'billing/remove_auto_top_up',
];

test('covers every endpoint that writes', () => {
  const paths = routes
    .filter(
      ({ method, idempotent, path }) =>
        method === 'POST' && idempotent !== false && !path.endsWith('/get_svc_action_ipfs_id'),
    )
    .map(({ path }) => path.replace('/core/v1/', ''));
  expect([...writes.map(([path]) => path), ...elsewhere].sort()).toEqual(paths.sort());
});

describe.each(writes)('%s', (path, body, change) => {
  const headers = { 'Idempotency-Key': `once-${path}-${crypto.randomUUID()}` };
  const send = (content: object) =>
    post(path, content, path === 'svc_action' ? runner : account.key, headers);

  test('returns 200 with one effect and one reply for concurrent and later duplicates', async () => {
    const [first, second] = await Promise.all([send(body()), send(body())]);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const sizes = await read('listSizes', [account.hash]);
    for (const duplicate of [second, await send(body())]) {
      expect(duplicate.status).toBe(200);
      expect(duplicate.body).toEqual(first.body);
      expect(duplicate.headers.get('x-block-number')).toBe(first.headers.get('x-block-number'));
    }
    expect(await read('listSizes', [account.hash])).toEqual(sizes);
  });

  test('returns 409 for another body', async () => {
    expectError(await send({ ...body(), ...change }), 409, /Idempotency-Key/);
  });
});
