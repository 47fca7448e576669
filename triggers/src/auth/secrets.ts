/** Random secrets: values of cookies, pairing codes and tokens. Only their hashes are stored. */
import { createHash, randomBytes } from 'node:crypto';

/** Returns 32 random bytes as base64url without padding: 43 characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Returns true for the canonical base64url of 32 bytes: a value of `newSecret`, or the SHA-256 of a token. */
export const isSecret = (text: string): boolean =>
  /^[A-Za-z0-9\-_]{43}$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;

/** Returns the SHA-256 as base64url without padding: the form that agents send and that is stored. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
