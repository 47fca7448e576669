/**
 * HPKE base mode (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM, one message per encapsulated key. A sealed value is the
 * encapsulated key (32 bytes) and the ciphertext.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  KeyObject,
  type webcrypto,
} from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';

type Bytes = ArrayBufferLike | ArrayBufferView;

// The library computes with WebCrypto, which hands each step to another thread: a message took 20 times the time of its
// X25519. These are the steps on this thread. The schedule of RFC 9180 stays the library's. Node takes a `KeyObject` four times as fast as
// the bytes of a key.

const synchronousHkdf = {
  extract: async (salt: Bytes, ikm: Bytes): Promise<ArrayBuffer> =>
    copy(
      createHmac('sha256', createSecretKey(viewOf(salt)))
        .update(viewOf(ikm))
        .digest(),
    ),
  extractAndExpand: async (salt: Bytes, ikm: Bytes, info: Bytes, length: number): Promise<ArrayBuffer> =>
    hkdfSync('sha256', createSecretKey(viewOf(ikm)), viewOf(salt), viewOf(info), length),
};

const X25519 = { name: 'X25519' };
const JWK = { kty: 'OKP', crv: 'X25519' };

const synchronousX25519 = {
  async generateKeyPair(): Promise<webcrypto.CryptoKeyPair> {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    return {
      publicKey: publicKey.toCryptoKey(X25519, true, []),
      privateKey: privateKey.toCryptoKey(X25519, true, ['deriveBits']),
    };
  },
  async serializePublicKey(key: webcrypto.CryptoKey): Promise<ArrayBuffer> {
    return copy(Buffer.from(KeyObject.from(key).export({ format: 'jwk' }).x ?? '', 'base64url'));
  },
  async deserializePublicKey(key: Bytes): Promise<webcrypto.CryptoKey> {
    const x = Buffer.from(viewOf(key)).toString('base64url');
    return createPublicKey({ key: { ...JWK, x }, format: 'jwk' }).toCryptoKey(X25519, true, []);
  },
  /** Rejects for a public key of small order, as RFC 9180 requires. */
  async dh(secret: webcrypto.CryptoKey, key: webcrypto.CryptoKey): Promise<ArrayBuffer> {
    return copy(diffieHellman({ privateKey: KeyObject.from(secret), publicKey: KeyObject.from(key) }));
  },
};

class SynchronousKem extends DhkemX25519HkdfSha256 {
  constructor() {
    super();
    Object.assign(this._prim, synchronousX25519);
    Object.assign(this._kdf, synchronousHkdf);
  }
}

const AES = 'aes-256-gcm';
const TAG_BYTES = 16;

class SynchronousAes256Gcm extends Aes256Gcm {
  override createEncryptionContext(key: Bytes) {
    const secret = createSecretKey(viewOf(key));
    return {
      async seal(nonce: Bytes, data: Bytes, aad: Bytes): Promise<ArrayBuffer> {
        const cipher = createCipheriv(AES, secret, viewOf(nonce)).setAAD(viewOf(aad));
        const ciphertext = cipher.update(viewOf(data));
        return copy(Buffer.concat([ciphertext, cipher.final(), cipher.getAuthTag()]));
      },
      async open(nonce: Bytes, data: Bytes, aad: Bytes): Promise<ArrayBuffer> {
        const sealed = viewOf(data);
        const end = sealed.length - TAG_BYTES;
        const decipher = createDecipheriv(AES, secret, viewOf(nonce), { authTagLength: TAG_BYTES });
        decipher.setAAD(viewOf(aad)).setAuthTag(sealed.subarray(end));
        return copy(Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]));
      },
    };
  }
}

const suite = new CipherSuite({
  kem: new SynchronousKem(),
  kdf: Object.assign(new HkdfSha256(), synchronousHkdf),
  aead: new SynchronousAes256Gcm(),
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

const viewOf = (bytes: Bytes): Uint8Array =>
  ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
const copy = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const text = (value: string): ArrayBuffer => copy(Buffer.from(value));
