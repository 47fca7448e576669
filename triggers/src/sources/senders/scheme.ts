/** A sender as data: where its signature is, and how it is made. */
import { createHash } from 'node:crypto';
import { keccak256 } from 'viem';
import { MASKED } from '../safe-headers.ts';
import {
  contentId,
  type Encoding,
  isDigest,
  isFresh,
  isHmac,
  isPublicKeySigned,
  isSame,
  publicKey,
  type TimeUnit,
  toBytes,
} from './checks.ts';
import { type TokenRules, verifyToken } from './jwt.ts';
import { eventOf, findText, isAbsent, namesOf, replaceAt } from './places.ts';
import type { Delivery, Place, Received, Sender } from './sender.ts';

export type Scheme = {
  /** Where the signature is. The values of several places are tried. */
  signature: Place | readonly Place[];
  /** The value is a list. Items that begin with `prefix` are signatures. */
  separator?: string;
  prefix?: string;
  /** `hash` is not keyed: the content has `{key}`. `secret` is the key itself, and signs nothing. Default: hmac. */
  kind?: 'hmac' | 'hash' | 'public_key' | 'secret' | 'token';
  /** `keccak256` only with `hash`. Default: sha256. */
  algorithm?: 'md5' | 'sha1' | 'sha256' | 'sha512' | 'keccak256';
  /** Default: hex. */
  encoding?: Encoding;
  /** ECDSA signatures are two numbers of 32 bytes. Default: DER. */
  isRaw?: boolean;
  /** How the text of the key is made into bytes. Default: UTF-8. */
  keyEncoding?: 'hex' | 'base64';
  /**
   * Signed content: text with `{body}`, `{time}`, `{url}` with the query, `{method}`, `{key}`, and places. A place that ends in `?` can be absent.
   * Default: `{body}`.
   */
  content?: string;
  /** Where the signed time is. `item:t=` is the item of the list that begins with `t=`. */
  time?: Place | `item:${string}`;
  /** Default: seconds. */
  unit?: TimeUnit | readonly TimeUnit[];
  /** Values of places in the content. Default: letters, digits, `-` and `_`. */
  values?: RegExp;
  /** Only JSON: with another split between the body and the text next to it, the rest would not be JSON. */
  isJson?: true;
  /** First place that has the delivery id, `signature`, or `content` for a hash of the event without the names in `differing`. */
  id?: Place | 'signature' | 'content' | readonly (Place | 'signature' | 'content')[];
  differing?: readonly string[];
  token?: TokenRules;
} & Pick<Sender, 'fields' | 'secretFields' | 'isKeyOptional' | 'okStatus' | 'keyField' | 'handshakes'>;

const PLACEHOLDER = /\{(body|time|url|method|key|(?:header|query|form|body):[^{}]+)\}/;
const VALUES = /^[\w-]{1,255}$/;

const list = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : ([value].flat() as T[]);

/** Returns the items of each value that a signature can be. */
const itemsOf = ({ signature, separator }: Scheme, delivery: Delivery): string[] =>
  list(signature)
    .flatMap((place) => findText(place, delivery) ?? [])
    .flatMap((text) => (separator === undefined ? [text] : text.split(separator).map((item) => item.trim())));

/** Returns the signed time: '' without one, undefined when it is absent, repeated, malformed or old. */
function findTime({ time: place, unit = 'seconds' }: Scheme, items: readonly string[], delivery: Delivery) {
  if (place === undefined) return '';
  const name = place.startsWith('item:') ? place.slice('item:'.length) : undefined;
  const [first, ...others] =
    name === undefined
      ? [findText(place as Place, delivery)]
      : items.filter((item) => item.startsWith(name)).map((item) => item.slice(name.length));
  if (first === undefined || others.length > 0) return undefined;
  return list(unit).some((each) => isFresh(first, each)) ? first : undefined;
}

