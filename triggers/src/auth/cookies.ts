import type { CookieOptions } from 'express';
import { isSecret } from './secrets.ts';

/** `session` is who is logged in; `browser` binds what is asked before that to one browser. */
export type CookieName = 'session' | 'browser';

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** With the prefix `__Host-` no other host of the domain can set it; browsers take that over https only. */
export const cookieNameOf = (name: CookieName, publicUrl: string): string =>
  isSecure(publicUrl) ? `__Host-${name}` : name;

/** Lax, not Strict: an agent's link to the approval page has to find the session. */
export const cookieOptions = (publicUrl: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'lax',
  secure: isSecure(publicUrl),
  path: '/',
});

/** The cookie's value; undefined when there is none that this service could have set. */
export function readCookie(
  header: string | undefined,
  name: CookieName,
  publicUrl: string,
): string | undefined {
  const start = `${cookieNameOf(name, publicUrl)}=`;
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .find(isSecret);
}
