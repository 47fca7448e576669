/** The wire format of `Encrypt`: hex of `nonce(12) | AES-256-GCM ciphertext | tag(16)`, the message as UTF-8. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ActionError } from '../runtime/errors.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key may encrypt 2³² messages before two random nonces are likely enough to be equal to matter. */
export const encryptText = (key: Uint8Array, message: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(message, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'hex',
  );
};

/** Throws `DecryptError` when the text is no hex, is too short, was changed, or was made with another key. */
export const decryptText = (key: Uint8Array, ciphertext: string): string => {
  const hex = ciphertext.replace(/^0x/, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex) || hex.length < 2 * (NONCE_BYTES + TAG_BYTES)) {
    throw new ActionError('DecryptError', 'the ciphertext is not the hex text that Encrypt returns');
  }
  const bytes = Buffer.from(hex, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw new ActionError('DecryptError', 'the ciphertext was not made by this wallet, or it was changed');
  }
};
