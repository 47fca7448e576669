/**
 * HPKE base mode (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM, one message per encapsulated key. A sealed value is the
 * encapsulated key (32 bytes) and the ciphertext.
 */
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const ENCAPSULATED_BYTES = 32;

/** `info` names the use, `context` the one message. */
export type SealedFor = { info: string; context: string };

export type HpkeKeyPair = Awaited<ReturnType<typeof suite.kem.generateKeyPair>>;

export const generateKeyPair = (): Promise<HpkeKeyPair> => suite.kem.generateKeyPair();

/** @param seed SECRET, 32 random bytes: the same seed gives the same key pair. */
export const deriveKeyPair = (seed: Uint8Array): Promise<HpkeKeyPair> => suite.kem.deriveKeyPair(copy(seed));

/** Returns 32 bytes in hexadecimal. */
export async function publicKeyHex({ publicKey }: HpkeKeyPair): Promise<string> {
  return Buffer.from(await suite.kem.serializePublicKey(publicKey)).toString('hex');
}

/** Encrypts one message. `context` binds the ciphertext to it. */
export type Sealer = (message: Uint8Array, context: string) => Promise<Uint8Array>;

/** Prepares the encryption of one message, which takes most of its time. Rejects for a malformed public key. */
export async function sealerFor(recipient: string, info: string): Promise<Sealer> {
  const recipientPublicKey = await suite.kem.deserializePublicKey(copy(Buffer.from(recipient, 'hex')));
  const sender = await suite.createSenderContext({ recipientPublicKey, info: text(info) });
  return async (message, context) => {
    const ciphertext = await sender.seal(copy(message), text(context));
    return Buffer.concat([Buffer.from(sender.enc), Buffer.from(ciphertext)]);
  };
}

/** Rejects for a malformed public key. */
export async function seal(
  message: Uint8Array,
  recipient: string,
  { info, context }: SealedFor,
): Promise<Uint8Array> {
  return (await sealerFor(recipient, info))(message, context);
}

/** Rejects for anything that was not sealed for this key, use and message. */
export async function open(
  sealed: Uint8Array,
  recipientKey: HpkeKeyPair,
  { info, context }: SealedFor,
): Promise<Uint8Array> {
  const enc = copy(sealed.subarray(0, ENCAPSULATED_BYTES));
  const ciphertext = copy(sealed.subarray(ENCAPSULATED_BYTES));
  return new Uint8Array(await suite.open({ recipientKey, enc, info: text(info) }, ciphertext, text(context)));
}

const copy = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const text = (value: string): ArrayBuffer => copy(Buffer.from(value));
