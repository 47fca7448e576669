import { accountWalletAddress, apiKeyHash, isApiKey, walletIdentity } from '@latchkey/protocol';
import {
  call,
  cidOfCode,
  describeBadBodies,
  expectError,
  payAndConfirm,
  post,
  read,
} from '@latchkey/testing/stack';
import {
  type AdminWallet,
  accountOf,
  billingAuth,
  envelopeOf,
  eoa,
  multisig,
  proofOf,
} from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

const primaryType = 'AddUsageApiKey';
const path = 'add_usage_api_key_with_signature';
type Minted = { usage_api_key: string; wallet_address: `0x${string}`; derivation_path: `0x${string}` };

async function mint({ address, signDigest }: AdminWallet): Promise<Minted> {
  const reply = await post(path, await proofOf({ primaryType, address }, signDigest));
  expect(reply.status).toBe(200);
  return reply.body as Minted;
}

describe('200', () => {
  test.each([
    ['an EOA', eoa],
    ['a multisig', multisig],
  ])(
    'mints for %s a key with its address, at a path of the wallet, that has no effect yet',
    async (_what, open) => {
      const admin = await open();
      const { usage_api_key, wallet_address, derivation_path } = await mint(admin);
      expect(isApiKey(usage_api_key)).toBe(true);
      expect(accountWalletAddress(usage_api_key)).toBe(wallet_address);
      expect(derivation_path.slice(0, 42)).toBe(admin.address.toLowerCase());
      expect(await read('allApiKeyHashesToMaster', [apiKeyHash(usage_api_key)])).toBe(0n);
      expectError(await post('svc_action', { code: 'function main() {}' }, usage_api_key), 401);
    },
  );

  test('after registerWalletDerivation and setUsageApiKey it runs actions, and its wallet signs for no account', async () => {
    const admin = await eoa();
    const write = accountOf(admin);
    const identity = walletIdentity(admin.address);
    const { usage_api_key, wallet_address, derivation_path } = await mint(admin);
    const code = 'const main = ({ pkpId }) => pkpId ? Svc.Actions.getPrivateKey({ pkpId }) : "ran"';
    await write('newChainSecuredAccount', ['mine', '']);
    await payAndConfirm(await billingAuth(admin));
    await write('registerWalletDerivation', [identity, wallet_address, BigInt(derivation_path), 'key', '']);
    await write('addGroup', [identity, 'all', '', [BigInt(0)], [wallet_address]]);
    const permissions = [false, false, false, [], [], [], [0n]] as const;
    const block = await write('setUsageApiKey', [
      identity,
      apiKeyHash(usage_api_key),
      0n,
      0n,
      'key',
      '',
      ...permissions,
    ]);
    const headers = { 'X-Min-Block': String(block) };
    expect((await post('svc_action', { code }, usage_api_key, headers)).body).toMatchObject({
      response: 'ran',
    });
    const js_params = { pkpId: wallet_address };
    expect((await post('svc_action', { code, js_params }, usage_api_key)).body).toMatchObject({
      has_error: true,
    });
    expect(await cidOfCode(code)).toMatch(/^Qm/);
  });

  test('mints two keys for two requests, and one per Idempotency-Key', async () => {
    const admin = await eoa();
    expect((await mint(admin)).usage_api_key).not.toBe((await mint(admin)).usage_api_key);
    const proof = await proofOf({ primaryType, address: admin.address }, admin.signDigest);
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const [first, second] = await Promise.all([1, 2].map(() => post(path, proof, undefined, headers)));
    expect(first?.body).toEqual(second?.body);
  });
});

test('returns 400 for a proof for another flow, or by another wallet', async () => {
  const [admin, other] = await Promise.all([eoa(), eoa()]);
  const { address } = admin;
  expectError(
    await post(path, await proofOf({ primaryType: 'CreateWallet', address }, admin.signDigest)),
    400,
  );
  expectError(await post(path, await proofOf({ primaryType, address }, other.signDigest)), 400);
});

const typed_data = envelopeOf({ primaryType, address: `0x${'22'.repeat(20)}` });
describeBadBodies(path, 422, () => undefined, [
  {},
  { typed_data },
  { typed_data, signature: '0x', name: 'key' },
]);

test('returns 429 with Retry-After', async () => {
  await using relayer = await ownRelayer({ SIGNED_MINTS_PER_MINUTE: '1' });
  const { address, signDigest } = await eoa();
  const body = await proofOf({ primaryType, address }, signDigest);
  expect((await call('POST', path, { body }, relayer.url)).status).toBe(200);
  expectError(await call('POST', path, { body }, relayer.url), 429);
});
