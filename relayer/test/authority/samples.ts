/** A request per endpoint that succeeds for a caller with the right authority. */
import { randomUUID } from 'node:crypto';
import { accountConfigAbi, apiKeyHash, cidOf } from '@latchkey/protocol';
import type { Sample } from '@latchkey/testing/fuzz/requests';
import {
  addGroup,
  addUsageKey,
  createWallet,
  expectWritten,
  hex,
  newKeyText,
  post,
  stack,
} from '@latchkey/testing/stack';
import { proofOf } from '@latchkey/testing/wallet-proof';
import { encodeFunctionData } from 'viem';
import { expect } from 'vitest';
import { actionCode, freshCid, type Home, hashedCid } from './accounts.ts';

type Maker = (home: Home) => Sample | Promise<Sample>;

const labels = { name: 'sample', description: 'a sample' };
const nothing: Maker = () => ({});
const page: Maker = () => ({ query: { page_number: '0', page_size: '10' } });
const pageOfGroup: Maker = ({ groupId }) => ({ query: { group_id: groupId, page_size: '10' } });

const decision: Maker = () => ({
  body: { id: randomUUID(), approver: `0x${'22'.repeat(20)}`, signature: `0x${'11'.repeat(64)}1b` },
});
const run: Maker = ({ runId }) => ({ params: { id: runId } });

const proof =
  (primaryType: 'CreateWallet' | 'AddUsageApiKey' | 'ConvertAccount'): Maker =>
  async ({ occupiedWallet: { address, signDigest } }) => ({
    body: await proofOf({ primaryType, address }, signDigest),
  });

/** A secret that no key decrypts. */
const secretOf = ({ pkpId }: Home) => ({
  name: `SECRET_${crypto.randomUUID().replaceAll('-', '')}`,
  version: Date.now(),
  wallet_address: pkpId,
  ciphertext: Buffer.alloc(100, 2).toString('base64'),
});

/** Code that no other request has. */
async function freshCode() {
  const code = `// ${randomUUID()}`;
  return { action_ipfs_cid: await cidOf(code), code };
}

async function storeCode({ key }: Home): Promise<string> {
  const code = await freshCode();
  expect((await post('store_action_code', code, key)).status).toBe(200);
  return code.action_ipfs_cid;
}

