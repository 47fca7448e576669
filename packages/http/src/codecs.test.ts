import { apiKeyHash, cidHash } from '@latchkey/protocol';
import fc from 'fast-check';
import { type Address, getAddress, zeroAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  address,
  addressOrWildcard,
  cid,
  cidOrWildcard,
  decimal,
  derivationPath,
  description,
  groupId,
  hash,
  hashOrWildcard,
  isMalformed,
  name,
  pageQuery,
  unixSeconds,
  usageKeyHash,
} from './codecs.ts';

/** Returns the status for a body with this value: 200, 400 or 422. */
function decodeStatus(schema: z.ZodType, value: unknown): number {
  const result = z.safeDecode(schema, value as never);
  if (result.success) return 200;
  return result.error.issues.every(isMalformed) ? 400 : 422;
}

const decodeMessage = (schema: z.ZodType, value: unknown): string | undefined =>
  z.safeDecode(schema, value as never).error?.issues[0]?.message;

const notText = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.array(fc.string()),
  fc.dictionary(fc.string(), fc.string()),
);

describe.each([
  ['groupId', groupId],
  ['unixSeconds', unixSeconds],
])('%s', (_, codec) => {
  test('decodes every unsigned 64-bit integer from decimal and 0x text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        expect(codec.decode(String(value))).toBe(value);
        expect(codec.decode(`0x${value.toString(16)}`)).toBe(value);
        expect(codec.decode(`0x${value.toString(16).padStart(64, '0')}`)).toBe(value);
        expect(codec.decode(String(value).padStart(78, '0'))).toBe(value);
        expect(codec.encode(value)).toBe(String(value));
        if (value <= BigInt(Number.MAX_SAFE_INTEGER)) expect(codec.decode(Number(value))).toBe(value);
      }),
    );
  });

  test.each([
    -1,
    1.5,
    2 ** 53,
    1e300,
    '',
    '-1',
    '+1',
    ' 1',
    '1e3',
    '1_0',
    '0x',
    '0X1',
    '١',
    String(2n ** 64n),
    `0x1${'0'.repeat(16)}`,
    `0x${'0'.repeat(65)}`,
    '0'.repeat(79),
    'x'.repeat(100_000),
  ])('refuses %j as malformed', (value) => {
    expect(decodeStatus(codec, value)).toBe(400);
  });

  test.each([2 ** 64, 1e300, String(2n ** 64n), `0x1${'0'.repeat(16)}`, `0x${'f'.repeat(64)}`])(
    'reports %j as too large',
    (value) => {
      expect(decodeMessage(codec, value)).toMatch(/^is too large: .* at most 18446744073709551615$/);
    },
  );

  test.each([-1, 2 ** 53, 'x', `0x${'f'.repeat(65)}`])('does not report %j as too large', (value) => {
    expect(decodeMessage(codec, value)).toMatch(/^expected/);
  });

  test.each([null, true, [1], { value: 1 }, undefined])('refuses %j as a wrong type', (value) => {
    expect(decodeStatus(codec, value)).toBe(422);
  });
});

test('decimal encodes integers of any size and decodes them', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      expect(decimal.encode(value)).toBe(value.toString());
      expect(decimal.decode(value.toString())).toBe(value);
    }),
  );
  expect(decodeStatus(decimal, '0x1')).toBe(400);
});

describe.each([
  ['hash', hash],
  ['derivationPath', derivationPath],
])('%s', (_, codec) => {
  test('decodes any case and encodes 0x and 64 lower-case digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.boolean(), (value, upper) => {
        const digits = value.toString(16).padStart(64, '0');
        expect(codec.decode(`0x${upper ? digits.toUpperCase() : digits}`)).toBe(value);
        expect(codec.encode(value)).toBe(`0x${digits}`);
      }),
    );
  });

  test.each(['', '0x', 'f'.repeat(64), `0x${'f'.repeat(63)}`, `0x${'f'.repeat(65)}`, `0x${'g'.repeat(64)}`])(
    'refuses %j as malformed',
    (text) => expect(decodeStatus(codec, text)).toBe(400),
  );

  test('refuses to encode more than 256 bits', () => {
    expect(z.safeEncode(codec, 2n ** 256n).success).toBe(false);
    expect(z.safeEncode(codec, -1n).success).toBe(false);
  });
});

