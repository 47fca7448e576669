/** Runs of built policies: they sign within the policy, and refuse everything else. */
import { buildCode, parsePolicy } from '@latchkey/policy';
import { buildAllowance, cidHash, cidOf, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  createWallet,
  hex,
  newAccount,
  post,
  read,
  stack,
} from '@latchkey/testing/stack';
import {
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseTransaction,
  recoverAddress,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
} from 'viem';
import { hashAuthorization } from 'viem/utils';
import { beforeAll, describe, expect, test } from 'vitest';

const TOKEN = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const DEAD = '0x000000000000000000000000000000000000dead';
const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
const erc20 = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
]);

const policy = parsePolicy({
  version: 1,
  rules: [
    { name: 'greet', effect: 'allow', kind: 'message', text: { prefix: 'hello ' } },
    {
      name: 'permit',
      effect: 'allow',
      kind: 'typed_data',
      chains: [8453],
      contracts: [TOKEN],
      types: [PERMIT],
      fields: [
        { path: 'owner', equals: 'wallet' },
        { path: 'value', max: 100 },
      ],
    },
    {
      name: 'pay',
      effect: 'allow',
      kind: 'sign_transaction',
      chains: [8453],
      to: [TOKEN],
      data: {
        functions: [
          { function: 'transfer(address to, uint256 amount)', args: [{ path: 'to', equals: DEAD }] },
        ],
      },
      fee: { max: '1000000000000000' },
      limits: [{ name: 'daily', of: 'args.amount', max: 100, window: '24h' }],
    },
    { name: 'delegate', effect: 'allow', kind: 'authorization', chains: [8453], contracts: [DEAD] },
  ],
});
const code = buildCode(policy);

let usageKey: string;
let account: bigint;
let wallet: Hex;
beforeAll(async () => {
  const { key, hash } = await newAccount();
  account = hash;
  wallet = await createWallet(key);
  const cid = hex(cidHash(await cidOf(code)));
  // The key may run this policy and nothing else.
  const group = await addGroup(key, { pkp_ids_permitted: [wallet], cid_hashes_permitted: [cid] });
  usageKey = await addUsageKey(key, { execute_in_groups: [group] });
});

type Reply = {
  response: Record<string, unknown> | null;
  has_error: boolean;
  error?: { name: string; message: string };
};
async function run(params: object): Promise<Reply> {
  const { status, body } = await post(
    'svc_action',
    { code, js_params: { pkpId: wallet, ...params } },
    usageKey,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Reply;
}
async function allowed(params: object): Promise<Record<string, unknown>> {
  const reply = await run(params);
  expect(reply.error).toBeUndefined();
  return reply.response as Record<string, unknown>;
}
const refused = async (params: object): Promise<string> => {
  const { response, error } = await run(params);
  expect(response).toBeNull();
  return `${error?.name}: ${error?.message}`;
};

const transfer = (amount: bigint, more: object = {}) => ({
  kind: 'sign_transaction',
  transaction: {
    chainId: 8453,
    to: TOKEN,
    data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [DEAD, amount] }),
    gas: 60_000,
    maxFeePerGas: '1000000000',
    nonce: 7,
    ...more,
  },
});
const typedData = (message: object = {}) => ({
  domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: TOKEN },
  types: {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
  primaryType: 'Permit',
  message: { owner: wallet, spender: DEAD, value: '100', nonce: '0', deadline: '1', ...message },
});

/** Recovers the signer of a statement, for this account, code and deployment. */
async function signerOf(statement: Record<string, string>): Promise<string> {
  const integer = (name: string) => BigInt(statement[name] as string);
  const message = {
    account,
    cidHash: cidHash(await cidOf(code)),
    wallet,
    name: statement.name as string,
    window: integer('window'),
    limit: integer('limit'),
    amount: integer('amount'),
    sum: integer('sum'),
    sequence: integer('sequence'),
    time: integer('time'),
    run: statement.run as Hex,
  };
  const typed = buildAllowance(message, { chainId: stack.chainId, contractAddress: stack.contractAddress });
  return recoverTypedDataAddress({ ...typed, signature: statement.signature as Hex });
}

