/** Signatures of the senders, made with Web Crypto. */
import { webcrypto } from 'node:crypto';

export const { subtle } = webcrypto;
export type Bytes = Uint8Array<ArrayBuffer>;

export type Headers = Record<string, string[]>;
export type Signed = { headers: Headers; body: string; search: string };
export type Sample = {
  scheme: string;
  /** Further fields of `verification`. */
  fields?: object;
  keyField?: 'secret' | 'public_key';
  /** The reply has the status 200. */
  okStatus?: 200;
  keys: readonly [string, string];
  /** Header with the signature or the secret; absent when the secret is elsewhere. */
  signature?: string;
  /** Name of the header with the signed timestamp, `in signature` or `in body`. */
  timestamp?: string;
  /** The sender sends a secret and signs nothing. */
  signsNothing?: true;
  /** Header with the delivery id, where the sender does not sign it. */
  unsignedId?: string;
  /** `resigned`: an attempt that is signed later has the id of the first. `exact`: only the same request has. */
  repeats: 'resigned' | 'exact' | 'never';
  body: string;
  contentType?: string;
  sign: (request: { key: string; atMs: number; body: string; url: string }) => Promise<{
    headers: Record<string, string>;
    search?: string;
    /** Replaces the body, where it has the signature. */
    body?: string;
  }>;
};

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
export const hex = (bytes: Bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
export const base64 = (bytes: Bytes) => btoa(String.fromCharCode(...bytes));
export const base64Url = (bytes: Bytes) =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
export const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export async function hmac(key: string | Bytes, signed: string, hash = 'SHA-256'): Promise<Bytes> {
  const bytes = typeof key === 'string' ? utf8(key) : key;
  const imported = await subtle.importKey('raw', bytes, { name: 'HMAC', hash }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, utf8(signed)));
}

const pairs = await Promise.all(
  [1, 2].map(
    async () => (await subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair,
  ),
);
const publicKeys = await Promise.all(
  pairs.map(async ({ publicKey }) => new Uint8Array(await subtle.exportKey('raw', publicKey))),
);
export const [first = expectKey(), second = expectKey()] = publicKeys;
function expectKey(): never {
  throw new Error('no key');
}
/** Signs with the private key of a public key in hex or base64. */
export async function ed25519(publicKey: string, signed: string): Promise<Bytes> {
  const i = publicKeys.findIndex((key) => [hex(key), base64(key)].includes(publicKey));
  const { privateKey } = pairs[i] ?? expectKey();
  return new Uint8Array(await subtle.sign('Ed25519', privateKey, utf8(signed)));
}

export const seconds = (atMs: number) => String(Math.floor(atMs / 1_000));
export const keys = ['the key of the sender', 'another key'] as const;
export const secrets = [
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
] as const;
export const event = JSON.stringify({
  id: 'evt_1',
  event_id: 'event 1',
  type: 'created',
  text: 'Grüße, 世界',
});

async function messageHeaders(family: string, key: string, atMs: number, body: string) {
  const signed = `msg_1.${seconds(atMs)}.${body}`;
  const signature = key.startsWith('whpk_')
    ? `v1a,${base64(await ed25519(key.slice(5), signed))}`
    : `v1,${base64(await hmac(fromBase64(key.replace('whsec_', '')), signed))}`;
  return {
    headers: {
      [`${family}-id`]: 'msg_1',
      [`${family}-timestamp`]: seconds(atMs),
      [`${family}-signature`]: signature,
    },
  };
}
export const message = (scheme: string, family: string, keyPair: readonly [string, string]): Sample => ({
  scheme,
  keys: keyPair,
  signature: `${family}-signature`,
  timestamp: `${family}-timestamp`,
  repeats: 'resigned',
  body: event,
  sign: ({ key, atMs, body }) => messageHeaders(family, key, atMs, body),
});

export const ofBody = (
  scheme: string,
  signature: string,
  encode: (digest: Bytes) => string,
  more: Partial<Sample> & { id?: Record<string, string> } = {},
): Sample => {
  const { id = {}, ...rest } = more;
  return {
    scheme,
    keys,
    signature,
    repeats: 'resigned',
    body: event,
    sign: async ({ key, body }) => ({ headers: { ...id, [signature]: encode(await hmac(key, body)) } }),
    ...rest,
  };
};

export const slack = (body: string, contentType: string, repeats: Sample['repeats']): Sample => ({
  scheme: 'slack',
  keys,
  signature: 'x-slack-signature',
  timestamp: 'x-slack-request-timestamp',
  repeats,
  body,
  contentType,
  sign: async ({ key, atMs, body }) => ({
    headers: {
      'x-slack-request-timestamp': seconds(atMs),
      'x-slack-signature': `v0=${hex(await hmac(key, `v0:${seconds(atMs)}:${body}`))}`,
    },
  }),
});
export const FORM = 'application/x-www-form-urlencoded';

export const withTimestampIn = (
  scheme: string,
  signature: string,
  format: (sec: string, signature: string) => string,
  separator: string,
): Sample => ({
  scheme,
  keys,
  signature,
  timestamp: 'in signature',
  repeats: 'resigned',
  body: event,
  sign: async ({ key, atMs, body }) => ({
    headers: {
      [signature]: format(seconds(atMs), hex(await hmac(key, `${seconds(atMs)}${separator}${body}`))),
    },
  }),
});
