/** Accounts that were transferred to a wallet, and the account that signed writes name, on a fake node and relayer. */
import {
  accountConfigAbi,
  accountWalletAddress,
  buildSignedWrites,
  walletIdentity,
} from '@latchkey/protocol';
import {
  type Address,
  createWalletClient,
  custom,
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  verifyTypedData,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createClient, type LatchkeyError } from './index.ts';

const CONTRACT = '0x00000000000000000000000000000000000000C0';
const ACCOUNT = 77n;
const WORD = numberToHex(ACCOUNT, { size: 32 });
const [UNUSED, NAMED, WAITING] = [0, 1, 3];
const OTHER = privateKeyToAccount(generatePrivateKey()).address;
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: LatchkeyError) => error,
  );

type Submitted = { [field: string]: unknown; signer: Address; calls: Hex[]; nonce: Hex; signature: Hex };

/** A client whose wallet has this state, the hashes of which the state was read, and the signed writes that were submitted. */
function clientWith(state: {
  state: number;
  adminWalletAddress?: Address;
  accepted?: boolean;
  giver?: Address;
}) {
  const account = privateKeyToAccount(generatePrivateKey());
  const [read, submitted]: [bigint[], Submitted[]] = [[], []];
  const result = {
    masterApiKeyHash: ACCOUNT,
    managed: false,
    accepted: true,
    giver: zeroAddress,
    rotated: false,
    frozen: false,
    expiration: 0n,
    adminWalletAddress: account.address,
  };
  const answer = (data: Hex): Hex => {
    const { functionName, args = [] } = decodeFunctionData({ abi: accountConfigAbi, data });
    if (functionName === 'multicall')
      return encodeFunctionResult({
        abi: accountConfigAbi,
        functionName,
        result: (args[0] as Hex[]).map(answer),
      });
    if (functionName !== 'accountState') return '0x';
    read.push(args[0] as bigint);
    const now = { ...result, ...state };
    return encodeFunctionResult({ abi: accountConfigAbi, functionName, result: now });
  };
  const transport = custom({
    request: async ({ method, params }) =>
      method === 'eth_call' ? answer((params as [{ data: Hex }])[0].data) : numberToHex(31_337),
  });
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (String(url).endsWith('get_node_chain_config'))
      return Response.json({ contract_address: CONTRACT, chain_id: 31_337 });
    submitted.push(JSON.parse(String(init?.body)));
    return Response.json({ error: 'bad_request', message: 'not executed' }, { status: 400 });
  };
  const wallet = createWalletClient({ account, transport });
  const client = createClient({ url: 'http://relayer', wallet, writes: 'signed', fetch, retries: 0 });
  return { client, wallet, address: account.address, read, submitted };
}

test('a signed write names the master hash and its signer', async () => {
  const { client, address, read, submitted } = clientWith({ state: NAMED });
  for (const name of ['first', 'second'])
    expect(await catchError(client.addGroup({ name, description: '' }))).toMatchObject({ status: 400 });
  // An identity names an account for good: its state is read once.
  expect(read).toEqual([walletIdentity(address)]);
  const [body] = submitted;
  if (!body) throw new Error('nothing was submitted');
  expect(body).toMatchObject({ api_key_hash: WORD, signer: address });
  const args = [ACCOUNT, 'first', '', [], []] as const;
  expect(body.calls).toEqual([encodeFunctionData({ abi: accountConfigAbi, functionName: 'addGroup', args })]);
  const typedData = buildSignedWrites({
    chainId: 31_337,
    contractAddress: CONTRACT,
    calls: body.calls,
    signer: address,
    nonce: BigInt(body.nonce),
    deadline: BigInt(String(body.deadline)),
  });
  const signed = { address, signature: body.signature, ...typedData } as never;
  expect(await verifyTypedData(signed)).toBe(true);
});

test.each([
  ['waits for the wallet', WAITING],
  ['has the identity of the wallet as its key', NAMED],
])('signs no write of a transferred account that %s, except those that name it', async (_case, state) => {
  const { client, read, submitted } = clientWith({ state, accepted: false, giver: OTHER });
  const error = {
    code: 'account_not_accepted',
    message: expect.stringContaining(WORD),
    fix: expect.stringContaining('acceptAccount'),
  };
  expect(await catchError(client.addGroup({ name: 'g', description: '' }))).toMatchObject(error);
  expect(await catchError(client.prepare.removeAllUsageApiKeys({}))).toMatchObject(error);
  expect(await client.accountExists()).toBe(false);
  expect(await client.accountState()).toMatchObject({ accountHash: ACCOUNT, accepted: false, giver: OTHER });
  expect(submitted).toEqual([]);
  read.length = 0;
  const named = { accountHash: ACCOUNT };
  for (const write of [client.acceptAccount, client.cancelTransfer, client.retireAccount])
    await catchError(write(named));
  await catchError(client.newAccount({ name: 'own', description: '' }));
  expect(submitted.map(({ api_key_hash }) => api_key_hash)).toEqual([
    ...[WORD, WORD, WORD],
    numberToHex(walletIdentity(submitted[0]?.signer ?? zeroAddress), { size: 32 }),
  ]);
  expect(read).toEqual([]);
});

test.each([
  ['owns no account', { state: UNUSED, adminWalletAddress: zeroAddress }],
  ['transferred its account', { state: NAMED, adminWalletAddress: OTHER, accepted: false }],
])('a wallet that %s names itself, so that the contract refuses the write', async (_case, state) => {
  const { client, address, submitted } = clientWith(state as Parameters<typeof clientWith>[0]);
  await catchError(client.removeGroup({ groupId: 1n }));
  expect(submitted[0]?.api_key_hash).toBe(numberToHex(walletIdentity(address), { size: 32 }));
  expect(await client.accountExists()).toBe(false);
});

test('an accepted account is named by its master hash after the acceptance', async () => {
  const state = { state: WAITING, accepted: false };
  const { client, submitted } = clientWith(state);
  const add = () => catchError(client.addGroup({ name: 'g', description: '' }));
  expect(await add()).toMatchObject({ code: 'account_not_accepted' });
  Object.assign(state, { state: NAMED, accepted: true });
  expect(await add()).toMatchObject({ status: 400 });
  expect(submitted.map(({ api_key_hash }) => api_key_hash)).toEqual([WORD]);
});

test('cancels a nonce by the idempotency key of its writes', async () => {
  const { client, submitted } = clientWith({ state: NAMED });
  await catchError(client.addGroup({ name: 'g', description: '' }, { idempotencyKey: 'once' }));
  await catchError(client.cancelNonce({ nonce: 'once' }));
  const [write, cancellation] = submitted;
  const args = [ACCOUNT, BigInt(write?.nonce ?? 0)] as const;
  expect(cancellation?.calls).toEqual([
    encodeFunctionData({ abi: accountConfigAbi, functionName: 'cancelNonce', args }),
  ]);
  expect(cancellation?.nonce).not.toBe(write?.nonce);
});

test('a rotation sends the address of the new key, and not the key', async () => {
  const client = createClient({ url: 'http://relayer', apiKey: 'key' });
  const newApiKey = `${'A'.repeat(42)}E=`;
  const { request } = await client.prepare.rotateAccountKey({ newApiKey });
  expect(request.body).toMatchObject({ new_wallet_address: accountWalletAddress(newApiKey) });
  expect(JSON.stringify(request)).not.toContain(newApiKey);
});

test('the state of an account in API mode needs a node of the chain', async () => {
  const client = createClient({ url: 'http://relayer', apiKey: 'key' });
  await expect(client.accountState()).rejects.toMatchObject({ code: 'configuration' });
});
