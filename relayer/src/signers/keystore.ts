/** Key files of the Web3 Secret Storage format, version 3, as geth, clef and ethers write them. */
import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { bytesToHex, type Hex, keccak256 } from 'viem';
import { z } from 'zod';

const bytes = z
  .string()
  .regex(/^(?:[0-9a-f]{2})+$/i)
  .transform((hex) => Buffer.from(hex, 'hex'));
const shared = {
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: bytes }),
  ciphertext: bytes,
  mac: bytes,
};
const derived = { dklen: z.literal(32), salt: bytes };
const content = z.discriminatedUnion('kdf', [
  z.object({
    ...shared,
    kdf: z.literal('scrypt'),
    kdfparams: z.object({ ...derived, n: z.int(), r: z.int(), p: z.int() }),
  }),
  z.object({
    ...shared,
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({ ...derived, c: z.int(), prf: z.literal('hmac-sha256') }),
  }),
]);
/** ethers writes `Crypto`. */
const keystore = z.object({
  version: z.literal(3),
  crypto: content.optional(),
  Crypto: content.optional(),
});

async function derive(passphrase: string, file: z.output<typeof content>): Promise<Buffer> {
  if (file.kdf === 'pbkdf2') {
    const { salt, c, dklen } = file.kdfparams;
    return promisify(pbkdf2)(passphrase, salt, c, dklen, 'sha256');
  }
  const { salt, n: N, r, p, dklen } = file.kdfparams;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const cost = { N, r, p, maxmem: 256 * N * r };
  scrypt(passphrase, salt, dklen, cost, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}

/** Returns the private key of a key file. @param passphrase - SECRET */
export async function readKeystore(path: string, passphrase: string): Promise<Hex> {
  const { data } = keystore.safeParse(JSON.parse(await readFile(path, 'utf8')));
  const file = data?.crypto ?? data?.Crypto;
  if (!file) throw new Error('not a key file of version 3 with scrypt or pbkdf2');
  const { cipherparams, ciphertext, mac } = file;
  const key = await derive(passphrase, file);
  const found = keccak256(Buffer.concat([key.subarray(16), ciphertext]), 'bytes');
  if (mac.length !== found.length || !timingSafeEqual(mac, found)) throw new Error('wrong passphrase');
  const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), cipherparams.iv);
  return bytesToHex(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
}
