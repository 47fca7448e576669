import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { looksRandom } from './looks-random.ts';

test('accepts 16 random bytes in any common form', () => {
  for (let round = 0; round < 1_000; round++)
    for (const text of [
      randomUUID(),
      randomBytes(16).toString('hex'),
      randomBytes(16).toString('base64url'),
      randomBytes(32).toString('base64url'),
    ])
      expect([text, looksRandom(text)]).toEqual([text, true]);
});

test.each([
  '',
  'once',
  'order-17',
  'new-account-of-ann',
  'a'.repeat(64),
  'abcdefghij'.repeat(3),
  '0123456789abcdef'.repeat(2),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  `${randomBytes(16).toString('hex')} `,
  randomBytes(16).toString('hex').slice(0, 21),
])('refuses %j', (text) => expect(looksRandom(text)).toBe(false));
