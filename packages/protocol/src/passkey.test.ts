/** Assertions of passkeys, made with node:crypto, and those that an attacker makes of them. */
import { newPasskey, type TestPasskey } from '@latchkey/testing/passkey';
import { type Hex, hexToBytes, keccak256, stringToBytes, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { encodeAssertion, findPasskeyFault, parsePasskey } from './passkey.ts';

const digest = keccak256(toHex('pay alice'));
const passkey = newPasskey('example.com');
const of = { publicKey: passkey.publicKey, rpId: passkey.rpId };
type Changes = NonNullable<Parameters<TestPasskey['sign']>[1]>;
const faultOf = (changes: Changes, signed: Hex = digest) =>
  findPasskeyFault(digest, of, passkey.sign(signed, changes));
/** Chromium 156 on a page of localhost. */
const vector = {
  digest: toHex(Uint8Array.from({ length: 32 }, (_, i) => i + 1)),
  publicKey: '0x02da227cc22eb1994c43776e32ff249a4295c5da1b491729d60ce5dbd8c8fbe82b',
  rpId: 'localhost',
  assertion: {
    authenticatorData: hexToBytes(
      '0x49960de5880e8c687434170f6476605b8fe4aeb9a28632c7995cf3ba831d97630500000002',
    ),
    clientDataJSON: stringToBytes(
      '{"type":"webauthn.get","challenge":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA","origin":"http://localhost:8200","crossOrigin":false}',
    ),
    signature: hexToBytes(
      '0x304502203b13322dedf71bda7f118b13c7bce58d884b70c8b6755f48d22953dfabeeb2a1022100ebb0e9eabbd594c8a13e3b9d00202e298fc3cf1198171592f7d483f377a17a23',
    ),
  },
} as const;
/** Order of the curve. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

describe('holds', () => {
  const right: [string, Changes][] = [
    ['for the digest, with user presence and verification', {}],
    ['of a passkey that is synchronized', { flags: 0x1d }],
    ['with extensions after the counter', { flags: 0x85, extensions: new Uint8Array(64) }],
    ['for a page of a subdomain, on any port', { origin: 'https://pay.example.com:8443' }],
    ['with fields that a later browser adds', { client: { next: { deep: [1] } } }],
    ['without crossOrigin', { client: { crossOrigin: undefined } }],
  ];
  test.each(right)('%s', (_, changes) => {
    expect(faultOf(changes)).toBeUndefined();
  });

  test('for a page on this machine without TLS', () => {
    const local = newPasskey('localhost');
    const text = local.sign(digest, { origin: 'http://localhost:8200' });
    expect(findPasskeyFault(digest, local, text)).toBeUndefined();
  });

  test('with a low and with a high s', () => {
    const highs = new Set<boolean>();
    while (highs.size < 2) {
      const assertion = passkey.assert(digest);
      highs.add(readS(assertion.signature) > N / 2n);
      expect(findPasskeyFault(digest, of, encodeAssertion(assertion))).toBeUndefined();
    }
  });

  test('for a vector that Chromium made with a virtual authenticator', () => {
    expect(findPasskeyFault(vector.digest, vector, encodeAssertion(vector.assertion))).toBeUndefined();
    expect(findPasskeyFault(digest, vector, encodeAssertion(vector.assertion))).toMatch(/challenge/);
  });
});

describe('does not hold', () => {
  const wrong: [string, Changes, RegExp][] = [
    ['without user presence', { flags: 0x04 }, /not present/],
    ['without user verification', { flags: 0x01 }, /not verify the user/],
    ['for a passkey of another domain', { rpId: 'example.org' }, /not of example.com/],
    ['for a passkey of a parent domain', { rpId: 'com' }, /not of example.com/],
    ['for a page of another domain', { origin: 'https://example.org' }, /origin/],
    ['for a domain that ends alike', { origin: 'https://badexample.com' }, /origin/],
    ['for a domain that begins alike', { origin: 'https://example.com.bad.org' }, /origin/],
    ['for a page without TLS', { origin: 'http://example.com' }, /origin/],
    ['for a URL in the place of an origin', { origin: 'https://example.com/' }, /origin/],
    ['for a user name in the origin', { origin: 'https://example.com@bad.org' }, /origin/],
    ['for an application', { origin: 'android:apk-key-hash:abc' }, /origin/],
    ['for an origin that is not a string', { client: { origin: ['https://example.com'] } }, /origin/],
    ['in a frame of another page', { client: { crossOrigin: true } }, /frame/],
    ['with a crossOrigin that is not false', { client: { crossOrigin: null } }, /frame/],
    ['with a topOrigin', { client: { topOrigin: 'https://bad.org' } }, /frame/],
    ['for a registration', { client: { type: 'webauthn.create' } }, /type/],
    ['with a longer type', { client: { type: 'webauthn.get.x' } }, /type/],
    ['without a challenge', { client: { challenge: undefined } }, /challenge/],
    ['with a challenge in hex', { client: { challenge: digest } }, /challenge/],
    ['with the signature of another key', { signer: newPasskey().privateKey }, /signature/],
  ];
  test.each(wrong)('%s', (_, changes, fault) => {
    expect(faultOf(changes)).toMatch(fault);
  });

  test('for another digest', () => {
    expect(faultOf({}, keccak256(toHex('pay mallory')))).toMatch(/challenge/);
  });

  test('with a padded challenge, or one that only begins with the digest', () => {
    const challenge = Buffer.from(hexToBytes(digest)).toString('base64url');
    for (const other of [`${challenge}=`, `${challenge}AA`, challenge.slice(0, -1)])
      expect(faultOf({ client: { challenge: other } })).toMatch(/challenge/);
  });

  const texts: [string, (text: string) => string | Uint8Array][] = [
    ['has a name twice', (text) => text.replace('{', '{"challenge":"x",')],
    ['has an escaped name twice', (text) => text.replace('{', '{"ch\\u0061llenge":"x",')],
    ['has something before the object', (text) => `x${text}`],
    ['has something after the object', (text) => `${text}{}`],
    ['has a byte order mark', (text) => `\ufeff${text}`],
    ['is not UTF-8', (text) => new Uint8Array([...Buffer.from(text.slice(0, -1)), 0xff, 0x7d])],
    ['is in an array', (text) => `[${text}]`],
    ['is null', () => 'null'],
    ['is empty', () => ''],
    ['is deep', (text) => text.replace('}', `,"next":${'['.repeat(9)}${']'.repeat(9)}}`)],
  ];
  test.each(texts)('when its client data %s', (_, text) => {
    expect(faultOf({ text })).toMatch(/JSON|type/);
  });

  test('when one of its parts is changed', () => {
    const whole = passkey.assert(digest);
    for (const part of ['authenticatorData', 'clientDataJSON', 'signature'] as const) {
      const bytes = Uint8Array.from(whole[part], (byte, i) =>
        i === whole[part].length - 1 ? byte ^ 1 : byte,
      );
      expect(findPasskeyFault(digest, of, encodeAssertion({ ...whole, [part]: bytes }))).toBeDefined();
      expect(
        findPasskeyFault(digest, of, encodeAssertion({ ...whole, [part]: whole[part].subarray(0, 20) })),
      ).toBeDefined();
    }
  });

  test('when the signature is not in DER, or has bytes after it', () => {
    const whole = passkey.assert(digest);
    for (const signature of [
      new Uint8Array(64),
      new Uint8Array(),
      new Uint8Array([...whole.signature, 0]),
      Uint8Array.from(Buffer.from('3006020100020100', 'hex')),
    ])
      expect(findPasskeyFault(digest, of, encodeAssertion({ ...whole, signature }))).toMatch(/signature/);
  });

  test('when the encoding is not the one of its parts, or is long', () => {
    const text = passkey.sign(digest);
    // The first two offsets point at the same part, and a word follows the last part.
    const overlapping = text.slice(0, 66) + text.slice(2, 66) + text.slice(130);
    for (const other of ['0x', '0x00', 'x', text.slice(0, -2), `${text}${'0'.repeat(64)}`, overlapping])
      expect(findPasskeyFault(digest, of, other)).toMatch(/ABI/);
    expect(faultOf({ client: { long: 'x'.repeat(4_096) } })).toMatch(/ABI/);
  });
});

/** Returns the s of a signature in DER. */
function readS(der: Uint8Array): bigint {
  const length = der[3] as number;
  return BigInt(toHex(der.subarray(4 + length + 2)));
}

test('the text of a passkey is the compressed form of a point, in lower case', () => {
  expect(parsePasskey(passkey.publicKey)).toBe(passkey.publicKey);
  expect(parsePasskey(`0x${passkey.publicKey.slice(2).toUpperCase()}`)).toBe(passkey.publicKey);
  const { publicKey } = passkey;
  for (const text of [
    publicKey.slice(2),
    `${publicKey}00`,
    publicKey.slice(0, -2),
    publicKey.replace(/^0x0[23]/, '0x04'),
    `0x02${'0'.repeat(63)}1`,
    `0x02${'f'.repeat(64)}`,
    '',
  ])
    expect(parsePasskey(text)).toBeUndefined();
});
