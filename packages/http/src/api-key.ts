import type { IncomingHttpHeaders } from 'node:http';

/**
 * The key that a request carries: `Authorization: Bearer K` first (scheme in any case), then `X-Api-Key: K`, trimmed.
 * Another scheme or an empty value is no key.
 */
export function apiKeyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^\s*bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const header = headers['x-api-key'];
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  return key === '' ? undefined : key;
}