test('signs a message, as text or as its bytes', async () => {
  for (const message of ['hello you', { raw: `0x${Buffer.from('hello you').toString('hex')}` }]) {
    const { rule, signature } = await allowed({ kind: 'message', message });
    expect(rule).toBe('greet');
    expect(await recoverMessageAddress({ message: 'hello you', signature: signature as Hex })).toBe(wallet);
  }
  expect(await refused({ kind: 'message', message: 'hell' })).toMatch(
    'PolicyError: no rule allows it: "greet"',
  );
});

test('signs typed data', async () => {
  const { signature } = await allowed({ kind: 'typed_data', ...typedData() });
  const signed = typedData() as unknown as Parameters<typeof recoverTypedDataAddress>[0];
  expect(await recoverTypedDataAddress({ ...signed, signature: signature as Hex })).toBe(wallet);
  expect(await refused({ kind: 'typed_data', ...typedData({ value: '101' }) })).toMatch(
    'value 101 is more than 100',
  );
  expect(await refused({ kind: 'typed_data', ...typedData({ owner: DEAD }) })).toMatch('owner');
});

test('signs an authorization', async () => {
  const authorization = { chainId: 8453, contract: DEAD, nonce: 0 } as const;
  const { signature } = await allowed({ kind: 'authorization', ...authorization });
  const hash = hashAuthorization({ ...authorization, address: DEAD });
  expect(await recoverAddress({ hash, signature: signature as Hex })).toBe(wallet);
  expect(await refused({ kind: 'authorization', ...authorization, chainId: 0 })).toMatch(
    'chainId 0 is not listed',
  );
});

describe('a transaction', () => {
  test('is signed with exactly its fields while the limit lasts, and the uses are stated', async () => {
    const { rule, transaction, allowances } = await allowed(transfer(60n));
    const serialized = transaction as `0x02${string}`;
    expect(rule).toBe('pay');
    expect(await recoverTransactionAddress({ serializedTransaction: serialized })).toBe(wallet);
    expect(parseTransaction(serialized)).toMatchObject({
      chainId: 8453,
      to: TOKEN,
      data: transfer(60n).transaction.data,
      gas: 60_000n,
      maxFeePerGas: 1_000_000_000n,
      nonce: 7,
    });
    const [statement] = allowances as [Record<string, string>];
    expect(statement).toMatchObject({
      name: 'daily',
      amount: '60',
      limit: '100',
      sum: '60',
      sequence: '1',
      wallet,
    });
    expect(await signerOf(statement)).toBe(
      await read('nodeConfigurationValue', [RECEIPT_SIGNER_CONFIGURATION]),
    );
    expect(await refused(transfer(41n))).toMatch(
      /PolicyError: the limits .* "daily": 41 would be over 100, of which 60 are used/,
    );
    const { allowances: next } = await allowed(transfer(40n));
    expect(next).toMatchObject([{ sum: '100', sequence: '2' }]);
    expect(await refused(transfer(1n))).toMatch('would be over 100');
  });

  test.each([
    ['to another contract', { to: DEAD }, 'to 0x000000000000000000000000000000000000dead is not listed'],
    ['on another chain', { chainId: 1 }, 'chainId 1 is not listed'],
    ['with value', { value: '1' }, 'value 1 is more than 0'],
    ['with a higher fee', { gas: 10_000_000 }, 'the fee'],
    ['with extra bytes', { data: `${transfer(0n).transaction.data}00` }, 'not a canonical call'],
    ['that creates a contract', { to: null }, 'creates a contract'],
    ['of another type', { type: 'eip7702' }, 'transaction.type must be one of'],
    ['with unknown fields', { authorizationList: [] }, 'unknown field authorizationList'],
    [
      'that calls another function',
      { data: encodeFunctionData({ abi: erc20, functionName: 'approve', args: [DEAD, 1n] }) },
      'calls none of the functions',
    ],
  ])('%s is refused', async (_what, change, reason) => {
    expect(await refused(transfer(0n, change))).toMatch(reason);
  });
});

test.each([
  ['an unknown kind', { kind: 'raw' }, 'RequestError: kind must be one of'],
  [
    'a kind without a rule',
    { kind: 'hash', hash: `0x${'00'.repeat(32)}` },
    'PolicyError: no rule allows it: the policy has no rule for hash',
  ],
  [
    'another wallet',
    { kind: 'message', message: 'hello', pkpId: 'x' },
    'RequestError: pkpId is not an address',
  ],
])('refuses %s', async (_what, params, reason) => {
  expect(await refused(params)).toMatch(reason);
});