/** Returns the signed parts, undefined when one is missing or malformed. */
function findParts(
  scheme: Scheme,
  time: string,
  delivery: Delivery,
  key: string,
): (string | Buffer)[] | undefined {
  const { content = '{body}', values = VALUES } = scheme;
  const { body, url, search, method } = delivery;
  const known: Record<string, string | Buffer> = { body, time, url: url + search, method, key };
  const parts = content.split(PLACEHOLDER).map((part, i) => {
    if (i % 2 === 0) return part;
    if (part in known) return known[part];
    const place = part.replace(/\?$/, '') as Place;
    if (place !== part && isAbsent(place, delivery)) return '';
    const value = findText(place, delivery);
    return value !== undefined && values.test(value) ? value : undefined;
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function digestOf(parts: readonly (string | Buffer)[], algorithm: string): Buffer {
  const bytes = toBytes(parts);
  if (algorithm === 'keccak256') return Buffer.from(keccak256(bytes, 'bytes'));
  return createHash(algorithm).update(bytes).digest();
}

/** Resolves to whether the delivery has a signature by the key. */
export function isSigned(scheme: Scheme, delivery: Delivery, key: string): boolean | Promise<boolean> {
  const { kind = 'hmac', prefix = '', algorithm = 'sha256', keyEncoding, token = {} } = scheme;
  const items = itemsOf(scheme, delivery);
  if (kind === 'token') return verifyToken(items[0], delivery, key, token);
  if (kind === 'secret') return items.some((item) => isSame(item, prefix + key));
  const time = findTime(scheme, items, delivery);
  if (time === undefined || items.length === 0) return false;
  if (scheme.isJson && eventOf(delivery.body) === undefined) return false;
  const parts = findParts(scheme, time, delivery, key);
  if (!parts) return false;
  // Items such as the time do not count among the first ten.
  const sent = items.filter((item) => item.startsWith(prefix));
  if (kind === 'hash') return isDigest(sent, digestOf(parts, algorithm), scheme);
  if (kind === 'public_key') return isPublicKeySigned(sent, parts, publicKey(key), scheme);
  return isHmac(sent, parts, keyEncoding ? Buffer.from(key, keyEncoding) : key, { ...scheme, algorithm });
}

function findSchemeId(scheme: Scheme, received: Received): string | undefined {
  const { id, differing = [], encoding = 'hex' } = scheme;
  for (const each of list(id)) {
    const [signature = ''] = itemsOf(scheme, received);
    const isSignature = each === 'signature';
    const text = isSignature
      ? encoding === 'hex'
        ? signature.toLowerCase()
        : signature.replace(/={1,2}$/, '')
      : each === 'content'
        ? contentId(received.event, ...differing)
        : findText(each, received);
    if (text !== undefined) return text;
  }
  return undefined;
}

const KEYS: Record<string, RegExp> = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3})?={0,2}$/,
};

/** Returns the rule that a key breaks. */
function findKeyFault({ kind, keyEncoding, keyField = 'secret' }: Scheme, keys: readonly string[]) {
  if (kind === 'public_key' && !keys.every(publicKey))
    return `${keyField}: expected 32 bytes in hex or base64, or a public key of P-256 or RSA (2,048 to 4,096 bits) as PEM or DER in base64`;
  if (keyEncoding && !keys.every((key) => KEYS[keyEncoding]?.test(key)))
    return `${keyField}: expected ${keyEncoding}`;
  return undefined;
}

/** Returns the sender of a row of the table. */
export function toSender(scheme: Scheme): Sender {
  const { kind, signature, id, fields, secretFields, isKeyOptional, okStatus, handshakes } = scheme;
  const keyField = scheme.keyField ?? (kind === 'public_key' ? 'public_key' : 'secret');
  const places = list(signature);
  const paths = kind === 'secret' ? namesOf(places, 'body') : [];
  return {
    keyField,
    ...(fields && { fields }),
    ...(secretFields && { secretFields }),
    ...(isKeyOptional && { isKeyOptional }),
    ...(okStatus && { okStatus }),
    ...(handshakes && { handshakes }),
    findFault: (_config, keys) => findKeyFault({ ...scheme, keyField }, keys),
    isSigned: (delivery, key) => isSigned(scheme, delivery, key),
    ...(id !== undefined && { findId: (received: Received) => findSchemeId(scheme, received) }),
    ...(kind === 'secret' && {
      secrets: () => ({ headers: namesOf(places, 'header'), query: namesOf(places, 'query') }),
    }),
    ...(paths.length > 0 && {
      maskEvent: (event: unknown) =>
        paths.reduce((masked, path) => replaceAt(masked, path.split('.'), MASKED), event),
    }),
  };
}
