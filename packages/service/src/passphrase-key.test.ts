import { hkdfSync, scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { passphraseKey } from './passphrase-key.ts';

const salt = Buffer.from('0123456789abcdef');
const random = '0f'.repeat(32);
const derive = async (...of: Parameters<typeof passphraseKey>) =>
  Buffer.from(await passphraseKey(...of)(salt)).toString('hex');
const scrypt = (passphrase: string) =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }).toString('hex');
const hkdf = (passphrase: string) =>
  Buffer.from(hkdfSync('sha256', passphrase, salt, 'latchkey/passphrase-key/v1', 32)).toString('hex');

describe('the key of a passphrase', () => {
  test.each(['correct horse', random.slice(2), `${random}0`, `${random.slice(1)}g`])(
    'that can be guessed is stretched: %s',
    async (passphrase) => {
      expect(await derive(passphrase)).toBe(scrypt(passphrase));
    },
  );

  test('is the same for both forms of a letter', async () => {
    expect(await derive('e\u0301')).toBe(scrypt('\u00e9'));
  });

  test('of 32 random bytes, or that is public, is expanded', async () => {
    expect(await derive(random)).toBe(hkdf(random));
    expect(await derive('local', { isPublic: true })).toBe(hkdf('local'));
  });
});
