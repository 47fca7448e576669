/** Clients encrypt with WebCrypto, key processes decrypt with Node's. */
import { createECDH, createHash } from 'node:crypto';
import { encryptSecret } from '@latchkey/protocol/secret-cipher';
import { bytesToHex, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { decryptSecret } from './secret-cipher.ts';

const keyOf = (seed: string) => {
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(createHash('sha256').update(seed).digest());
  return { privateKey: ecdh.getPrivateKey(), publicKey: bytesToHex(ecdh.getPublicKey()) };
};
const wallet = keyOf('wallet');
const of = { name: 'NAME', version: 1_767_225_600_000 };
const encrypt = async (value: string, publicKey: Hex = wallet.publicKey) =>
  Buffer.from(await encryptSecret(publicKey, new TextEncoder().encode(value), of), 'base64');
const REFUSAL = { name: 'SecretError' };

test.each(['', 'a', 'ü €', 'x'.repeat(65_536)])('decrypts what was encrypted: %#', async (value) => {
  expect(decryptSecret(wallet.privateKey, await encrypt(value), of).toString()).toBe(value);
});

test('takes a compressed public key', async () => {
  const compressed = bytesToHex(compress(wallet.publicKey));
  expect(decryptSecret(wallet.privateKey, await encrypt('a', compressed), of).toString()).toBe('a');
});

test('no two ciphertexts of a value are alike', async () => {
  const [a, b] = [await encrypt('a'), await encrypt('a')];
  expect(a.equals(b)).toBe(false);
  expect(a.subarray(0, 33).equals(b.subarray(0, 33))).toBe(false);
});

test('refuses another wallet, name and version', async () => {
  const sealed = await encrypt('a');
  const attempts: [Uint8Array, typeof of][] = [
    [keyOf('other').privateKey, of],
    [wallet.privateKey, { ...of, name: 'OTHER' }],
    [wallet.privateKey, { ...of, version: of.version + 1 }],
  ];
  for (const [key, named] of attempts)
    expect(() => decryptSecret(key, sealed, named)).toThrow(expect.objectContaining(REFUSAL));
});

test('refuses every changed byte and every cut', async () => {
  const sealed = await encrypt('a value');
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] as number) ^ 0x40;
    for (const bytes of [changed, sealed.subarray(0, at)])
      expect(() => decryptSecret(wallet.privateKey, bytes, of)).toThrow(expect.objectContaining(REFUSAL));
  }
});

test.each(['0x', `0x04${'11'.repeat(64)}`, `0x02${'ff'.repeat(32)}`, `0x${'00'.repeat(33)}`] as const)(
  'does not encrypt to %s, which is not a point',
  async (publicKey) => {
    await expect(encryptSecret(publicKey, new Uint8Array(1), of)).rejects.toThrow();
  },
);

function compress(publicKey: Hex): Uint8Array {
  const bytes = Buffer.from(publicKey.slice(2), 'hex');
  return Buffer.concat([Buffer.of(2 + ((bytes[64] as number) & 1)), bytes.subarray(1, 33)]);
}
