/**
 * Encryption of secrets to the secp256k1 key of a wallet (ECIES): the x coordinate of ECDH with a key that is used once, HKDF-SHA256, and
 * AES-256-GCM. A ciphertext is the compressed public key of that key (33 bytes), the encrypted value, and the tag (16).
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Hex } from 'viem';
import { type SecretVersion, secretContext } from './secret-context.ts';

const AES = 'AES-GCM';
/** Safe, because each key encrypts one message. */
const NONCE = new Uint8Array(12);

/**
 * Resolves to the ciphertext in base64.
 *
 * @param publicKey - Of the wallet, 33 or 65 bytes in hex. Rejects when it is not a point.
 */
export async function encryptSecret(
  publicKey: Hex,
  value: Uint8Array<ArrayBuffer>,
  of: SecretVersion,
): Promise<string> {
  const recipient = secp256k1.Point.fromHex(publicKey.slice(2)).toBytes(true);
  const once = secp256k1.utils.randomSecretKey();
  const ephemeral = secp256k1.getPublicKey(once, true);
  const shared = secp256k1.getSharedSecret(once, recipient, true).slice(1);
  const { subtle } = globalThis.crypto;
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: concat(ephemeral, recipient),
    info: new TextEncoder().encode(secretContext(of)),
  };
  const secret = await subtle.importKey('raw', new Uint8Array(shared), 'HKDF', false, ['deriveKey']);
  const key = await subtle.deriveKey(derivation, secret, { name: AES, length: 256 }, false, ['encrypt']);
  const encrypted = await subtle.encrypt({ name: AES, iv: NONCE }, key, value);
  let text = '';
  for (const byte of concat(ephemeral, new Uint8Array(encrypted))) text += String.fromCharCode(byte);
  return btoa(text);
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
