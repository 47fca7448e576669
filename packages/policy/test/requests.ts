/** Requests and rules for tests. */
import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem';

export const WALLET = `0x${'aa'.repeat(20)}`;
export const ALICE = `0x${'a1'.repeat(20)}`;
export const BOB = `0x${'b0'.repeat(20)}`;
export const EVE = `0x${'ee'.repeat(20)}`;
export const TOKEN = `0x${'70'.repeat(20)}`;
export const OTHER_TOKEN = `0x${'71'.repeat(20)}`;
export const ROUTER = `0x${'90'.repeat(20)}`;
export const ETHER = 10n ** 18n;

const abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function stake(uint256 amount, uint8 tier, bool compound)',
  'function swap((address tokenIn, address tokenOut, uint256 amountIn, address recipient) params)',
  'function pay(address[] to, uint256[] amounts)',
  'function multicall(bytes[] calls)',
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
  'function register(string name, bytes32 label)',
  'function mint(address to, uint256 amount)',
  'function upgradeToAndCall(address implementation, bytes data)',
]);
type Args = readonly (string | bigint | boolean | number | object)[];
export const call = (name: string, ...args: Args): Hex =>
  encodeFunctionData({ abi, functionName: name, args } as never);

export const transfer = (to: string, amount: bigint): Hex => call('transfer', to, amount);
export const selectorOf = (data: string): string => data.slice(0, 10);

export const sign = (transaction: object = {}) => ({
  kind: 'sign_transaction',
  pkpId: WALLET,
  transaction: { chainId: 1, to: ALICE, gas: 21_000, maxFeePerGas: '1000000000', nonce: 0, ...transaction },
});
export const send = (transaction: object = {}) => ({
  kind: 'send_transaction',
  pkpId: WALLET,
  transaction: { chainId: 1, to: ALICE, ...transaction },
});
export const message = (text: string | object) => ({ kind: 'message', pkpId: WALLET, message: text });
export const raw = (bytes: string) => message({ raw: bytes.startsWith('0x') ? bytes : toHex(bytes) });

const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
};
export const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
export const typed = (more: object) => ({ kind: 'typed_data', pkpId: WALLET, ...more });
export const permit = (values: object = {}, domain: object = {}) =>
  typed({
    domain: { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: TOKEN, ...domain },
    types: permitTypes,
    primaryType: 'Permit',
    message: { owner: WALLET, spender: ALICE, value: '100', nonce: 0, deadline: 2_000_000_000, ...values },
  });
export const authorization = (more: object = {}) => ({
  kind: 'authorization',
  pkpId: WALLET,
  chainId: 1,
  contract: ALICE,
  nonce: 0,
  ...more,
});
export const hash = (value = `0x${'12'.repeat(32)}`) => ({ kind: 'hash', pkpId: WALLET, hash: value });

/** A rule that allows every transaction, but for the given fields. */
export const allow = (fields: object = {}) => ({
  name: 'allow',
  effect: 'allow',
  kind: 'transaction',
  chains: 'any',
  to: 'any',
  value: 'any',
  data: 'any',
  fee: 'any',
  ...fields,
});
export const deny = (fields: object = {}) => ({
  name: 'deny',
  effect: 'deny',
  kind: 'transaction',
  ...fields,
});
export const allowMessage = (fields: object) => ({
  name: 'allow',
  effect: 'allow',
  kind: 'message',
  ...fields,
});
export const allowTyped = (fields: object = {}) => ({
  name: 'allow',
  effect: 'allow',
  kind: 'typed_data',
  chains: 'any',
  contracts: 'any',
  types: 'any',
  ...fields,
});
export const functions = (name: string, ...args: object[]) => ({ functions: [{ function: name, args }] });
export const TRANSFER = 'transfer(address to, uint256 amount)';
