/** `X-Wallet-Auth`: the admin wallet of a ChainSecured account reads with its signature. */
import { walletIdentity } from '@latchkey/protocol';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import {
  type Account,
  addUsageKey,
  call,
  expectError,
  get,
  hex,
  newAccount,
  post,
  stack,
} from '@latchkey/testing/stack';
import {
  type AdminWallet,
  accountOf,
  deployMock,
  eoa,
  multisig,
  proofOf,
  signerOf,
  walletAuth,
} from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownRelayer } from '../../test/own-relayer.ts';

const primaryType = 'BillingAuth';
const lists = [
  'list_groups',
  'list_wallets',
  'list_actions',
  'list_api_keys',
  'list_wallets_in_group?group_id=1',
];
let admin: AdminWallet;
let block: bigint;
let managed: Account;

const walletHeaders = async ({ address, signDigest }: AdminWallet) =>
  walletAuth(await proofOf({ primaryType, address }, signDigest));

beforeAll(async () => {
  admin = await eoa();
  managed = await newAccount();
  const write = accountOf(admin);
  await write('newChainSecuredAccount', ['mine', '']);
  block = await write('addGroup', [walletIdentity(admin.address), 'group', '', [], []]);
});

test('returns every list of its account to an EOA', async () => {
  const headers = { ...(await walletHeaders(admin)), 'X-Min-Block': String(block) };
  for (const list of lists) expect(await get(list, undefined, headers)).toMatchObject({ status: 200 });
  expect((await get('list_groups', undefined, headers)).body).toMatchObject([{ id: hex(1n), name: 'group' }]);
});

test('returns the lists to a contract wallet', async () => {
  const wallet = await multisig();
  await accountOf(wallet)('newChainSecuredAccount', ['', '']);
  const made = await accountOf(wallet)('addGroup', [walletIdentity(wallet.address), 'of two', '', [], []]);
  const headers = { ...(await walletHeaders(wallet)), 'X-Min-Block': String(made) };
  expect((await get('list_groups', undefined, headers)).body).toMatchObject([{ name: 'of two' }]);
});

test('prefers the proof to a key', async () => {
  const headers = { ...(await walletHeaders(admin)), 'X-Min-Block': String(block) };
  expect((await get('list_groups', managed.key, headers)).body).toMatchObject([{ name: 'group' }]);
});

test('after a transfer serves the new admin wallet and refuses the former one', async () => {
  const [former, next] = await Promise.all([eoa(), eoa()]);
  const write = accountOf(former);
  await write('newChainSecuredAccount', ['', '']);
  const identity = walletIdentity(former.address);
  await write('transferChainSecuredAccountOwnership', [identity, next.address]);
  const moved = await accountOf(next)('acceptAccount', [identity]);
  const minBlock = { 'X-Min-Block': String(moved) };
  expectError(await get('list_groups', undefined, { ...(await walletHeaders(former)), ...minBlock }), 401);
  expect((await get('list_groups', undefined, { ...(await walletHeaders(next)), ...minBlock })).status).toBe(
    200,
  );
});

test('ends the stream of a former admin wallet after a transfer', async () => {
  const [former, next] = await Promise.all([eoa(), eoa()]);
  const write = accountOf(former);
  const opened = await write('newChainSecuredAccount', ['', '']);
  const identity = walletIdentity(former.address);
  const headers = { ...(await walletHeaders(former)), 'X-Min-Block': String(opened) };
  const response = await fetch(`${stack.url}/core/v1/transactions/events`, {
    headers: { ...headers, Accept: 'text/event-stream' },
  });
  expect(response.status).toBe(200);
  await write('transferChainSecuredAccountOwnership', [identity, next.address]);
  await accountOf(next)('acceptAccount', [identity]);
  expect(await response.text()).toMatch(/event: result\ndata: \{"status":401/);
});

describe('401', () => {
  test('an invalid proof, whatever key comes with it', async () => {
    const { address, signDigest } = admin;
    const good = await proofOf({ primaryType, address }, signDigest);
    for (const proof of [
      await proofOf({ primaryType: 'CreateWallet', address }, signDigest),
      await proofOf({ primaryType, address, issuedAt: 1n }, signDigest),
      await proofOf({ primaryType, address, chainId: 1n }, signDigest),
      await proofOf({ primaryType, address }, signerOf(`0x${'12'.repeat(32)}`)),
      { ...good, typed_data: {} },
      { ...good, signature: 'x' },
    ])
      expectError(await get('list_groups', managed.key, walletAuth(proof)), 401, /X-Wallet-Auth/);
  });

  test('a wallet without an account, and the address of a managed account', async () => {
    expectError(await get('list_groups', undefined, await walletHeaders(await eoa())), 401, /no account/);
    const privateKey = `0x${Buffer.from(managed.key, 'base64').toString('hex')}` as const;
    const proof = await proofOf({ primaryType, address: managed.wallet }, signerOf(privateKey));
    expectError(await get('list_groups', undefined, walletAuth(proof)), 401, /no account/);
  });

  test("does not serve a wallet because a usage key's hash equals its identity", async () => {
    const wallet = await eoa();
    const write = accountOf(admin);
    const permissions = [true, true, true, [0n], [0n], [0n], [0n]] as const;
    const squatted = walletIdentity(wallet.address);
    const identity = walletIdentity(admin.address);
    const at = await write('setUsageApiKey', [identity, squatted, 0n, 0n, '', '', ...permissions]);
    const headers = { ...(await walletHeaders(wallet)), 'X-Min-Block': String(at) };
    expectError(await get('list_groups', undefined, headers), 401, /no account/);
  });

  test('refuses a wallet proof for writes and runs', async () => {
    const headers = await walletHeaders(admin);
    for (const [path, body] of [
      ['add_group', { group_name: 'n', group_description: '' }],
      ['add_usage_api_key', {}],
      ['svc_action', { code: 'function main() {}' }],
    ] as const)
      expectError(await post(path, body, undefined, headers), 401);
  });
});

describe('ignores a malformed proof and authenticates the key', () => {
  test.each([
    ['malformed base64', '{}'],
    ['malformed JSON', 'AAAA'],
    ['another object', Buffer.from('{"a":1}').toString('base64')],
    ['an additional field', Buffer.from('{"typed_data":{},"signature":"0x","a":1}').toString('base64')],
    [
      'a repeated name',
      Buffer.from('{"typed_data":{},"signature":"0x","signature":"0x"}').toString('base64'),
    ],
    ['nothing', ''],
  ])('%s', async (_what, header) => {
    const headers = { 'X-Wallet-Auth': header };
    expect((await get('list_groups', managed.key, headers)).status).toBe(200);
    expectError(await get('list_groups', undefined, headers), 401);
    const usageKey = await addUsageKey(managed.key);
    expectError(await get('list_api_keys', usageKey, headers), 403);
  });
});

test('returns 503 when the chain cannot be asked', async () => {
  await using proxy = await rpcProxy(stack.rpcUrl);
  await using relayer = await ownRelayer({ RPC_URL: proxy.url });
  const wallet = await deployMock('Erc1271Wallets', 'GasBurningWallet');
  const proof = await proofOf({ primaryType, address: wallet }, signerOf(`0x${'12'.repeat(32)}`));
  proxy.broken = true;
  const headers = walletAuth(proof);
  expectError(await call('GET', 'list_groups', { headers }, relayer.url), 503);
});
