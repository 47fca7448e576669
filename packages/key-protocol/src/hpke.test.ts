import { randomBytes } from 'node:crypto';
import { DecapError, EncapError, OpenError } from '@hpke/core';
import { expect, test } from 'vitest';
import { deriveKeyPair, generateKeyPair, open, publicKeyHex, seal } from './hpke.ts';

const sealedFor = { info: 'a use', context: 'a message' };

test.each([0, 1, 15, 16, 17, 101, 4_096])('the recipient opens a message of %i bytes', async (length) => {
  const pair = await generateKeyPair();
  const message = randomBytes(length);
  const sealed = await seal(message, await publicKeyHex(pair), sealedFor);
  expect(Buffer.from(await open(sealed, pair, sealedFor))).toEqual(message);
});

test('a message for another key, use or message, and a changed one, does not open', async () => {
  const pair = await generateKeyPair();
  const sealed = await seal(randomBytes(32), await publicKeyHex(pair), sealedFor);
  const changed = sealed.with(-1, (sealed.at(-1) as number) ^ 1);
  await expect(open(sealed, await generateKeyPair(), sealedFor)).rejects.toThrow(OpenError);
  await expect(open(sealed, pair, { ...sealedFor, info: 'another' })).rejects.toThrow(OpenError);
  await expect(open(sealed, pair, { ...sealedFor, context: 'another' })).rejects.toThrow(OpenError);
  await expect(open(changed, pair, sealedFor)).rejects.toThrow(OpenError);
});

test('the key pair of a seed, and the format of a sealed value, stay as stored ones need them', async () => {
  const pair = await deriveKeyPair(new Uint8Array(32).fill(7));
  expect(await publicKeyHex(pair)).toBe('5fd47633b5e43fca7bad1bfbe424feacb175d9d4d4a30f166dbd30636f0b446b');
  const stored = Buffer.from(
    'f6e27a1d65f18f6172224db1d122aeb17814ef75c641814168dfea2d47fb9956bba9ead2c98313d5273199dd8f1865b38bd41b3a8465dba848',
    'hex',
  );
  const opened = await open(stored, pair, { info: 'a use', context: 'this one' });
  expect(Buffer.from(opened).toString()).toBe('a message');
});

test.each([
  ['zero', '00'.repeat(32)],
  ['one', `01${'00'.repeat(31)}`],
  ['of order 8', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'],
])('refuses the public key %s, whose shared secret everyone knows', async (_name, point) => {
  await expect(seal(randomBytes(32), point, sealedFor)).rejects.toThrow(EncapError);
  const forged = Buffer.concat([Buffer.from(point, 'hex'), randomBytes(48)]);
  // Not an OpenError: the point is refused, whatever the ciphertext.
  await expect(open(forged, await generateKeyPair(), sealedFor)).rejects.toThrow(DecapError);
});

test.each(['', '00', '11'.repeat(31), '11'.repeat(33)])('refuses %j as a public key', async (malformed) => {
  await expect(seal(randomBytes(32), malformed, sealedFor)).rejects.toThrow();
});
