import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { getAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  accountWalletAddress,
  apiKeyFromBytes,
  apiKeyHash,
  apiKeyToBytes,
  isApiKey,
  isApiKeyText,
} from './api-key.ts';

const vectors = JSON.parse(readFileSync(new URL('../vectors/hashes.json', import.meta.url), 'utf8')) as {
  apiKeys: string[];
  apiKeyHashes: string[];
};
const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('hashes equal the vectors', () => {
  expect(vectors.apiKeys.map(apiKeyHash)).toEqual(vectors.apiKeyHashes.map(BigInt));
});

describe('the key text', () => {
  test('has 44 characters that decode to the bytes', () => {
    fc.assert(
      fc.property(bytes32, (bytes) => {
        const text = apiKeyFromBytes(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(isApiKey(text)).toBe(true);
        expect([...apiKeyToBytes(text)]).toEqual([...bytes]);
      }),
    );
  });

  test('is accepted exactly when it is the encoding of its bytes', () => {
    const nearKey = fc
      .tuple(bytes32, fc.nat(43), fc.constantFrom('A', 'B', '/', '_', '-', '=', ' ', '\n', 'é'))
      .map(([bytes, at, character]) => {
        const text = Buffer.from(bytes).toString('base64');
        return text.slice(0, at) + character + text.slice(at + 1);
      });
    fc.assert(
      fc.property(fc.oneof(nearKey, fc.string({ unit: 'binary' })), (text) => {
        const decoded = Buffer.from(text, 'base64');
        expect(isApiKey(text)).toBe(decoded.length === 32 && decoded.toString('base64') === text);
      }),
    );
  });

  test.each([
    ['no padding', key.slice(0, 43)],
    ['stray bits', `${key.slice(0, 42)}9=`],
    ['the URL alphabet', key.replace('AAE', '-_E')],
    ['a trailing line feed', `${key}\n`],
    ['its hash', `0x${'a'.repeat(64)}`],
  ])('with %s is refused and not repeated', (_, text) => {
    expect(isApiKey(text)).toBe(false);
    expect(() => apiKeyToBytes(text)).toThrow(/^not the base64 text of 32 bytes$/);
  });

  test.each([0, 31, 33])('of %i bytes is refused', (length) => {
    expect(() => apiKeyFromBytes(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('isApiKeyText', () => {
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

  test('accepts 1 to 512 visible ASCII characters, which include the keys of the service', () => {
    fc.assert(
      fc.property(fc.string({ unit: visible, minLength: 1, maxLength: 512 }), (text) => {
        expect(isApiKeyText(text)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(bytes32, (bytes) => {
        expect(isApiKeyText(apiKeyFromBytes(bytes))).toBe(true);
      }),
    );
    expect(isApiKeyText('x'.repeat(512))).toBe(true);
  });

  test.each([
    ['the empty text', ''],
    ['513 characters', 'x'.repeat(513)],
    ['a space', 'my own key'],
    ['a control character', 'my\x7fkey'],
    ['a trailing line feed', 'my-own-key!\n'],
    ['a character outside ASCII', 'clé'],
    ['the form of a hash', `0x${'a'.repeat(64)}`],
    ['the form of a hash in upper case', `0X${'A'.repeat(64)}`],
  ])('refuses a text with %s', (_, text) => expect(isApiKeyText(text)).toBe(false));

  test('accepts 0x with fewer or more digits than a hash', () => {
    for (const length of [63, 65]) expect(isApiKeyText(`0x${'a'.repeat(length)}`)).toBe(true);
  });
});

describe('accountWalletAddress', () => {
  test('is the address of the private key 1', () => {
    const one = new Uint8Array(32);
    one[31] = 1;
    expect(accountWalletAddress(apiKeyFromBytes(one))).toBe(
      getAddress('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'),
    );
  });

  test('refuses bytes that are not a secp256k1 key', () => {
    expect(() => accountWalletAddress(apiKeyFromBytes(new Uint8Array(32)))).toThrow();
    expect(() => accountWalletAddress(apiKeyFromBytes(new Uint8Array(32).fill(255)))).toThrow();
  });
});
