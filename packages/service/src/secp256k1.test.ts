import { type Hex, hexToBytes, keccak256, serializeSignature, toHex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { expect, test } from 'vitest';
import { addressOf, compressedPublicKey, signHash } from './secp256k1.ts';

test('addresses, public keys and signatures are those of viem', async () => {
  for (let i = 0; i < 50; i++) {
    const [privateKey, hash] = [keccak256(toHex(i)), keccak256(toHex(1_000 + i))];
    const secret = hexToBytes(privateKey);
    const account = privateKeyToAccount(privateKey);
    expect(addressOf(secret)).toBe(account.address);
    const { publicKey } = account;
    const prefix = Number.parseInt(publicKey.slice(-1), 16) % 2 ? '03' : '02';
    expect(compressedPublicKey(secret)).toBe(`0x${prefix}${publicKey.slice(4, 68)}`);
    expect(signHash(hash, secret)).toBe(serializeSignature(await sign({ hash, privateKey })));
  }
});

test.each([
  ['zero', `0x${'00'.repeat(32)}`],
  ['the group order', '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
  ['of 31 bytes', `0x${'01'.repeat(31)}`],
])('a private key %s is an error', (_what, key) => {
  const secret = hexToBytes(key as Hex);
  expect(() => addressOf(secret)).toThrow(TypeError);
  expect(() => compressedPublicKey(secret)).toThrow(TypeError);
  expect(() => signHash(keccak256('0x'), secret)).toThrow(TypeError);
});
