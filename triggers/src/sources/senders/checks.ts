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
const TOLERANCE_SEC = 300;
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

/** Returns true when one of the sent texts is `prefix` and the encoded HMAC of the parts. */
export function isHmac(
  sent: string | undefined | readonly string[],
  parts: readonly Part[],
  key: Part,
  {
    algorithm = 'sha256',
    encoding = 'hex',
    prefix = '',
  }: { algorithm?: string; encoding?: Encoding; prefix?: string } = {},
): boolean {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  // Encoded texts are compared, because decoders ignore invalid characters.
  const right = canonical(hmac.digest(encoding), encoding);
  return [sent ?? []]
    .flat()
    .slice(0, MAX_SIGNATURES)
    .some((text) => text.startsWith(prefix) && isSame(canonical(text.slice(prefix.length), encoding), right));
}

const ENCODED_64_BYTES: Record<Encoding, RegExp> = {
  hex: /^[0-9a-f]{128}$/i,
  base64: /^[A-Za-z0-9+/]{86}(==)?$/,
  base64url: /^[\w-]{86}(==)?$/,
};

/** Returns true when one of the sent texts is `prefix` and the encoded Ed25519 signature of the parts. */
export function isEd25519(
  sent: string | undefined | readonly string[],
  parts: readonly Part[],
  key: KeyObject | undefined,
  { encoding = 'hex', prefix = '' }: { encoding?: Encoding; prefix?: string } = {},
): boolean {
  if (!key) return false;
  const signed = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return [sent ?? []]
    .flat()
    .slice(0, MAX_SIGNATURES)
    .filter((text) => text.startsWith(prefix))
    .map((text) => text.slice(prefix.length))
    .filter((text) => ENCODED_64_BYTES[encoding].test(text))
    .some((text) => verify(null, signed, key, Buffer.from(text, encoding)));
}

/** Returns the key of 32 bytes in hex, base64 or base64url; undefined when it is malformed. */
export function ed25519Key(text: string): KeyObject | undefined {
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? 'hex' : /^[\w+/-]{43}=?$/.test(text) ? 'base64' : undefined;
  if (!encoding) return undefined;
  const x = Buffer.from(text, encoding).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/**
 * Returns true for a Unix time of the last or next five minutes. The number of digits is fixed: a digit cannot move between the
 * timestamp and the text next to it.
 */
export function isFresh(timestamp: string, unit: 'seconds' | 'milliseconds' = 'seconds'): boolean {
  const digits = unit === 'seconds' ? /^\d{10}$/ : /^\d{13}$/;
  const perSec = unit === 'seconds' ? 1 : 1_000;
  return digits.test(timestamp) && isRecent(Number(timestamp) / perSec);
}

export const isRecent = (sec: number): boolean => Math.abs(Date.now() / 1_000 - sec) <= TOLERANCE_SEC;

/** Returns the values of a name in a list such as `t=1,v1=ab,v1=cd`. */
export const valuesIn = (list: string, separator: string, name: string): string[] =>
  list
    .split(separator)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));

const valueAt = (event: unknown, name: string): unknown =>
  typeof event === 'object' && event !== null && Object.hasOwn(event, name)
    ? Reflect.get(event, name)
    : undefined;

/** Returns a text of the event by its path, undefined for another type. */
export function textAt(event: unknown, ...path: string[]): string | undefined {
  const value = path.reduce(valueAt, event);
  return typeof value === 'string' ? value : undefined;
}

/** Returns an integer of the event by its path, undefined for another type. */
export function integerAt(event: unknown, ...path: string[]): number | undefined {
  const value = path.reduce(valueAt, event);
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export const sha256 = (content: Part): string => createHash('sha256').update(content).digest('base64url');

/** Identifies an event by its content, without the names that differ between attempts. */
export const contentId = (event: unknown, ...differing: string[]): string =>
  sha256(JSON.stringify(event, (name, value: unknown) => (differing.includes(name) ? undefined : value)));
