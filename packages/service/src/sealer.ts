/** Seals secrets at rest: AES-256-GCM under keys that can be rotated. */
import { createHash } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

const KEY_ID_BYTES = 4;

/** A sealed value does not open: it was changed, or it belongs to another key or record. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** `id` prefixes every value that the key seals; all ids of one sealer have the same length. `key` has 32 bytes. */
export type SealingKey = { id: Uint8Array; key: Uint8Array };

/** `context` names the record: a value sealed for one record does not open for another. */
export type Sealer = {
  /** Returns base64url of `key id | nonce(12) | ciphertext | tag(16)` under the first key. Text is sealed as UTF-8. */
  seal: (data: Uint8Array | string, context: string) => string;
  /** Returns the sealed bytes. Throws `SealError` when no key sealed the value for this context. */
  open: (sealed: string, context: string) => Uint8Array;
  /** Like `open`, as UTF-8 text. */
  openText: (sealed: string, context: string) => string;
  /** Returns false when an older key sealed the value: seal it again. */
  isCurrent: (sealed: string) => boolean;
};

/** Returns a key with the start of its SHA-256 as id. */
export const sealingKey = (key: Uint8Array): SealingKey => ({
  key,
  id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES),
});

/** Creates a sealer: the first key seals, every key opens. */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const [first] = keys;
  if (!first) throw new SealError('no sealing key');
  const findKey = (bytes: Buffer) => keys.find(({ id }) => bytes.subarray(0, id.length).equals(id));
  const open = (sealed: string, context: string): Buffer => {
    const bytes = Buffer.from(sealed, 'base64url');
    const found = findKey(bytes);
    if (!found) throw new SealError('the value was not sealed by a key of this service');
    try {
      return decrypt(found.key, bytes.subarray(found.id.length), context);
    } catch {
      throw new SealError('the value was changed, or sealed for another record');
    }
  };
  return {
    seal: (data, context) =>
      Buffer.concat([first.id, encrypt(first.key, data, context)]).toString('base64url'),
    open: (sealed, context) => new Uint8Array(open(sealed, context)),
    openText: (sealed, context) => open(sealed, context).toString('utf8'),
    isCurrent: (sealed) => findKey(Buffer.from(sealed, 'base64url')) === first,
  };
}
