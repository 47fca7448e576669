/** The shared stack of the tests: a client of its HTTP API and a client of its chain. */
import { accountConfigAbi, apiKeyFromBytes, apiKeyHash, isApiKey } from '@latchkey/protocol';
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  parseEther,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { describe, expect, inject, test } from 'vitest';

export type Stack = {
  runnerUrl: string;
  keyNodeSettings: Record<string, string>;
  runnerKeySettings: Record<string, string>;
  pids: Record<'relayer' | 'runner' | 'keynode1' | 'keynode2' | 'keynode3', number>;
  url: string;
  metricsUrl: string;
  rpcUrl: string;
  wsUrl: string;
  indexerUrl: string;
  triggersUrl: string;
  dashboardUrl: string;
  stripeUrl: string;
  stripeSettings: Record<string, string>;
  contractAddress: Address;
  chainId: number;
  ownerKey: Hex;
  payerKeys: Hex[];
  operatorToken: string;
};

export const stack = inject('stack' as never) as Stack;

export type Reply = { status: number; body: unknown; headers: Headers };
type Options = { key?: string | undefined; body?: unknown; headers?: Record<string, string> };

/** Sends one request below `/core/v1` with `body` as JSON. */
export async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { key, body, headers }: Options = {},
  url = stack.url,
): Promise<Reply> {
  const response = await fetch(`${url}/core/v1/${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'X-Api-Key': key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

export const get = (path: string, key?: string, headers?: Record<string, string>) =>
  call('GET', path, { key, ...(headers && { headers }) });
export const post = (path: string, body: unknown, key?: string, headers?: Record<string, string>) =>
  call('POST', path, { key, body, ...(headers && { headers }) });

const errorCodes = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  422: 'unprocessable_entity',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'service_unavailable',
} as const;

/** Expects this refusal with the error body. */
export function expectError(reply: Reply, status: keyof typeof errorCodes, message?: RegExp): void {
  expect(reply).toMatchObject({
    status,
    body: { error: errorCodes[status], request_id: reply.headers.get('x-request-id') },
  });
  const { message: text, fix, ...rest } = reply.body as { message: string; fix?: string };
  expect(Object.keys(rest).sort()).toEqual(['error', 'request_id']);
  expect(text).toMatch(message ?? /./);
  if (fix !== undefined) expect(fix).toMatch(/./);
}

/** Expects a success with this body, and returns the block of the write. */
export function expectWritten(reply: Reply, body: unknown = { success: true }): bigint {
  expect(reply).toMatchObject({ status: 200, body });
  const block = reply.headers.get('x-block-number');
  expect(block).toMatch(/^\d+$/);
  expect(reply.headers.get('x-transaction-hash')).toMatch(/^0x[0-9a-f]{64}$/);
  return BigInt(block ?? 0);
}

/** Defines tests of bodies with a wrong shape (422) and with invalid values (400). */
export function describeBadBodies(
  path: string,
  status: 400 | 422,
  key: () => string | undefined,
  bodies: unknown[],
) {
  describe(String(status), () => {
    test.each(bodies.map((body) => [JSON.stringify(body).slice(0, 120), body]))('%s', async (_text, body) => {
      expectError(await post(path, body, key()), status);
    });
  });
}

export type Account = { key: string; hash: bigint; wallet: Address };

export async function newAccount(): Promise<Account> {
  const reply = await post('new_account', { account_name: 'test', account_description: '' });
  expectWritten(reply, {});
  const { api_key: key, wallet_address: wallet } = reply.body as { api_key: string; wallet_address: Address };
  expect(isApiKey(key)).toBe(true);
  return { key, hash: apiKeyHash(key), wallet };
}

/** Returns a random key that no account has. */
export const newKeyText = (): string => apiKeyFromBytes(crypto.getRandomValues(new Uint8Array(32)));

export async function addUsageKey(accountKey: string, fields: object = {}): Promise<string> {
  const reply = await post('add_usage_api_key', { name: 'test', ...fields }, accountKey);
  expectWritten(reply);
  return (reply.body as { usage_api_key: string }).usage_api_key;
}

export async function addGroup(
  key: string,
  contents: { pkp_ids_permitted?: string[]; cid_hashes_permitted?: string[] } = {},
): Promise<string> {
  const reply = await post('add_group', { group_name: 'test', group_description: '', ...contents }, key);
  expectWritten(reply);
  return (reply.body as { group_id: string }).group_id;
}

export async function createWallet(key: string): Promise<Address> {
  const reply = await post('create_wallet', { name: 'test' }, key);
  expectWritten(reply, {});
  return (reply.body as { wallet_address: Address }).wallet_address;
}

export async function cidOfCode(code: string): Promise<string> {
  const { status, body } = await post('get_svc_action_ipfs_id', code);
  expect(status).toBe(200);
  return body as string;
}

export const chain = { ...foundry, id: stack.chainId };
const shared = { chain, transport: http(stack.rpcUrl) };
export const client = createPublicClient({ ...shared, cacheTime: 0, pollingInterval: 50 });
export const testClient = createTestClient({ ...shared, mode: 'anvil' });

type ViewName = ContractFunctionName<typeof accountConfigAbi, 'view'>;

/** Calls a view of the contract. */
export function read<const Name extends ViewName>(
  functionName: Name,
  args: ContractFunctionArgs<typeof accountConfigAbi, 'view', Name>,
): Promise<ContractFunctionReturnType<typeof accountConfigAbi, 'view', Name>> {
  return client.readContract({
    address: stack.contractAddress,
    abi: accountConfigAbi,
    functionName,
    args,
  } as never) as never;
}

type WriteName = ContractFunctionName<typeof accountConfigAbi, 'nonpayable'>;

export type Wallet = {
  address: Address;
  /** Sends a transaction to the contract and waits for its receipt. */
  write: <const Name extends WriteName>(
    functionName: Name,
    args: ContractFunctionArgs<typeof accountConfigAbi, 'nonpayable', Name>,
  ) => Promise<bigint>;
};

/** Creates a wallet with funds on the local chain. */
export async function newWallet(): Promise<Wallet> {
  const account = privateKeyToAccount(generatePrivateKey());
  await testClient.setBalance({ address: account.address, value: parseEther('10') });
  const wallet = createWalletClient({ ...shared, account });
  return {
    address: account.address,
    async write(functionName, args) {
      const hash = await wallet.writeContract({
        address: stack.contractAddress,
        abi: accountConfigAbi,
        functionName,
        args,
      } as never);
      const receipt = await client.waitForTransactionReceipt({ hash });
      expect(receipt.status).toBe('success');
      return receipt.blockNumber;
    },
  };
}

export const hex = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** Creates a payment of 500 cents and pays it with the card, as a browser does; returns the payment intent. */
export async function pay(
  headers: Record<string, string>,
  { url = stack.url, stripeUrl = stack.stripeUrl, cents = 500, card = 'pm_card_visa' } = {},
): Promise<string> {
  const options = { body: { amount_cents: cents }, headers };
  const intent = await call('POST', 'billing/create_payment_intent', options, url);
  expect(intent).toMatchObject({ status: 200 });
  const { payment_intent_id: id, client_secret } = intent.body as Record<string, string>;
  const config = await call('GET', 'billing/processor_config', {}, url);
  const { publishable_key: publishableKey } = config.body as { publishable_key: string };
  const paid = await fetch(`${stripeUrl}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({ client_secret: client_secret as string, payment_method: card }),
  });
  await paid.body?.cancel();
  return id as string;
}

/** Like `pay`, and confirms the payment; returns the payment intent. */
export async function payAndConfirm(
  headers: Record<string, string>,
  options: Parameters<typeof pay>[1] = {},
): Promise<string> {
  const id = await pay(headers, options);
  const body = { payment_intent_id: id };
  const confirmed = await call('POST', 'billing/confirm_payment', { body, headers }, options.url);
  expect(confirmed).toMatchObject({ status: 200, body: { success: true } });
  return id;
}
