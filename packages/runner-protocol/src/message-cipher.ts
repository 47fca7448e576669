/** The wire format of `Encrypt`: hex of `nonce(12) | AES-256-GCM ciphertext | tag(16)`, over the message as UTF-8. */
import { decrypt, encrypt, OVERHEAD_BYTES } from '@latchkey/service/aes-gcm';
import { ActionError } from './errors.ts';

export const encryptText = (key: Uint8Array, message: string): string =>
  encrypt(key, message).toString('hex');

/** Throws `DecryptError` when the text is not hex, is too short, was changed, or was encrypted with another key. */
export const decryptText = (key: Uint8Array, ciphertext: string): string => {
  const hex = ciphertext.replace(/^0x/, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex) || hex.length < 2 * OVERHEAD_BYTES) {
    throw new ActionError('DecryptError', 'malformed ciphertext: send the hex text that Encrypt returned');
  }
  try {
    return decrypt(key, Buffer.from(hex, 'hex')).toString('utf8');
  } catch {
    throw new ActionError('DecryptError', 'the ciphertext was encrypted by another wallet or was changed');
  }
};
