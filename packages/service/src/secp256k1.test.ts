import { type Hex, hexToBytes, keccak256, serializeSignature, toHex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { expect, test } from 'vitest';
import { addressOf, compressedPublicKey, recoverSigner, signHash, signTransaction } from './secp256k1.ts';

test("addresses, public keys and signatures equal viem's", async () => {
  for (let i = 0; i < 50; i++) {
    const [privateKey, hash] = [keccak256(toHex(i)), keccak256(toHex(1_000 + i))];
    const secret = hexToBytes(privateKey);
    const account = privateKeyToAccount(privateKey);
    expect(addressOf(secret)).toBe(account.address);
    const { publicKey } = account;
    const prefix = Number.parseInt(publicKey.slice(-1), 16) % 2 ? '03' : '02';
    expect(compressedPublicKey(secret)).toBe(`0x${prefix}${publicKey.slice(4, 68)}`);
    const signature = signHash(hash, secret);
    expect(signature).toBe(serializeSignature(await sign({ hash, privateKey })));
    expect(recoverSigner(hash, signature)).toBe(account.address);
    expect(recoverSigner(keccak256(hash), signature)).not.toBe(account.address);
  }
});

test('transactions are signed as viem signs them', async () => {
  for (let i = 0; i < 300; i++) {
    const privateKey = keccak256(toHex(i));
    const transaction = {
      type: 'eip1559' as const,
      chainId: 1 + i,
      nonce: i,
      to: privateKeyToAccount(privateKey).address,
      data: toHex(2n ** BigInt(i)),
      gas: 21_000n + BigInt(i),
      maxFeePerGas: 2n ** BigInt(8 + (i % 64)),
      maxPriorityFeePerGas: BigInt(i % 256),
    };
    expect(signTransaction(transaction, hexToBytes(privateKey))).toBe(
      await privateKeyToAccount(privateKey).signTransaction(transaction),
    );
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

test.each([
  ['of 64 bytes', `0x${'01'.repeat(64)}`],
  ['with another v', `0x${'01'.repeat(64)}1d`],
  ['beyond the group order', `0x${'ff'.repeat(64)}1b`],
  ['of zeros', `0x${'00'.repeat(64)}1b`],
])('a signature %s has no signer', (_what, signature) => {
  expect(recoverSigner(keccak256('0x'), signature as Hex)).toBeUndefined();
});
