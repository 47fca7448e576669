/** Keys of a passphrase. */
import { hkdf, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const KEY_BYTES = 32;
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const INFO = 'latchkey/passphrase-key/v1';
/** 32 random bytes in hexadecimal. */
const RANDOM = /^[0-9a-f]{64}$/i;

/** Derives a key, 32 bytes. The salt, 16 random bytes, is stored with what the key seals. */
export type DeriveKey = (salt: Uint8Array) => Promise<Uint8Array>;

/**
 * Returns the derivation of a passphrase's key. scrypt with N = 2¹⁷, r = 8, p = 1 takes a third of a second and 128 MiB, so that guessing is
 * expensive. A passphrase of 64 hexadecimal digits counts as 32 random bytes, which cannot be guessed, and a public one (`isPublic`) needs no
 * guess: HKDF-SHA256 derives their keys.
 */
export function passphraseKey(passphrase: string, { isPublic = false } = {}): DeriveKey {
  if (isPublic || RANDOM.test(passphrase))
    return async (salt) => new Uint8Array(await promisify(hkdf)('sha256', passphrase, salt, INFO, KEY_BYTES));
  return (salt) => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    );
    return promise;
  };
}
