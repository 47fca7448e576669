/** Sessions of browsers: a cookie holds the secret of a session, and only pages of this service can use it. */
import type { IncomingHttpHeaders } from 'node:http';
import { forbidden } from '@latchkey/http';
import type { CookieOptions } from 'express';
import { isSecret } from './secrets.ts';
import { findSessionUser, type SessionOptions, type SessionUser } from './sessions.ts';
import type { FindToken } from './unknown-tokens.ts';

export type BrowserOptions = SessionOptions & {
  /** Public base URL of this service, without a trailing slash. */
  publicUrl: () => string;
  limits: { findToken: FindToken };
};

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** Over https the cookie has the prefix `__Host-`, so that no other host of the domain can set it. */
export const cookieName = (publicUrl: string): string => (isSecure(publicUrl) ? '__Host-session' : 'session');

/** `SameSite` is Lax, not Strict, so that browsers send the cookie when a user follows the link of an agent. */
export const cookieOptions = (publicUrl: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'lax',
  secure: isSecure(publicUrl),
  path: '/',
});

/** Returns the secret in the session cookie, or undefined when no cookie has the format of this service. */
export function readCookie(header: string | undefined, publicUrl: string): string | undefined {
  const start = `${cookieName(publicUrl)}=`;
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .find(isSecret);
}

/** Resolves to the user of a cookie, or to undefined when its session is unknown or has ended. */
export const findBrowserUser = (
  options: BrowserOptions,
  cookie: string,
  ip: string,
): Promise<SessionUser | undefined> =>
  options.limits.findToken(cookie, 'browser', ip, () => findSessionUser(options, cookie));

/**
 * Throws 403 when a page of another origin sent the request. Cookies do not tell ports and subdomains apart, but browsers name the
 * origin in every POST, PUT, PATCH and DELETE. A request without an origin comes from no page. The own origins are `publicUrl` and
 * the address of the request under the same scheme: under https, anyone in the network can put a page under http.
 */
export function refuseOtherOrigins(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  publicUrl: string,
): void {
  const { origin, host } = headers;
  if (method === 'GET' || method === 'HEAD' || origin === undefined) return;
  const own = new URL(publicUrl);
  if (origin !== own.origin && origin !== `${own.protocol}//${host}`)
    throw forbidden('A page of another origin sent this request.', {
      fix: `Open ${own.origin} and try again.`,
    });
}
