import type { IncomingHttpHeaders } from 'node:http';
import { unauthorized } from './errors.ts';

/**
 * The key that a request carries: `Authorization: Bearer K` first (scheme in any case), then `X-Api-Key: K`, trimmed.
 * Another scheme or an empty value is no key.
 */
export function apiKeyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^bearer\s+(.+)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const header = headers['x-api-key'];
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  return key === '' ? undefined : key;
}

/** The key of a request; 401 when there is none or when a key's public hash stands in its place. */
export function requireApiKey(headers: IncomingHttpHeaders): string {
  const key = apiKeyFromHeaders(headers);
  if (key === undefined)
    throw unauthorized('No API key.', { fix: 'Send Authorization: Bearer <key> or X-Api-Key: <key>.' });
  if (/^0x[0-9a-f]{64}$/i.test(key))
    throw unauthorized('This is the hash of a key.', { fix: 'Send the key itself.' });
  return key;
}
