/**
 * HPKE base mode (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM, one message per encapsulated key. A sealed value is the
 * encapsulated key (32 bytes) and the ciphertext.
 *
 * NOTE Each step is synchronous: a key process is a fork, which has none of the threads that WebCrypto, and libraries on it, compute with.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';

/** `info` names the use, `context` the one message. */
export type SealedFor = { info: string; context: string };

export type HpkeKeyPair = { publicKey: KeyObject; privateKey: KeyObject };

const AES = 'aes-256-gcm';
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** PKCS 8 of an X25519 key up to its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The `suite_id` of RFC 9180: of DHKEM(X25519, HKDF-SHA256), and with HKDF-SHA256 and AES-256-GCM. */
const KEM = Buffer.from('KEM\x00\x20');
const HPKE = Buffer.from('HPKE\x00\x20\x00\x01\x00\x02');
const NONE = Buffer.of();

type Part = string | Uint8Array;

function hmac(key: Uint8Array, ...parts: Part[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** `LabeledExtract` and `LabeledExpand` of RFC 9180, section 4. */
const extract = (suite: Uint8Array, salt: Uint8Array, label: string, ikm: Part): Buffer =>
  hmac(salt, 'HPKE-v1', suite, label, ikm);
/** At most 32 bytes: the first block of HKDF-Expand. */
const expand = (
  suite: Uint8Array,
  secret: Uint8Array,
  label: string,
  info: Uint8Array,
  length = 32,
): Buffer =>
  hmac(secret, Buffer.of(0, length), 'HPKE-v1', suite, label, info, Buffer.of(1)).subarray(0, length);

const toBytes = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
const toPublicKey = (bytes: Uint8Array): KeyObject => {
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
};

/** Key and nonce of the message. Throws for a public key of small order, as RFC 9180 requires. */
function schedule(keys: HpkeKeyPair, encapsulated: Uint8Array, recipient: Uint8Array, info: string) {
  const shared = expand(
    KEM,
    extract(KEM, NONE, 'eae_prk', diffieHellman(keys)),
    'shared_secret',
    Buffer.concat([encapsulated, recipient]),
  );
  const context = Buffer.concat([
    Buffer.of(0),
    extract(HPKE, NONE, 'psk_id_hash', ''),
    extract(HPKE, NONE, 'info_hash', info),
  ]);
  const secret = extract(HPKE, shared, 'secret', '');
  return {
    key: expand(HPKE, secret, 'key', context),
    nonce: expand(HPKE, secret, 'base_nonce', context, 12),
  };
}

export const generateKeyPair = async (): Promise<HpkeKeyPair> => generateKeyPairSync('x25519');

/** @param seed SECRET, 32 random bytes: the same seed gives the same key pair. */
export async function deriveKeyPair(seed: Uint8Array): Promise<HpkeKeyPair> {
  const secret = expand(KEM, extract(KEM, NONE, 'dkp_prk', seed), 'sk', NONE);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Returns 32 bytes in hexadecimal. */
export const publicKeyHex = async ({ publicKey }: HpkeKeyPair): Promise<string> =>
  toBytes(publicKey).toString('hex');

/** Encrypts one message. `context` binds the ciphertext to it. Rejects for a second message, which would have the same nonce. */
export type Sealer = (message: Uint8Array, context: string) => Promise<Uint8Array>;

/** Prepares the encryption of one message, which takes most of its time. Rejects for a malformed public key. */
export async function sealerFor(recipient: string, info: string): Promise<Sealer> {
  const to = Buffer.from(recipient, 'hex');
  const { publicKey, privateKey } = await generateKeyPair();
  const encapsulated = toBytes(publicKey);
  const { key, nonce } = schedule({ privateKey, publicKey: toPublicKey(to) }, encapsulated, to, info);
  let isUsed = false;
  return async (message, context) => {
    if (isUsed) throw new Error('a sealer encrypts one message');
    isUsed = true;
    const cipher = createCipheriv(AES, key, nonce).setAAD(Buffer.from(context));
    return Buffer.concat([encapsulated, cipher.update(message), cipher.final(), cipher.getAuthTag()]);
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
  { publicKey, privateKey }: HpkeKeyPair,
  { info, context }: SealedFor,
): Promise<Uint8Array> {
  const encapsulated = sealed.subarray(0, KEY_BYTES);
  const keys = { privateKey, publicKey: toPublicKey(encapsulated) };
  const { key, nonce } = schedule(keys, encapsulated, toBytes(publicKey), info);
  const end = Math.max(KEY_BYTES, sealed.length - TAG_BYTES);
  const decipher = createDecipheriv(AES, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(end));
  return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(KEY_BYTES, end)), decipher.final()]));
}