/** Requests that remove something add it first, so that each succeeds. */
const makers: Record<string, Maker> = {
  'POST /core/v1/new_account': () => ({ body: { account_name: 'sample', account_description: '' } }),
  'GET /core/v1/new_account_challenge': nothing,
  'GET /core/v1/account_exists': nothing,
  'GET /core/v1/export_account': nothing,
  'GET /core/v1/list_account_changes': nothing,
  'GET /core/v1/requests': nothing,
  'GET /core/v1/account_admin': ({ hash }) => ({ query: { account: hex(hash) } }),
  'POST /core/v1/convert_to_chain_secured_account': async (home) => {
    const { body } = await proof('ConvertAccount')(home);
    return { body: { new_admin_wallet_address: home.occupiedWallet.address, ...(body as object) } };
  },
  'POST /core/v1/rotate_account_key': (home) => ({
    body: { new_api_key: hex(apiKeyHash(home.spareUsageKey)), new_wallet_address: home.wallet },
  }),
  'POST /core/v1/retire_account': () => ({ body: { api_key_hash: hex(1n) } }),
  'POST /core/v1/submit_signed_write': ({ hash }) => ({
    body: {
      api_key_hash: hex(hash),
      signer: '0x2222222222222222222222222222222222222222',
      calls: [
        encodeFunctionData({
          abi: accountConfigAbi,
          functionName: 'addGroup',
          args: [hash, 'sample', '', [], []],
        }),
      ],
      nonce: hex(1n),
      deadline: '4102444800',
      signature: `0x${'11'.repeat(64)}1b`,
    },
  }),
  'POST /core/v1/add_usage_api_key': () => ({ body: { ...labels, can_create_pkps: true } }),
  'POST /core/v1/add_usage_api_key_with_signature': proof('AddUsageApiKey'),
  'GET /core/v1/list_api_keys': page,
  'POST /core/v1/update_usage_api_key': (home) => ({
    body: { ...labels, usage_api_key: home.spareUsageKey, can_delete_groups: true },
  }),
  'POST /core/v1/update_usage_api_key_metadata': (home) => ({
    body: { ...labels, usage_api_key: home.spareUsageKey },
  }),
  'POST /core/v1/remove_usage_api_key': async (home) => ({
    body: { usage_api_key: await addUsageKey(home.key) },
  }),
  'POST /core/v1/rotate_usage_api_key': async (home) => ({
    body: { usage_api_key: await addUsageKey(home.key), new_usage_api_key: newKeyText() },
  }),
  'POST /core/v1/set_usage_api_key_expiration': (home) => ({
    body: { usage_api_key: home.spareUsageKey, expiration: '4102444800' },
  }),
  'POST /core/v1/set_usage_api_key_recording': (home) => ({
    body: { usage_api_key: home.spareUsageKey, record_output: true },
  }),
  'POST /core/v1/remove_all_usage_api_keys': () => ({ body: { unknown: true } }),
  'POST /core/v1/add_to_group': async (home) => ({
    body: { group_id: home.groupId, cid_hashes: [hashedCid(await freshCid())] },
  }),
  'POST /core/v1/remove_from_group': async (home) => {
    const pkpId = await createWallet(home.key);
    expectWritten(await post('add_pkp_to_group', { group_id: home.groupId, pkp_id: pkpId }, home.key));
    return { body: { group_id: home.groupId, pkp_ids: [pkpId] } };
  },
  'POST /core/v1/add_group': () => ({
    body: { group_name: 'sample', group_description: '', pkp_ids_permitted: [], cid_hashes_permitted: [] },
  }),
  'GET /core/v1/list_groups': page,
  'POST /core/v1/update_group': (home) => ({
    body: {
      ...labels,
      group_id: home.groupId,
      pkp_ids_permitted: [home.pkpId],
      cid_hashes_permitted: home.cidHashes,
    },
  }),
  'POST /core/v1/remove_group': async (home) => ({ body: { group_id: await addGroup(home.key) } }),
  'POST /core/v1/add_action_to_group': (home) => ({
    body: { group_id: home.groupId, action_ipfs_cid: home.spareCid },
  }),
  'POST /core/v1/remove_action_from_group': async (home) => {
    const cid = await freshCid();
    const member = { group_id: home.groupId, action_ipfs_cid: cid };
    expectWritten(await post('add_action_to_group', member, home.key));
    return { body: { group_id: home.groupId, hashed_cid: hashedCid(cid) } };
  },
  'POST /core/v1/add_pkp_to_group': (home) => ({
    body: { group_id: home.groupId, pkp_id: home.sparePkpId },
  }),
  'POST /core/v1/remove_pkp_from_group': async (home) => {
    const member = { group_id: home.groupId, pkp_id: await createWallet(home.key) };
    expectWritten(await post('add_pkp_to_group', member, home.key));
    return { body: member };
  },
  'POST /core/v1/add_action': async () => ({ body: { ...labels, action_ipfs_cid: await freshCid() } }),
  'GET /core/v1/list_actions': pageOfGroup,
  'POST /core/v1/update_action_metadata': (home) => ({
    body: { ...labels, hashed_cid: hashedCid(home.spareCid) },
  }),
  'POST /core/v1/delete_action': async (home) => {
    const cid = await freshCid();
    expectWritten(await post('add_action', { ...labels, action_ipfs_cid: cid }, home.key));
    return { body: { hashed_cid: hashedCid(cid) } };
  },
  'POST /core/v1/create_wallet': () => ({ body: labels }),
  'GET /core/v1/create_wallet': () => ({ query: labels }),
  'POST /core/v1/create_wallet_with_signature': proof('CreateWallet'),
  'GET /core/v1/list_wallets': page,
  'GET /core/v1/list_wallets_in_group': pageOfGroup,
  'GET /core/v1/key_releases': ({ pkpId }) => ({ query: { wallet: pkpId, nonce: '00'.repeat(16) } }),
  'POST /core/v1/svc_action': (home) => ({ body: { code: actionCode, js_params: { pkpId: home.pkpId } } }),
  'POST /core/v1/store_action_code': async () => ({ body: await freshCode() }),
  'GET /core/v1/list_action_codes': nothing,
  'GET /core/v1/action_code/:cid': async (home) => ({ params: { cid: await storeCode(home) } }),
  'POST /core/v1/delete_action_code': async (home) => ({ body: { action_ipfs_cid: await storeCode(home) } }),
  'POST /core/v1/set_secret': (home) => ({ body: secretOf(home) }),
  'GET /core/v1/list_secrets': nothing,
  'GET /core/v1/list_secret_events': () => ({ query: { name: 'ANY' } }),
  'POST /core/v1/delete_secret': async (home) => {
    const secret = secretOf(home);
    expect((await post('set_secret', secret, home.key)).status).toBe(200);
    return { body: { name: secret.name } };
  },
  'POST /core/v1/send_transaction': ({ pkpId }) => ({
    body: { pkp_id: pkpId, chain_id: stack.chainId, to: pkpId, value: String(2n ** 256n) },
  }),
  'GET /core/v1/list_runs': () => ({ query: { page_size: '10' } }),
  'GET /core/v1/run/:id': run,
  'GET /core/v1/list_approvals': () => ({ query: { page_size: '10' } }),
  'GET /core/v1/approval/:id': () => ({ params: { id: randomUUID() } }),
  'POST /core/v1/approve': decision,
  'POST /core/v1/refuse_approval': decision,
  'POST /core/v1/cancel_approval': () => ({ body: { id: randomUUID() } }),
  'DELETE /core/v1/run/:id': run,
  'GET /core/v1/transactions': () => ({ query: { page_size: '10' } }),
  'GET /core/v1/transactions/events': nothing,
  'GET /core/v1/transactions/:id': () => ({ params: { id: crypto.randomUUID() } }),
  'POST /core/v1/cancel_transaction': () => ({ body: { id: crypto.randomUUID() } }),
  'GET /core/v1/explain_execution': (home) => ({ query: { cid: home.cid, pkp_id: home.pkpId } }),
  'GET /core/v1/get_svc_action_client_config': nothing,
  'POST /core/v1/get_svc_action_ipfs_id': () => ({ body: actionCode }),
  'GET /core/v1/billing/processor_config': nothing,
  'GET /core/v1/billing/balance': nothing,
  'GET /core/v1/billing/ledger': page,
  'POST /core/v1/billing/create_payment_intent': () => ({ body: { amount_cents: 500 } }),
  'POST /core/v1/billing/confirm_payment': (home) => ({
    body: { payment_intent_id: home.paymentIntentId },
  }),
  'GET /core/v1/billing/auto_top_up': nothing,
  'POST /core/v1/billing/create_setup_intent': () => ({ body: {} }),
  'POST /core/v1/billing/set_auto_top_up': () => ({
    body: {
      threshold_cents: 500,
      amount_cents: 500,
      monthly_limit_cents: 500,
      setup_intent_id: 'seti_none',
    },
  }),
  'POST /core/v1/billing/remove_auto_top_up': () => ({ body: {} }),
  'GET /core/v1/billing/top_up_payment': nothing,
  'GET /core/v1/billing/receipt': (home) => ({ query: { payment_intent_id: home.paymentIntentId } }),
  'POST /core/v1/billing/webhook': () => ({
    body: { type: 'payment_intent.succeeded' },
    headers: { 'Stripe-Signature': 't=1,v1=00' },
  }),
  'POST /core/v1/add_webhook': () => ({ body: { url: 'https://127.0.0.1/', types: ['run.finished'] } }),
  'GET /core/v1/list_webhooks': nothing,
  'POST /core/v1/update_webhook': ({ webhookId }) => ({
    body: { webhook_id: webhookId, types: ['account.changed'] },
  }),
  'POST /core/v1/remove_webhook': () => ({ body: { webhook_id: crypto.randomUUID() } }),
  'POST /core/v1/test_webhook': ({ webhookId }) => ({ body: { webhook_id: webhookId } }),
  'GET /core/v1/list_webhook_deliveries': ({ webhookId }) => ({ query: { webhook_id: webhookId } }),
  'POST /core/v1/replay_webhook_deliveries': ({ webhookId }) => ({
    body: { webhook_id: webhookId, failed_since: '2026-01-01T00:00:00.000Z' },
  }),
  'GET /core/v1/get_node_chain_config': nothing,
  'GET /core/v1/get_api_payers': nothing,
  'GET /core/v1/get_admin_api_payer': nothing,
  'GET /core/v1/version': nothing,
  'GET /version': nothing,
  'GET /health': nothing,
  'GET /live': nothing,
  'GET /ready': nothing,
  'GET /operator/v1/status': nothing,
};

export const sampleNames: readonly string[] = Object.keys(makers);

/** Returns a new request per call. Throws for an endpoint without a sample. */
export async function createSample(endpoint: string, home: Home): Promise<Sample> {
  const maker = makers[endpoint];
  if (!maker)
    throw new Error(`${endpoint} has no sample request: add one to relayer/test/authority/samples.ts`);
  return maker(home);
}
