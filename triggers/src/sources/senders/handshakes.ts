/** Requests that only verify the URL of a webhook, as data. */
import { createHmac } from 'node:crypto';
import { TextReply } from '@latchkey/http';
import { isSame } from './checks.ts';
import { findText, isAbsent } from './places.ts';
import type { Delivery, Handshake, Place } from './sender.ts';

/** Without spaces, so that a challenge whose HMAC is returned cannot be a JSON object that an attacker wants to have signed. */
const HMAC_CHALLENGE = /^[\w+/=.-]{1,128}$/;
const HEADER_VALUE = /^[\x21-\x7e]{1,512}$/;
const MAX_CHALLENGE = 4_096;

type Secrets = { config: Record<string, unknown>; keys: readonly string[] };

function holds(when: NonNullable<Handshake['when']>, delivery: Delivery, config: Secrets['config']): boolean {
  return Object.entries(when).every(([place, wanted]) => {
    if (wanted === null) return isAbsent(place as Place, delivery);
    const field = /^\{(\w+)\}$/.exec(wanted ?? '')?.[1];
    const right = field === undefined ? wanted : config[field];
    return typeof right === 'string' && isSame(findText(place as Place, delivery), right);
  });
}

function replyTo(handshake: Handshake, challenge: string, key: string | undefined): TextReply | undefined {
  const { reply = '', hmacEncoding = 'hex', header, status = 200 } = handshake;
  const isHmac = JSON.stringify(reply).includes('{hmac}');
  if (isHmac && (key === undefined || !HMAC_CHALLENGE.test(challenge))) return undefined;
  if (header !== undefined && !HEADER_VALUE.test(challenge)) return undefined;
  const hmac = isHmac
    ? createHmac('sha256', key ?? '')
        .update(challenge)
        .digest(hmacEncoding)
    : '';
  const values: Record<string, string> = { challenge, hmac };
  const fill = (value: string | number) =>
    typeof value === 'string'
      ? value.replace(/\{(challenge|hmac)\}/g, (_, name: string) => values[name] ?? '')
      : value;
  const headers = header === undefined ? {} : { [header]: challenge };
  if (typeof reply === 'string')
    return new TextReply(
      status,
      status === 204 ? 'application/json' : 'text/plain',
      fill(reply) as string,
      headers,
    );
  const filled = Object.fromEntries(Object.entries(reply).map(([name, value]) => [name, fill(value)]));
  return new TextReply(status, 'application/json', JSON.stringify(filled), headers);
}

/**
 * Returns the reply to a request that only verifies the URL, and the key that it brings, if it brings one. `isSigned` tells whether the
 * request is verified: the first of `keys` verified it.
 */
export function answer(
  handshakes: readonly Handshake[],
  delivery: Delivery,
  { config, keys }: Secrets,
  isSigned: boolean,
): { reply: TextReply; newKey?: string } | undefined {
  for (const handshake of handshakes) {
    const { method = 'POST', signed = false, when = {}, challenge: place, isKey } = handshake;
    const isMethod = delivery.method === method || (method === 'POST' && delivery.method === 'PUT');
    if (!isMethod || signed !== isSigned || !holds(when, delivery, config)) continue;
    const challenge = place === undefined ? '' : findText(place, delivery);
    if (challenge === undefined || challenge.length > MAX_CHALLENGE) continue;
    // Otherwise a stranger could replace the key of the sender.
    if (isKey && keys.length > 0 && !keys.some((key) => isSame(challenge, key))) continue;
    const reply = replyTo(handshake, challenge, keys[0]);
    if (reply) return { reply, ...(isKey && keys.length === 0 && { newKey: challenge }) };
  }
  return undefined;
}
