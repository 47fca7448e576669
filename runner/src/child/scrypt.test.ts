/** The same keys as Node's scrypt. */
import { scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { scrypt, syncScrypt } from './scrypt.ts';

const password = Buffer.from('pässword');
const salt = Buffer.from('0102030405060708', 'hex');
const expected = (N: number, r: number, p: number, bytes = 64): string =>
  scryptSync(password, salt, bytes, { N, r, p, maxmem: 1_024 ** 3 }).toString('hex');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test.each([
  [2, 1, 1],
  [1_024, 8, 1],
  [256, 3, 5],
  // 64 MiB: with each second block.
  [65_536, 8, 1],
])('N = %i, r = %i, p = %i', { timeout: 120_000 }, async (N, r, p) => {
  expect(hex(syncScrypt(password, salt, N, r, p, 64))).toBe(expected(N, r, p));
  expect(hex(await scrypt(password, salt, N, r, p, 64))).toBe(expected(N, r, p));
});

test('a key of any length', () => {
  for (const bytes of [1, 31, 32, 33, 100])
    expect(hex(syncScrypt(password, salt, 16, 2, 1, bytes))).toBe(expected(16, 2, 1, bytes));
});

test('other work goes on, and the callback gets the progress and can stop it', async () => {
  const fractions: number[] = [];
  let isOther = false;
  const key = scrypt(password, salt, 8_192, 1, 1, 64, (fraction) => {
    fractions.push(fraction);
    return undefined;
  });
  setTimeout(() => {
    isOther = true;
  });
  expect(hex(await key)).toBe(expected(8_192, 1, 1));
  expect(isOther).toBe(true);
  expect(fractions).toEqual([0, 0.25, 0.5, 0.75, 1]);
  await expect(scrypt(password, salt, 8_192, 1, 1, 64, (fraction) => fraction > 0.3)).rejects.toThrow(
    'stopped by its progress callback',
  );
});

describe('refuses', () => {
  test.each([
    [0, 1, 1],
    [1, 1, 1],
    [3, 1, 1],
    [2 ** 32, 1, 1],
    [16, 0, 1],
    [16, 1, -1],
    [16, 1.5, 1],
    [16, 2 ** 15, 2 ** 15],
  ])('N = %d, r = %d, p = %d', (N, r, p) => {
    expect(() => syncScrypt(password, salt, N, r, p, 64)).toThrow(/^scrypt: /);
  });
});
