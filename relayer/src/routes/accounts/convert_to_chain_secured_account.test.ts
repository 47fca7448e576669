import { walletIdentity } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  createWallet,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import {
  type AdminWallet,
  accountOf,
  billingAuth,
  delegatedEoa,
  envelopeOf,
  eoa,
  multisig,
  proofOf,
} from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';

const primaryType = 'ConvertAccount';
const path = 'convert_to_chain_secured_account';

const bodyFor = async ({ address, signDigest }: AdminWallet) => ({
  new_admin_wallet_address: address,
  ...(await proofOf({ primaryType, address }, signDigest)),
});

const readAdmin = async (hash: bigint) => {
  const [, admin, managed] = await read('resolve', [hash]);
  return { admin, managed };
};

describe('200', () => {
  test.each([
    ['an EOA', eoa],
    ['a multisig', multisig],
    ['an EOA that delegates', delegatedEoa],
  ])('%s becomes the admin wallet and the account keeps its contents', async (_what, open) => {
    const admin = await open();
    const { key, hash } = await newAccount();
    const wallet = await createWallet(key);
    const groupId = await addGroup(key, { cid_hashes_permitted: [hex(0n)], pkp_ids_permitted: [wallet] });
    const usageKey = await addUsageKey(key, { execute_in_groups: [groupId], can_create_groups: true });

    const reply = await post(path, await bodyFor(admin), key);
    expectWritten(reply, {
      success: true,
      wallet_address: admin.address,
      api_key_hash: hex(hash),
      transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(await readAdmin(hash)).toEqual({ admin: admin.address, managed: false });
    expect(await read('allApiKeyHashesToMaster', [walletIdentity(admin.address)])).toBe(hash);

    expectError(await post('add_group', { group_name: 'n', group_description: '' }, key), 403);
    expectError(await post('add_usage_api_key', {}, key), 403);
    expectError(await post('add_group', { group_name: 'n', group_description: '' }, usageKey), 403);
    const code = `const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })`;
    const run = await post('svc_action', { code, js_params: { pkpId: wallet } }, usageKey);
    expect(run.body).toMatchObject({ has_error: false, response: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect((await get('list_groups', key)).body).toMatchObject([
      { name: 'test', pkp_ids_permitted: [wallet] },
    ]);

    await accountOf(admin)('addGroup', [hash, 'by the wallet', '', [], []]);
    expectError(await post(path, await bodyFor(await eoa()), key), 409, /already ChainSecured/);
  });

  test('the account key reads nothing but what the conversion keeps, also after a transfer', async () => {
    const [admin, buyer] = await Promise.all([eoa(), eoa()]);
    const { key, hash } = await newAccount();
    const wallet = await createWallet(key);
    const usageKey = await addUsageKey(key, { execute_in_groups: [0] });
    const recorded = { usage_api_key: usageKey, record_output: true };
    await post('set_usage_api_key_recording', recorded, key);
    const run = await post('svc_action', { code: 'const main = () => "secret"' }, usageKey);
    const runId = run.headers.get('x-run-id');
    expectWritten(await post(path, await bodyFor(admin), key), expect.anything());
    const [kept, refused] = [
      ['list_groups', 'list_actions', 'list_wallets', 'list_api_keys', 'billing/balance'],
      [
        'list_runs',
        `run/${runId}`,
        'transactions',
        'list_approvals',
        'list_secrets',
        'list_action_codes',
        'list_webhooks',
        'requests',
        'export_account',
        'list_account_changes',
        'billing/ledger',
        'billing/auto_top_up',
        `key_releases?wallet=${wallet}&nonce=${'ab'.repeat(16)}`,
      ],
    ];
    const expectNoAccess = async (headers = {}) => {
      for (const read of kept) expect((await get(read, key, headers)).status).toBe(200);
      for (const read of refused) expectError(await get(read, key, headers), 403, /former account key/);
      expectError(await post('billing/create_payment_intent', { amount_cents: 500 }, key, headers), 403);
    };
    await expectNoAccess();
    await accountOf(admin)('transferChainSecuredAccountOwnership', [hash, buyer.address]);
    const accepted = await accountOf(buyer)('acceptAccount', [hash]);
    await expectNoAccess({ 'X-Min-Block': String(accepted) });
    const headers = { ...(await billingAuth(buyer)), 'X-Min-Block': String(accepted) };
    expect(await get(`run/${runId}`, undefined, headers)).toMatchObject({ status: 200 });
  });

  test('converts once and returns the same reply for the same Idempotency-Key', async () => {
    const { key } = await newAccount();
    const body = await bodyFor(await eoa());
    const headers = { 'Idempotency-Key': 'convert' };
    const replies = await Promise.all([1, 2, 3].map(() => post(path, body, key, headers)));
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, body: replies[0]?.body as object });
  });
});

describe('nothing is converted', () => {
  let account: Account;
  beforeAll(async () => {
    account = await newAccount();
  });

  test('returns 400 for a proof of or by another wallet, or for another flow', async () => {
    const [admin, other] = await Promise.all([eoa(), eoa()]);
    const body = await bodyFor(admin);
    const { address } = admin;
    for (const wrong of [
      { ...body, new_admin_wallet_address: other.address },
      { ...body, ...(await proofOf({ primaryType, address }, other.signDigest)) },
      { ...body, ...(await proofOf({ primaryType: 'BillingAuth', address }, admin.signDigest)) },
      { ...body, new_admin_wallet_address: '0x' },
    ])
      expectError(await post(path, wrong, account.key), 400);
    expect(await readAdmin(account.hash)).toEqual({ admin: account.wallet, managed: true });
  });

  test('returns 403 for a usage key', async () => {
    const usageKey = await addUsageKey(account.key, { can_create_groups: true, execute_in_groups: [0] });
    expectError(await post(path, await bodyFor(await eoa()), usageKey), 403);
    expect(await readAdmin(account.hash)).toMatchObject({ managed: true });
  });

  test('returns 409 for a wallet that owns an account, or ever was an admin wallet', async () => {
    const [admin, next] = await Promise.all([eoa(), eoa()]);
    const write = accountOf(admin);
    await write('newChainSecuredAccount', ['', '']);
    expectError(await post(path, await bodyFor(admin), account.key), 409);
    await write('transferChainSecuredAccountOwnership', [walletIdentity(admin.address), next.address]);
    expectError(await post(path, await bodyFor(admin), account.key), 409);
    expect(await readAdmin(account.hash)).toMatchObject({ managed: true });
  });

  test('two concurrent conversions: one wallet becomes the admin wallet', async () => {
    const { key, hash } = await newAccount();
    const wallets = await Promise.all([eoa(), eoa()]);
    const bodies = await Promise.all(wallets.map(bodyFor));
    const replies = await Promise.all(bodies.map((body) => post(path, body, key)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = wallets[replies.findIndex(({ status }) => status === 200)];
    expect(await readAdmin(hash)).toEqual({ admin: winner?.address, managed: false });
  });

  test('422', async () => {
    const typed_data = envelopeOf({ primaryType, address: account.wallet });
    for (const body of [{}, { typed_data, signature: '0x' }, { new_admin_wallet_address: account.wallet }])
      expectError(await post(path, body, account.key), 422);
  });
});
