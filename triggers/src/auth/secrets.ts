/** What is random and known to one party alone: the values of cookies, codes, tokens. Only their hashes are stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** 32 random bytes, base64url without padding: 43 characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** True for the one base64url text of 32 bytes: what `newSecret` makes, and the SHA-256 of a token. */
export const isSecret = (text: string): boolean =>
  /^[A-Za-z0-9\-_]{43}$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;

/** As an agent sends it at pairing, and as every secret is stored: base64url without padding of the SHA-256. */
export const tokenHashOf = (token: string): string => sha256(token);

/** Stands in forms and in `X-CSRF-Token`: other origins can have a cookie sent along, but not read what follows from it. */
export const csrfTokenOf = (cookie: string): string => sha256(`csrf ${cookie}`);

/** True when `sent` is the CSRF token of this cookie. */
export function isCsrfTokenOf(cookie: string, sent: string): boolean {
  const expected = Buffer.from(csrfTokenOf(cookie));
  const given = Buffer.from(sent);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
