/** The same results as the `elliptic` package, for `SAMPLES` random keys and digests, 100 unless told otherwise. */
import { createRequire } from 'node:module';
import { randomFrom } from '@latchkey/testing/random';
import { expect, test } from 'vitest';
import { EC } from './elliptic.ts';

const elliptic = createRequire(import.meta.url)('elliptic') as { ec: new (curve: string) => EC };
const [own, reference] = [new EC(), new elliptic.ec('secp256k1')];

const samples = Number(process.env.SAMPLES ?? 100);
const random = randomFrom(1);
const randomBytes = () => Uint8Array.from({ length: 32 }, () => random(256));
const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const N = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const ONE = '1'.padStart(64, '0');

/** Returns all results that ethers uses, of one key and one digest. */
function resultsOf(curve: EC, secret: Uint8Array, otherSecret: Uint8Array, digest: Uint8Array): string[] {
  const [key, other] = [curve.keyFromPrivate(secret), curve.keyFromPrivate(otherSecret)];
  const { r, s, recoveryParam } = key.sign(digest, { canonical: true });
  const hex = (number: bigint) => number.toString(16).padStart(64, '0');
  const signature = { r: fromHex(hex(r)), s: fromHex(hex(s)) };
  const known = curve.keyFromPublic(fromHex(other.getPublic(true, 'hex')));
  return [
    key.getPublic(false, 'hex'),
    key.getPublic(true, 'hex'),
    hex(r),
    hex(s),
    String(recoveryParam),
    curve.recoverPubKey(digest, signature, recoveryParam).encode('hex', false),
    curve.recoverPubKey(digest, signature, 1 - recoveryParam).encode('hex', false),
    hex(key.derive(known.getPublic())),
    known.getPublic(false, 'hex'),
    curve
      .keyFromPublic(fromHex(key.getPublic(false, 'hex')))
      .pub.add(known.pub)
      .encodeCompressed('hex'),
  ];
}

test('keys, signatures, recovery and shared points equal the results of elliptic', {
  timeout: 60_000 + 50 * samples,
}, () => {
  for (let i = 0; i < samples; i++) {
    const [secret, other, digest] = [randomBytes(), randomBytes(), randomBytes()];
    expect(resultsOf(own, secret, other, digest)).toEqual(resultsOf(reference, secret, other, digest));
  }
});

test.each([
  ['a key of one', ONE, 'ff'.repeat(32)],
  ['a key above the order', 'ff'.repeat(32), '01'.repeat(32)],
  ['a digest of zero', '07'.repeat(32), '00'.repeat(32)],
  ['a digest of the order', '07'.repeat(32), N],
  ['a digest above the order', '07'.repeat(32), 'ff'.repeat(32)],
])('equals the results of elliptic for %s', (_what, secret, digest) => {
  const values = [fromHex(secret), randomBytes(), fromHex(digest)] as const;
  expect(resultsOf(own, ...values)).toEqual(resultsOf(reference, ...values));
});

test.each([
  ['the key zero', () => own.keyFromPrivate(fromHex('00'.repeat(32))).getPublic(true, 'hex')],
  ['a key of the order', () => own.keyFromPrivate(fromHex(N)).sign(randomBytes(), { canonical: true })],
  ['a point that is not on the curve', () => own.keyFromPublic(fromHex(`02${'ff'.repeat(32)}`))],
  ['a sum at infinity', () => sumOf(`02${X}`, `03${X}`)],
  ['a signature of zero', () => recover('00'.repeat(32), ONE)],
  ['a signature of the order', () => recover(ONE, N)],
])('%s is an error', (_what, use) => expect(use).toThrow());

const X = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const sumOf = (a: string, b: string) =>
  own.keyFromPublic(fromHex(a)).pub.add(own.keyFromPublic(fromHex(b)).pub);
const recover = (r: string, s: string) =>
  own.recoverPubKey(fromHex(ONE), { r: fromHex(r), s: fromHex(s) }, 0);
