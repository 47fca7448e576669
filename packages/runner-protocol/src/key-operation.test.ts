import { generateKeyPair, open, publicKeyHex } from '@latchkey/key-protocol/hpke';
import { toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { callKeyOperation, type RunKeys } from './key-operation.ts';
import { callThresholdOperation, type ThresholdKeys } from './threshold-operation.ts';

const pkpId = privateKeyToAddress(`0x${'17'.repeat(32)}`);
const recipient = '01'.repeat(32);
/** Returns the arguments that reach a function. */
const keys = new Proxy({} as RunKeys & ThresholdKeys, {
  get: (_, name) => async (args: unknown) => JSON.stringify([name, args]),
});

test.each([
  ['as EIP-55', pkpId],
  ['in lower case', pkpId.toLowerCase()],
  ['in upper case', `0x${pkpId.slice(2).toUpperCase()}`],
])('takes an address %s', async (_form, text) => {
  expect(await callKeyOperation(keys, 'Encrypt', { pkpId: text, message: 'm' })).toBe(
    JSON.stringify(['Encrypt', { pkpId, message: 'm' }]),
  );
});

test.each([
  ['getPrivateKey', { recipient }],
  ['getPrivateKey', undefined],
  ['getPrivateKey', { recipient, pkpId: ['0x'] }],
  ['getPrivateKey', { recipient, pkpId: '0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266' }],
  ['getPrivateKey', { pkpId }],
  ['getPrivateKey', { pkpId, recipient: '00' }],
  ['getActionPrivateKey', {}],
  ['Encrypt', { pkpId }],
  ['Encrypt', { pkpId, message: 1 }],
  ['Decrypt', { pkpId }],
  ['getActionPublicKey', { ipfsId: '../x' }],
  ['getActionWalletAddress', {}],
] as const)('%s refuses %j with a TypeError', async (operation, args) => {
  await expect(callKeyOperation(keys, operation, args)).rejects.toMatchObject({ name: 'TypeError' });
});

test('encrypts a private key to the process of the action', async () => {
  const privateKey = `0x${'17'.repeat(32)}` as const;
  const withKey = { ...keys, getPrivateKey: async () => privateKey } as RunKeys;
  const keyPair = await generateKeyPair();
  const sealed = await callKeyOperation(withKey, 'getPrivateKey', {
    pkpId,
    recipient: await publicKeyHex(keyPair),
  });
  expect(Buffer.from(sealed, 'base64').includes(Buffer.from(privateKey.slice(2), 'hex'))).toBe(false);
  const opened = await open(Buffer.from(sealed, 'base64'), keyPair, {
    info: 'latchkey/private-key/v1',
    context: '',
  });
  expect(toHex(opened)).toBe(privateKey);
});

test.each([
  ['sign', { pkpId, message: '0x' }],
  ['sign', { pkpId, keyType: 'secp256k1', message: '0x' }],
  ['sign', { pkpId, keyType: 'ed25519', message: 'text' }],
  ['sign', { pkpId, keyType: 'ed25519', message: '0x0' }],
  ['sign', { pkpId, keyType: 'ed25519', message: `0x${'00'.repeat(8_193)}` }],
  ['getPublicKey', { pkpId }],
] as const)('%s refuses %j with a TypeError', async (operation, args) => {
  await expect(callThresholdOperation(keys, operation, args)).rejects.toMatchObject({ name: 'TypeError' });
});

test.each(['0x', '0xAb', `0x${'00'.repeat(8_192)}`])('signs the bytes of hex', async (message) => {
  expect(await callThresholdOperation(keys, 'sign', { pkpId, keyType: 'bip340', message })).toBe(
    JSON.stringify(['sign', { pkpId, keyType: 'bip340', message }]),
  );
});
