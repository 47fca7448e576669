import type { CookieOptions } from 'express';
import { isSecret } from './secrets.ts';

/** `session` identifies a login; `browser` binds login forms and messages to one browser before the login. */
export type CookieName = 'session' | 'browser';

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** Adds the prefix `__Host-` over https, so that no other host of the domain can set the cookie. */
export const cookieName = (name: CookieName, publicUrl: string): string =>
  isSecure(publicUrl) ? `__Host-${name}` : name;

/** `SameSite` is Lax, not Strict, so that the session is sent when a user follows the link of an agent. */
export const cookieOptions = (publicUrl: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'lax',
  secure: isSecure(publicUrl),
  path: '/',
});

/** Returns the value of a cookie, or undefined when no cookie has the format of this service. */
export function readCookie(
  header: string | undefined,
  name: CookieName,
  publicUrl: string,
): string | undefined {
  const start = `${cookieName(name, publicUrl)}=`;
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .find(isSecret);
}
