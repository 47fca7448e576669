/** Secrets at rest: AES-256-GCM under keys that can be replaced. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class SealError extends Error {
  override readonly name = 'SealError';
}

/** `context` names the record: what was sealed for one opens for no other. */
export type Sealer = {
  /** Base64url of `key id(4) | nonce(12) | ciphertext | tag(16)` under the first key. */
  seal: (text: string, context: string) => string;
  /** Throws `SealError` for what none of the keys has sealed for this context. */
  open: (sealed: string, context: string) => string;
  /** False for what an older key has sealed: to be sealed anew. */
  isCurrent: (sealed: string) => boolean;
};

export function createSealer(keys: readonly Uint8Array[]): Sealer {
  const known = keys.map((key) => ({
    key,
    id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES),
  }));
  const [first] = known;
  if (!first) throw new SealError('no key to seal with');
  const keyOf = (bytes: Buffer) => known.find(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)));
  const bytesOf = (sealed: string) => Buffer.from(sealed, 'base64url');
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([first.id, nonce, body, cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed, context) {
      const bytes = bytesOf(sealed);
      const found = keyOf(bytes);
      const start = KEY_ID_BYTES + NONCE_BYTES;
      if (!found || bytes.length < start + TAG_BYTES)
        throw new SealError('not sealed by a key of this service');
      const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(KEY_ID_BYTES, start))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const body = decipher.update(bytes.subarray(start, -TAG_BYTES));
        return Buffer.concat([body, decipher.final()]).toString('utf8');
      } catch {
        throw new SealError('not sealed for this record');
      }
    },
    isCurrent: (sealed) => keyOf(bytesOf(sealed)) === first,
  };
}