describe('address', () => {
  const anyAddress = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes): Address => getAddress(`0x${Buffer.from(bytes).toString('hex')}`));

  test('decodes the checksummed form, all lower case and all upper case, and returns EIP-55', () => {
    fc.assert(
      fc.property(anyAddress, (right) => {
        const digits = right.slice(2);
        for (const text of [right, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`])
          expect(address.decode(text)).toBe(right);
        expect(address.encode(right.toLowerCase() as Address)).toBe(right);
      }),
    );
  });

  test('refuses mixed case with a wrong checksum', () => {
    fc.assert(
      fc.property(anyAddress, fc.nat(39), (right, at) => {
        const character = right[at + 2] ?? '';
        const flipped =
          character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
        const text = right.slice(0, at + 2) + flipped + right.slice(at + 3);
        const digits = text.slice(2);
        const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
        fc.pre(text !== right && !oneCase);
        expect(decodeStatus(address, text)).toBe(400);
      }),
    );
  });

  test.each(['', '0x', '0xf39F', `0x${'0'.repeat(41)}`, `0X${'0'.repeat(40)}`, 'vitalik.eth'])(
    'refuses %j',
    (text) => expect(decodeStatus(address, text)).toBe(400),
  );
});

describe('usageKeyHash', () => {
  const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
  const keyHash = '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1';

  test('decodes a key and its hash to the same value', () => {
    expect(usageKeyHash.decode(key)).toBe(BigInt(keyHash));
    expect(usageKeyHash.decode(keyHash)).toBe(BigInt(keyHash));
    expect(usageKeyHash.encode(BigInt(keyHash))).toBe(keyHash);
  });

  test.each(['my-own-key!', 'x', '0x12', '!~'.repeat(256)])(
    'hashes %j, a key in a format of its owner',
    (text) => {
      expect(usageKeyHash.decode(text)).toBe(apiKeyHash(text));
    },
  );

  test.each(['', 'my own key', 'clé', 'x'.repeat(513)])('refuses %j without repeating it', (text) => {
    const result = z.safeDecode(usageKeyHash, text);
    expect(result.success).toBe(false);
    if (text !== '') expect(result.error?.issues[0]?.message).not.toContain(text);
    expect(decodeStatus(usageKeyHash, text)).toBe(400);
  });
});

describe('cid', () => {
  test.each([
    'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD',
    'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa',
  ])('keeps %s unchanged', (text) => expect(cid.decode(text)).toBe(text));

  test.each(['', 'Qm', 'QmInvalid0OIl', 'bafy'])('refuses %j as malformed', (text) =>
    expect(decodeStatus(cid, text)).toBe(400),
  );

  test('refuses a text over the length limit as a schema mismatch', () => {
    expect(decodeStatus(cid, `b${'a'.repeat(256)}`)).toBe(422);
  });
});

describe.each([
  ['hashOrWildcard', hashOrWildcard, 64, 0n],
  ['cidOrWildcard', cidOrWildcard, 64, 0n],
  ['addressOrWildcard', addressOrWildcard, 40, zeroAddress],
])('%s', (_, codec: z.ZodType, digits, wildcard) => {
  test('decodes 0, 0x0 and all zeros as the wildcard and encodes all zeros', () => {
    for (const value of [0, '0', '0x0', '0x00', `0x${'0'.repeat(digits)}`])
      expect(z.decode(codec, value as never)).toBe(wildcard);
    expect(z.encode(codec, wildcard as never)).toBe(`0x${'0'.repeat(digits)}`);
  });

  test.each(['', '00', '0x', '0X0', '0x1', `0x${'0'.repeat(digits + 1)}`, `${'0'.repeat(digits)}`])(
    'refuses %j as malformed',
    (text) => expect(decodeStatus(codec, text)).toBe(400),
  );

  test.each([1, -0.5, null, true, [0], { value: 0 }, undefined])('refuses %j as a wrong type', (value) => {
    expect(decodeStatus(codec, value)).toBe(422);
  });
});

test('decodes other values like the codec without the wildcard', () => {
  const text = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
  const wallet = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  expect(cidOrWildcard.decode(text)).toBe(cidHash(text));
  expect(hashOrWildcard.decode(`0x${'0'.repeat(63)}1`)).toBe(1n);
  expect(addressOrWildcard.decode(wallet.toLowerCase())).toBe(wallet);
  expect(decodeStatus(addressOrWildcard, wallet.replace('f39F', 'F39F'))).toBe(400);
  expect(decodeStatus(cidOrWildcard, `b${'a'.repeat(256)}`)).toBe(422);
});

describe.each([
  ['name', name, 128],
  ['description', description, 1_024],
])('%s', (_, codec, maxBytes) => {
  test('limits the bytes of UTF-8, not the characters', () => {
    expect(codec.decode('é'.repeat(maxBytes / 2))).toHaveLength(maxBytes / 2);
    expect(codec.decode('')).toBe('');
    expect(decodeStatus(codec, `${'é'.repeat(maxBytes / 2)}a`)).toBe(422);
    expect(decodeStatus(codec, 'a'.repeat(maxBytes + 1))).toBe(422);
  });

  test.each(['\ud800', 'a\udfff', '\udc00\ud800', 'a\0b'])('refuses %j', (text) =>
    expect(decodeStatus(codec, text)).toBe(400),
  );

  test('keeps every text that UTF-8 can encode', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        fc.pre(!text.includes('\0') && Buffer.byteLength(text) <= 128);
        expect(codec.decode(text)).toBe(text);
      }),
    );
  });
});

describe('pageQuery', () => {
  test('has defaults', () => {
    expect(pageQuery.decode({})).toEqual({ page_number: 0, page_size: 100 });
  });

  test('decodes the bounds of the ranges', () => {
    expect(pageQuery.decode({ page_number: '0', page_size: '1' })).toEqual({ page_number: 0, page_size: 1 });
    expect(pageQuery.decode({ page_number: '4294967295', page_size: '1000' }).page_size).toBe(1_000);
  });

  test.each([
    { page_size: '0' },
    { page_size: '1001' },
    { page_size: '' },
    { page_size: '1.0' },
    { page_size: '1e2' },
    { page_number: '-1' },
    { page_number: 'NaN' },
    { page_number: '4294967296' },
    { page_number: '9'.repeat(1_000) },
  ])('refuses %j as malformed', (query) => expect(decodeStatus(pageQuery, query)).toBe(400));

  test('refuses a repeated parameter as a schema mismatch', () => {
    expect(decodeStatus(pageQuery, { page_size: ['1', '2'] })).toBe(422);
  });
});

test('no text codec decodes another type, and none throws', () => {
  fc.assert(
    fc.property(notText, (value) => {
      for (const codec of [hash, address, cid, name, usageKeyHash, decimal])
        expect(decodeStatus(codec, value)).toBe(422);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const codec of [groupId, hash, address, cid, name, usageKeyHash, decimal])
        expect([200, 400]).toContain(decodeStatus(codec, text));
    }),
  );
});
