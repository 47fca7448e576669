import { expect, test } from 'vitest';
import { createIdentity, isSignedBy } from './identity.ts';

test('signs as RFC 8032, 7.1, test 2', () => {
  const identity = createIdentity('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
  expect(identity.publicKey).toBe('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
  const message = Uint8Array.of(0x72);
  const signature = identity.sign(message);
  expect(signature).toBe(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
      '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  );
  expect(isSignedBy(identity.publicKey, message, signature)).toBe(true);
  expect(isSignedBy(identity.publicKey, Uint8Array.of(0x73), signature)).toBe(false);
});

test('returns false for malformed keys and signatures', () => {
  const identity = createIdentity('11'.repeat(32));
  const message = Uint8Array.of(1);
  for (const key of ['', 'zz'.repeat(32), 'ff'.repeat(32), identity.publicKey.toUpperCase()])
    expect(isSignedBy(key, message, identity.sign(message))).toBe(false);
  for (const signature of ['', '00'.repeat(64), 'ff'.repeat(64), identity.sign(message).slice(2)])
    expect(isSignedBy(identity.publicKey, message, signature)).toBe(false);
});

test('refuses a key that is not 64 hex digits', () => {
  for (const seed of ['', '11'.repeat(31), 'xy'.repeat(32)])
    expect(() => createIdentity(seed)).toThrow('an identity key must have 64 hex digits');
});
