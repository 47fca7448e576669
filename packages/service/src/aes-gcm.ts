/** AES-256-GCM as `nonce(12) | ciphertext | tag(16)`, each nonce random: a key serves 2³² messages safely. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** Of the shortest sealed message. */
export const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/** Text is encrypted as UTF-8. */
export function encrypt(
  key: Uint8Array,
  message: Uint8Array | string,
  associatedData: Uint8Array | string = '',
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(associatedData));
  return Buffer.concat([nonce, cipher.update(Buffer.from(message)), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the bytes were changed, or encrypted with another key or other associated data. */
export function decrypt(
  key: Uint8Array,
  bytes: Uint8Array,
  associatedData: Uint8Array | string = '',
): Buffer {
  if (bytes.length < OVERHEAD_BYTES) throw new RangeError('shorter than a nonce and a tag');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
