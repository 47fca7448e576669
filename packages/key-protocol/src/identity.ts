/** Ed25519 identities of runners, relayers and key nodes. Keys are 32 bytes in lower-case hexadecimal. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The DER encodings of RFC 8410 before the 32 bytes of a seed and of a public key. */
const PKCS8 = '302e020100300506032b657004220420';
const SPKI = '302a300506032b6570032100';

export type Identity = {
  publicKey: string;
  /** Returns the signature, 64 bytes in hexadecimal. */
  sign: (message: Uint8Array) => string;
};

/** @param seed SECRET, 32 random bytes in hexadecimal. Throws a RangeError for any other text. */
export function createIdentity(seed: string): Identity {
  if (!/^[0-9a-f]{64}$/.test(seed)) throw new RangeError('an identity key must have 64 hex digits');
  const privateKey = createPrivateKey({
    key: Buffer.from(PKCS8 + seed, 'hex'),
    format: 'der',
    type: 'pkcs8',
  });
  const encoded = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    publicKey: encoded.subarray(SPKI.length / 2).toString('hex'),
    sign: (message) => sign(null, message, privateKey).toString('hex'),
  };
}

const MAX_KNOWN = 1_000;
const publicKeys = new Map<string, KeyObject>();

/** Returns whether the holder of a known public key has signed the message. False for malformed keys and signatures. */
export function isSignedBy(publicKey: string, message: Uint8Array, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(publicKey) || !/^[0-9a-f]{128}$/.test(signature)) return false;
  try {
    return verify(null, message, publicKeyOf(publicKey), Buffer.from(signature, 'hex'));
  } catch {
    return false;
  }
}

function publicKeyOf(publicKey: string): KeyObject {
  const known = publicKeys.get(publicKey);
  if (known) return known;
  const key = createPublicKey({ key: Buffer.from(SPKI + publicKey, 'hex'), format: 'der', type: 'spki' });
  // Runners in enclaves have a new identity after each start.
  if (publicKeys.size >= MAX_KNOWN) publicKeys.clear();
  publicKeys.set(publicKey, key);
  return key;
}
