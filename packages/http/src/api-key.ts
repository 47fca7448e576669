import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { apiKeyHash } from '@latchkey/protocol';
import { LRUCache } from 'lru-cache';
import { unauthorized } from './errors.ts';

/**
 * Returns the key of a request: `Authorization: Bearer K` first (scheme in any case), then `X-Api-Key: K`, trimmed.
 * Returns undefined for another scheme and for an empty value.
 */
export function apiKeyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^bearer[ \t]+(.+)$/i.exec(trim(headers.authorization ?? ''))?.[1];
  if (bearer !== undefined) return bearer;
  const header = headers['x-api-key'];
  return trim((Array.isArray(header) ? header[0] : header) ?? '') || undefined;
}

/** Removes the white space of HTTP. `String.trim` also removes U+00A0, which makes a key malformed. */
const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');

/** Hashes of recent keys, by the SHA-256 of the key: no key stays in memory. */
const hashes = new LRUCache<string, bigint>({ max: 10_000 });
/** Keys of requests, which their headers have anyway, with the hashes that authentication and log need. */
const keyOfRequest = new WeakMap<IncomingHttpHeaders, { key: string; hash: bigint }>();

/** Returns `apiKeyHash` of the key of a request. */
export function requestKeyHash(headers: IncomingHttpHeaders, key: string): bigint {
  const known = keyOfRequest.get(headers);
  if (known?.key === key) return known.hash;
  const computed = recentKeyHash(key);
  keyOfRequest.set(headers, { key, hash: computed });
  return computed;
}

/** Requests repeat few keys, and Keccak-256 in JavaScript takes twenty times as long as a native SHA-256. */
function recentKeyHash(key: string): bigint {
  const digest = hash('sha256', key, 'base64');
  const known = hashes.get(digest);
  if (known !== undefined) return known;
  const computed = apiKeyHash(key);
  hashes.set(digest, computed);
  return computed;
}

/** Returns the key of a request. Throws 401 when it is missing, or when the credential is the public hash of a key. */
export function requireApiKey(headers: IncomingHttpHeaders): string {
  const key = apiKeyFromHeaders(headers);
  if (key === undefined)
    throw unauthorized('Missing API key.', { fix: 'Send Authorization: Bearer <key> or X-Api-Key: <key>.' });
  if (/^0x[0-9a-f]{64}$/i.test(key))
    throw unauthorized('The credential is the hash of a key, not the key.', { fix: 'Send the key itself.' });
  return key;
}
