import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { callKeyOperation, type RunKeys } from './key-operation.ts';

const pkpId = privateKeyToAddress(`0x${'17'.repeat(32)}`);
/** Returns the arguments that reach a function. */
const keys = new Proxy({} as RunKeys, {
  get: (_, name) => async (args: unknown) => JSON.stringify([name, args]),
});

test.each([
  ['as EIP-55', pkpId],
  ['in lower case', pkpId.toLowerCase()],
  ['in upper case', `0x${pkpId.slice(2).toUpperCase()}`],
])('takes an address %s', async (_form, text) => {
  expect(await callKeyOperation(keys, 'getPrivateKey', { pkpId: text })).toBe(
    JSON.stringify(['getPrivateKey', { pkpId }]),
  );
});

test.each([
  ['getPrivateKey', {}],
  ['getPrivateKey', undefined],
  ['getPrivateKey', { pkpId: ['0x'] }],
  ['getPrivateKey', { pkpId: '0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266' }],
  ['Encrypt', { pkpId }],
  ['Encrypt', { pkpId, message: 1 }],
  ['Decrypt', { pkpId }],
  ['getActionPublicKey', { ipfsId: '../x' }],
  ['getActionWalletAddress', {}],
] as const)('%s refuses %j with a TypeError', (operation, args) => {
  expect(() => callKeyOperation(keys, operation, args)).toThrow(
    expect.objectContaining({ name: 'TypeError' }),
  );
});
