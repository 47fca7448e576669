import { HttpError } from '@latchkey/http';
import {
  accountWalletAddress,
  apiKeyFromBytes,
  apiKeyHash,
  buildConsent,
  type ConsentMessage,
  recoverSigner,
  signatureBytes,
} from '@latchkey/protocol';
import { type Hex, hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { createConsentSigner } from './consent.ts';

const CONTRACT = { chainId: 31_337, address: '0x1111111111111111111111111111111111111111' } as const;
const KEY = apiKeyFromBytes(new Uint8Array(32).fill(7));
const DEADLINE = 1_893_456_000n;
const ROTATION = {
  newApiKeyHash: 9n,
  newAdminWalletAddress: '0x2222222222222222222222222222222222222222',
} as const;

const signerOf = (consent: Hex, message: ConsentMessage<'RotateAccountKey'>) => {
  const { chainId, address: contractAddress } = CONTRACT;
  const typedData = buildConsent({ chainId, contractAddress }, 'RotateAccountKey', message);
  const digest = hashTypedData(typedData as Parameters<typeof hashTypedData>[0]);
  return recoverSigner(digest, signatureBytes(consent) ?? new Uint8Array());
};

test('signs for the account of the key, as the address of the key', () => {
  const consent = createConsentSigner(CONTRACT, KEY)('RotateAccountKey', ROTATION, DEADLINE);
  const message = { ...ROTATION, apiKeyHash: apiKeyHash(KEY), deadline: DEADLINE };
  expect(signerOf(consent, message)).toBe(accountWalletAddress(KEY));
});

test('signs for no other account, also when the fields name one', () => {
  const fields = { ...ROTATION, apiKeyHash: 5n, deadline: 1n };
  const consent = createConsentSigner(CONTRACT, KEY)('RotateAccountKey', fields, DEADLINE);
  const holder = accountWalletAddress(KEY);
  expect(signerOf(consent, { ...fields })).not.toBe(holder);
  const message = { ...ROTATION, apiKeyHash: apiKeyHash(KEY), deadline: DEADLINE };
  expect(signerOf(consent, message)).toBe(holder);
});

test.each([
  ['a chosen text', 'my-own-key!'],
  ['32 bytes above the order of secp256k1', apiKeyFromBytes(new Uint8Array(32).fill(255))],
  ['zero bytes', apiKeyFromBytes(new Uint8Array(32))],
])('throws 403 without the key for %s', (_what, key) => {
  const sign = () => createConsentSigner(CONTRACT, key)('RetireManagedAccount', {}, DEADLINE);
  expect(sign).toThrow(HttpError);
  try {
    sign();
  } catch (error) {
    const { status, message, fix, cause } = error as HttpError;
    expect({ status, cause }).toEqual({ status: 403, cause: undefined });
    expect(`${message} ${fix}`).not.toContain(key);
  }
});
