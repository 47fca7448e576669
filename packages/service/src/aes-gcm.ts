/** AES-256-GCM as `nonce(12) | ciphertext | tag(16)` with random nonces: one key is safe for 2³² messages. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** Bytes that sealing adds: the length of the shortest message. */
export const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/** Encrypts bytes, or text as UTF-8. */
export function encrypt(
  key: Uint8Array,
  message: Uint8Array | string,
  associatedData: Uint8Array | string = '',
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, createSecretKey(key), nonce).setAAD(Buffer.from(associatedData));
  return Buffer.concat([nonce, cipher.update(Buffer.from(message)), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a message. Throws when its bytes were changed, or when the key or the associated data differ. */
export function decrypt(
  key: Uint8Array,
  bytes: Uint8Array,
  associatedData: Uint8Array | string = '',
): Buffer {
  if (bytes.length < OVERHEAD_BYTES) throw new RangeError('the message is shorter than a nonce and a tag');
  const decipher = createDecipheriv(ALGORITHM, createSecretKey(key), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
