import type { IncomingHttpHeaders } from 'node:http';
import { apiKeyHash } from '@latchkey/protocol';
import { unauthorized } from './errors.ts';

/**
 * Returns the key of a request: `Authorization: Bearer K` first (scheme in any case), then `X-Api-Key: K`, trimmed.
 * Returns undefined for another scheme and for an empty value.
 */
export function apiKeyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^bearer\s+(.+)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const header = headers['x-api-key'];
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  return key === '' ? undefined : key;
}

const hashes = new WeakMap<IncomingHttpHeaders, { key: string; hash: bigint }>();

/** Returns the hash of a key from these headers. Computes it once per request: authentication and the log need it. */
export function requestKeyHash(headers: IncomingHttpHeaders, key: string): bigint {
  const known = hashes.get(headers);
  if (known?.key === key) return known.hash;
  const hash = apiKeyHash(key);
  hashes.set(headers, { key, hash });
  return hash;
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
