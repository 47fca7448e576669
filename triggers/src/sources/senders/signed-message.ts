/** Signatures of Standard Webhooks, which several senders use: https://www.standardwebhooks.com */
import { ed25519Key, isFresh, isHmac, isPublicKeySigned, onlyValue } from './checks.ts';
import type { Delivery } from './sender.ts';

const PUBLIC_PREFIX = 'whpk_';

/** Returns whether the key is base64, with or without the prefix `whsec_`. */
export const isSecretKey = (key: string): boolean =>
  /^(whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3})?={0,2}$/.test(key) && secretBytes(key).length > 0;

const secretBytes = (key: string): Buffer => Buffer.from(key.replace(/^whsec_/, ''), 'base64');

const publicKey = (key: string) => ed25519Key(key.slice(PUBLIC_PREFIX.length));

export const isMessageKey = (key: string): boolean =>
  key.startsWith(PUBLIC_PREFIX) ? publicKey(key) !== undefined : isSecretKey(key);

/** Verifies `v1` (HMAC) or, with a key that begins with `whpk_`, `v1a` (Ed25519) over id, timestamp and body. */
export function isSignedMessage(
  { headers, body }: Delivery,
  family: 'webhook' | 'svix',
  key: string,
): boolean {
  const of = (name: string) => onlyValue(headers, `${family}-${name}`) ?? '';
  const [id, timestamp, signatures] = [of('id'), of('timestamp'), of('signature').split(' ')];
  // A full stop in the id would allow another split of the signed text.
  if (!/^[^.]+$/.test(id) || !isFresh(timestamp)) return false;
  const signed = [`${id}.${timestamp}.`, body];
  return key.startsWith(PUBLIC_PREFIX)
    ? isPublicKeySigned(signatures, signed, publicKey(key), { encoding: 'base64', prefix: 'v1a,' })
    : isHmac(signatures, signed, secretBytes(key), { encoding: 'base64', prefix: 'v1,' });
}
