/** The life of an account in both modes, by raw transactions and curl, for each kind of admin wallet. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { apiKeyHash, cidHash, type PrimaryType, walletIdentity } from '@latchkey/protocol';
import { cidOfCode, hex, payAndConfirm, read, stack } from '@latchkey/testing/stack';
import {
  type AdminWallet,
  accountOf,
  billingAuth,
  delegatedEoa,
  eoa,
  multisig,
  proofOf,
} from '@latchkey/testing/wallet-proof';
import { type Hex, verifyMessage } from 'viem';
import { describe, expect, test } from 'vitest';

const code = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message);
}`;
const permissions = [false, false, false, [], [], [], [1n]] as const;

/** Sends a request with curl. */
async function curl(path: string, body?: unknown, key?: string, block?: bigint) {
  const { stdout } = await promisify(execFile)('curl', [
    ...['--silent', '--write-out', '\n%{http_code}', `${stack.url}/core/v1/${path}`],
    ...(key === undefined ? [] : ['--header', `X-Api-Key: ${key}`]),
    ...(block === undefined ? [] : ['--header', `X-Min-Block: ${block}`]),
    ...(body === undefined
      ? []
      : ['--header', 'Content-Type: application/json', '--data', JSON.stringify(body)]),
  ]);
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: JSON.parse(stdout.slice(0, end)) };
}

async function bySignature<Reply>(
  path: string,
  primaryType: PrimaryType,
  { address, signDigest }: AdminWallet,
) {
  const reply = await curl(path, await proofOf({ primaryType, address }, signDigest));
  expect(reply.status).toBe(200);
  return reply.body as Reply;
}
const mintWallet = (admin: AdminWallet) =>
  bySignature<{ wallet_address: Hex; derivation_path: Hex }>(
    'create_wallet_with_signature',
    'CreateWallet',
    admin,
  );
const mintUsageKey = (admin: AdminWallet) =>
  bySignature<{ usage_api_key: string; wallet_address: Hex; derivation_path: Hex }>(
    'add_usage_api_key_with_signature',
    'AddUsageApiKey',
    admin,
  );

async function expectSigned(usageKey: string, pkpId: Hex, block?: bigint): Promise<void> {
  const message = 'life';
  const run = await curl('svc_action', { code, js_params: { pkpId, message } }, usageKey, block);
  expect(run).toMatchObject({ status: 200, body: { has_error: false } });
  expect(await verifyMessage({ address: pkpId, message, signature: run.body.response })).toBe(true);
}

/** Transfers the account, and expects that the former admin wallet can neither write to it nor mint for it. */
async function expectTransferred(account: bigint, former: AdminWallet): Promise<AdminWallet> {
  const next = await eoa();
  await accountOf(former)('transferChainSecuredAccountOwnership', [account, next.address]);
  await expect(accountOf(former)('addGroup', [account, 'former', '', [], []])).rejects.toThrow();
  await accountOf(next)('addGroup', [account, 'next', '', [], []]);
  const minted = await mintWallet(former);
  const registration = [account, minted.wallet_address, BigInt(minted.derivation_path), '', ''] as const;
  await expect(accountOf(former)('registerWalletDerivation', registration)).rejects.toThrow();
  await expect(accountOf(next)('registerWalletDerivation', registration)).rejects.toThrow();
  return next;
}

describe.each([
  ['an EOA', eoa],
  ['a multisig', multisig],
  ['an EOA that delegates', delegatedEoa],
])('%s', (_what, open) => {
  test('creates an account, mints, scopes a key, runs, and transfers the account', async () => {
    const admin = await open();
    const write = accountOf(admin);
    const identity = walletIdentity(admin.address);
    await write('newChainSecuredAccount', ['life', '']);
    await payAndConfirm(await billingAuth(admin));

    const wallet = await mintWallet(admin);
    const pkpId = wallet.wallet_address;
    expect(await read('getWalletDerivation', [identity, pkpId])).toBe(0n);
    await write('registerWalletDerivation', [identity, pkpId, BigInt(wallet.derivation_path), 'signer', '']);
    const action = cidHash(await cidOfCode(code));
    await write('addAction', [identity, 'sign', '', action]);
    await write('addGroup', [identity, 'signers', '', [action], [pkpId]]);

    const key = await mintUsageKey(admin);
    await write('registerWalletDerivation', [
      identity,
      key.wallet_address,
      BigInt(key.derivation_path),
      'key',
      '',
    ]);
    const hash = apiKeyHash(key.usage_api_key);
    const block = await write('setUsageApiKey', [identity, hash, 0n, 0n, 'key', '', ...permissions]);
    await expectSigned(key.usage_api_key, pkpId, block);
    expect(
      (await curl('add_group', { group_name: '', group_description: '' }, key.usage_api_key)).status,
    ).toBe(403);

    const next = await expectTransferred(identity, admin);
    await expectSigned(key.usage_api_key, pkpId);
    const removed = await accountOf(next)('removeUsageApiKey', [identity, hash]);
    expect((await curl('svc_action', { code }, key.usage_api_key, removed)).status).toBe(401);
  });

  test('converts a managed account with all its contents, and transfers it', async () => {
    const admin = await open();
    const { body: account } = await curl('new_account', { account_name: 'life', account_description: '' });
    const key = account.api_key as string;
    const { body: wallet } = await curl('create_wallet', {}, key);
    const pkpId = wallet.wallet_address as Hex;
    const action = hex(cidHash(await cidOfCode(code)));
    const contents = { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [action] };
    await curl('add_group', { group_name: 'signers', group_description: '', ...contents }, key);
    const { body: usageKey } = await curl('add_usage_api_key', { execute_in_groups: [1] }, key);
    await expectSigned(usageKey.usage_api_key, pkpId);

    const proof = await proofOf({ primaryType: 'ConvertAccount', address: admin.address }, admin.signDigest);
    const body = { new_admin_wallet_address: admin.address, ...proof };
    expect(await curl('convert_to_chain_secured_account', body, key)).toMatchObject({
      status: 200,
      body: { success: true, wallet_address: admin.address, api_key_hash: hex(apiKeyHash(key)) },
    });

    for (const [path, refused] of [
      ['add_group', { group_name: '', group_description: '' }],
      ['create_wallet', {}],
      ['remove_usage_api_key', { usage_api_key: usageKey.usage_api_key }],
    ] as const)
      expect(await curl(path, refused, key)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    await expectSigned(usageKey.usage_api_key, pkpId);
    expect((await curl('list_groups', undefined, key)).body).toMatchObject([
      { name: 'signers', ...contents },
    ]);

    const next = await expectTransferred(apiKeyHash(key), admin);
    await expectSigned(usageKey.usage_api_key, pkpId);
    await accountOf(next)('removePkpFromGroup', [apiKeyHash(key), 1n, pkpId]);
  });
});
