/** Decryption of secrets: see `@latchkey/protocol/secret-cipher`. Each step is synchronous, as in `@latchkey/key-protocol/hpke`. */
import { createDecipheriv, createHmac } from 'node:crypto';
import { type SecretVersion, secretContext } from '@latchkey/protocol';
import { compressedPublicKey, sharedPoint } from '@latchkey/service/secp256k1';
import { hexToBytes } from 'viem';
import { ActionError } from './errors.ts';

const POINT_BYTES = 33;
const TAG_BYTES = 16;
const NONCE = Buffer.alloc(12);

const hmac = (key: Uint8Array, ...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();

/**
 * Returns the value. Throws an ActionError for anything that was not encrypted to this wallet as this version of this secret.
 *
 * @param privateKey - SECRET, of the wallet.
 */
export function decryptSecret(privateKey: Uint8Array, ciphertext: Uint8Array, of: SecretVersion): Buffer {
  try {
    const ephemeral = ciphertext.subarray(0, POINT_BYTES);
    const shared = sharedPoint(ephemeral, privateKey).subarray(1);
    const extracted = hmac(Buffer.concat([ephemeral, hexToBytes(compressedPublicKey(privateKey))]), shared);
    // One block of HKDF-Expand.
    const key = hmac(extracted, Buffer.from(secretContext(of)), Buffer.of(1));
    const end = Math.max(POINT_BYTES, ciphertext.length - TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, NONCE, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(ciphertext.subarray(end));
    return Buffer.concat([decipher.update(ciphertext.subarray(POINT_BYTES, end)), decipher.final()]);
  } catch {
    throw new ActionError(
      'SecretError',
      `the secret ${of.name} is not encrypted to its wallet as version ${of.version}: set it again`,
    );
  }
}
