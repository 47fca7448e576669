/** Checks that senders share. They return false for malformed input. */
import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { Headers } from './sender.ts';

/** Age of a signed timestamp, and how far it can be in the future. */
export const TOLERANCE_SEC = 300;
/** Signatures per delivery that are compared. */
const MAX_SIGNATURES = 10;

export type Encoding = 'hex' | 'base64' | 'base64url';
type Part = string | Buffer;

/** Returns the value of a header, or undefined unless it was sent exactly once. */
export const onlyValue = (headers: Headers, name: string): string | undefined =>
  headers[name]?.length === 1 ? headers[name][0] : undefined;

/** Compares in constant time. */
export function isSame(given: string | undefined, right: string): boolean {
  const [left, expected] = [Buffer.from(given ?? ''), Buffer.from(right)];
  return given !== undefined && left.length === expected.length && timingSafeEqual(left, expected);
}

/** Returns the one spelling of an encoded text: lower-case hex, base64 without padding. */
const canonical = (text: string, encoding: Encoding): string =>
  encoding === 'hex' ? text.toLowerCase() : text.replace(/={1,2}$/, '');

type Form = { encoding?: Encoding; prefix?: string };

/** Returns the first ten texts that begin with `prefix`, without it. */
const withoutPrefix = (sent: string | undefined | readonly string[], prefix: string): string[] =>
  [sent ?? []]
    .flat()
    .slice(0, MAX_SIGNATURES)
    .filter((text) => text.startsWith(prefix))
    .map((text) => text.slice(prefix.length));

/** Returns true when one of the sent texts is `prefix` and the encoded digest. */
export function isDigest(
  sent: string | undefined | readonly string[],
  digest: Buffer,
  { encoding = 'hex', prefix = '' }: Form = {},
): boolean {
  // Encoded texts are compared, because decoders ignore invalid characters.
  const right = canonical(digest.toString(encoding), encoding);
  return withoutPrefix(sent, prefix).some((text) => isSame(canonical(text, encoding), right));
}

/** Returns true when one of the sent texts is `prefix` and the encoded HMAC of the parts. */
export function isHmac(
  sent: string | undefined | readonly string[],
  parts: readonly Part[],
  key: Part,
  { algorithm = 'sha256', ...form }: Form & { algorithm?: string } = {},
): boolean {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return isDigest(sent, hmac.digest(), form);
}

const ENCODED: Record<Encoding, RegExp> = {
  hex: /^(?:[0-9a-f]{2}){1,1024}$/i,
  base64: /^[A-Za-z0-9+/]{1,2048}={0,2}$/,
  base64url: /^[\w-]{1,2048}={0,2}$/,
};

export const toBytes = (parts: readonly Part[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** Returns true when one of the sent texts is `prefix` and an encoded signature of the parts by the public key. */
export function isPublicKeySigned(
  sent: string | undefined | readonly string[],
  parts: readonly Part[],
  key: KeyObject | undefined,
  {
    encoding = 'hex',
    prefix = '',
    algorithm = 'sha256',
    isRaw = false,
  }: Form & { algorithm?: string; isRaw?: boolean } = {},
): boolean {
  if (!key) return false;
  const signed = toBytes(parts);
  const hash = key.asymmetricKeyType === 'ed25519' ? null : algorithm;
  const dsaEncoding = isRaw ? 'ieee-p1363' : 'der';
  return withoutPrefix(sent, prefix)
    .filter((text) => ENCODED[encoding].test(text))
    .some((text) => {
      const bytes = Buffer.from(text, encoding);
      // A decoder ignores a superfluous last character.
      const isExact = canonical(bytes.toString(encoding), encoding) === canonical(text, encoding);
      return isExact && verify(hash, signed, { key, dsaEncoding }, bytes);
    });
}

/** Returns the key of 32 bytes in hex, base64 or base64url; undefined when it is malformed. */
export function ed25519Key(text: string): KeyObject | undefined {
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? 'hex' : /^[\w+/-]{43}=?$/.test(text) ? 'base64' : undefined;
  if (!encoding) return undefined;
  const x = Buffer.from(text, encoding).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Returns a key of Ed25519, P-256 or RSA with 2,048 to 4,096 bits: 32 bytes, PEM, or DER (SPKI) in base64. */
export function publicKey(text: string): KeyObject | undefined {
  const raw = ed25519Key(text);
  if (raw) return raw;
  // Another PEM label, for example of a private key, leaves text that is not base64.
  const der = text
    .trim()
    .replace(/^-----BEGIN PUBLIC KEY-----|-----END PUBLIC KEY-----$/g, '')
    .replace(/\s/g, '');
  if (!ENCODED.base64.test(der)) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' });
    const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} } = key;
    const isKnown =
      type === 'ed25519' ||
      (type === 'ec' && namedCurve === 'prime256v1') ||
      (type === 'rsa' && modulusLength >= 2_048 && modulusLength <= 4_096);
    return isKnown ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Formats of a signed time. Each fixes its length, so that no character can move between the time and the text next to it. */
const TIMES = {
  seconds: /^\d{10}$/,
  milliseconds: /^\d{13}$/,
  iso: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/,
  http: /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
} as const;
export type TimeUnit = keyof typeof TIMES;

/** Returns true for a time of the last or next five minutes. */
export function isFresh(time: string, unit: TimeUnit = 'seconds'): boolean {
  if (!TIMES[unit].test(time)) return false;
  if (unit === 'iso' || unit === 'http') return isRecent(Date.parse(time) / 1_000);
  return isRecent(Number(time) / (unit === 'seconds' ? 1 : 1_000));
}

export const isRecent = (sec: number): boolean => Math.abs(Date.now() / 1_000 - sec) <= TOLERANCE_SEC;

const valueAt = (event: unknown, name: string): unknown =>
  typeof event === 'object' && event !== null && Object.hasOwn(event, name)
    ? Reflect.get(event, name)
    : undefined;

/** Returns a text of the event by its path, undefined for another type. */
export function textAt(event: unknown, ...path: string[]): string | undefined {
  const value = path.reduce(valueAt, event);
  return typeof value === 'string' ? value : undefined;
}

export const sha256 = (content: Part): string => createHash('sha256').update(content).digest('base64url');

/** Identifies an event by its content, without the names that differ between attempts. */
export const contentId = (event: unknown, ...differing: string[]): string =>
  sha256(JSON.stringify(event, (name, value: unknown) => (differing.includes(name) ? undefined : value)));
