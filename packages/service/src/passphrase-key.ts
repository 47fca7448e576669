/** The key of a passphrase: scrypt with N = 2¹⁷, r = 8, p = 1, which takes about half a second and 128 MiB. */
import { scrypt } from 'node:crypto';

const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** @param salt 16 random bytes, stored with what the key seals. */
export function derivePassphraseKey(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(passphrase.normalize('NFC'), salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}
