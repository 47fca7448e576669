import { randomBytes } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { describe, expect, test } from 'vitest';
import { deriveKeyPair, generateKeyPair, open, publicKeyHex, seal, sealerFor } from './hpke.ts';

const library = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const sealedFor = { info: 'a use', context: 'a message' };
const info = Buffer.from(sealedFor.info);
const context = Buffer.from(sealedFor.context);

describe.each([0, 1, 15, 16, 17, 101, 4_096])('a message of %i bytes', (length) => {
  test('is opened by the library', async () => {
    const message = randomBytes(length);
    const recipientKey = await library.kem.generateKeyPair();
    const publicKey = Buffer.from(await library.kem.serializePublicKey(recipientKey.publicKey));
    const sealed = new Uint8Array(await seal(message, publicKey.toString('hex'), sealedFor));
    const [enc, ciphertext] = [sealed.slice(0, 32), sealed.slice(32)];
    expect(Buffer.from(await library.open({ recipientKey, enc, info }, ciphertext, context))).toEqual(
      message,
    );
  });

  test('of the library is opened', async () => {
    const message = randomBytes(length);
    const pair = await generateKeyPair();
    const recipientPublicKey = await library.kem.deserializePublicKey(
      Buffer.from(await publicKeyHex(pair), 'hex'),
    );
    const { enc, ct } = await library.seal({ recipientPublicKey, info }, message, context);
    const sealed = Buffer.concat([Buffer.from(enc), Buffer.from(ct)]);
    expect(Buffer.from(await open(sealed, pair, sealedFor))).toEqual(message);
  });
});

test('derives the key pair that the library derives', async () => {
  const seed = randomBytes(32);
  const { publicKey } = await library.kem.deriveKeyPair(seed);
  const expected = Buffer.from(await library.kem.serializePublicKey(publicKey)).toString('hex');
  const pair = await deriveKeyPair(seed);
  expect(await publicKeyHex(pair)).toBe(expected);
  const message = randomBytes(32);
  expect(Buffer.from(await open(await seal(message, expected, sealedFor), pair, sealedFor))).toEqual(message);
});

test('a message for another key, use or context, a changed one and a short one do not open', async () => {
  const pair = await generateKeyPair();
  const sealed = await seal(randomBytes(32), await publicKeyHex(pair), sealedFor);
  const changed = new Uint8Array(sealed).with(-1, (sealed.at(-1) as number) ^ 1);
  await expect(open(sealed, await generateKeyPair(), sealedFor)).rejects.toThrow();
  await expect(open(sealed, pair, { ...sealedFor, info: 'another' })).rejects.toThrow();
  await expect(open(sealed, pair, { ...sealedFor, context: 'another' })).rejects.toThrow();
  await expect(open(changed, pair, sealedFor)).rejects.toThrow();
  for (let length = 0; length < sealed.length; length++)
    await expect(open(sealed.subarray(0, length), pair, sealedFor)).rejects.toThrow();
});

test('a sealer refuses a second message, which would have the nonce of the first', async () => {
  const sealer = await sealerFor(await publicKeyHex(await generateKeyPair()), 'a use');
  await sealer(randomBytes(32), 'first');
  await expect(sealer(randomBytes(32), 'second')).rejects.toThrow('a sealer encrypts one message');
});

test.each([
  ['zero', '00'.repeat(32)],
  ['one', `01${'00'.repeat(31)}`],
  ['of order 8', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'],
])('refuses the public key %s, whose shared secret everyone knows', async (_name, point) => {
  await expect(seal(randomBytes(32), point, sealedFor)).rejects.toThrow(/derivation/);
  const forged = Buffer.concat([Buffer.from(point, 'hex'), randomBytes(48)]);
  // The point is refused, whatever the ciphertext.
  await expect(open(forged, await generateKeyPair(), sealedFor)).rejects.toThrow(/derivation/);
});

test.each(['', '00', '11'.repeat(31), '11'.repeat(33)])('refuses %j as a public key', async (malformed) => {
  await expect(seal(randomBytes(32), malformed, sealedFor)).rejects.toThrow();
});
