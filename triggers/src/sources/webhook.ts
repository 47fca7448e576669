/** Triggers that a POST fires. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { invalidJson, isDeeperThan } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { parseConfig } from './parse-config.ts';
import { safeHeaders } from './safe-headers.ts';
import type { Source, StoredConfig, Trigger } from './source.ts';
import {
  challengeOf,
  type Delivery,
  deliveryIdOf,
  type Headers,
  headerName,
  onlyValue,
  requireGenuine,
  requireUsable,
  type Verification,
  verification,
} from './verification.ts';

/** Two less than the core service reads: it gets the event inside of its body and `js_params`. */
const MAX_EVENT_DEPTH = 98;

const config = z.strictObject({
  verification: verification.optional(),
  /** Carries the id under which the sender delivers; for senders that are not known by their scheme. */
  delivery_header: headerName.optional(),
});

type WebhookConfig = {
  /** Secrets are sealed for the trigger's id. */
  verification?: Verification & { secrets: string[] };
  delivery_header?: string;
};
const configOf = (stored: StoredConfig) => stored as WebhookConfig;

export const webhook: Source = {
  async accept(wire, { id }, { sealer }) {
    const { verification, ...rest } = parseConfig(config, wire);
    if (!verification) return rest;
    const { secret, ...how } = verification;
    const secrets = [secret].flat();
    requireUsable(how.scheme, secrets);
    return { ...rest, verification: { ...how, secrets: secrets.map((text) => sealer.seal(text, id)) } };
  },
  reseal(stored, anew) {
    const { verification, ...rest } = configOf(stored);
    if (!verification) return rest;
    return { ...rest, verification: { ...verification, secrets: verification.secrets.map(anew) } };
  },
  show(stored) {
    const { verification, ...rest } = configOf(stored);
    if (!verification) return rest;
    const { secrets, ...how } = verification;
    return { ...rest, verification: { ...how, secret_count: secrets.length } };
  },
  fields: ({ id }, { publicUrl }) => ({ webhook_url: `${publicUrl()}/webhook/${id}` }),
};

/** What a delivery fires: the input of its run, and the key under which it fires once. */
export type Fired = {
  input: Record<string, unknown>;
  dedupeKey?: string;
  /** The sender asks for this text, to know that the address is this one; nothing fires. */
  challenge?: string;
};

/** 400 when the delivery is not signed as the trigger asks for, `invalid_json` when it is declared as JSON and is not. */
export function receive(
  { id, config }: Pick<Trigger, 'id' | 'config'>,
  delivery: Delivery,
  { sealer }: Pick<Context, 'sealer'>,
): Fired {
  const { headers, body } = delivery;
  const { verification, delivery_header: deliveryHeader } = configOf(config);
  if (verification)
    requireGenuine(
      verification,
      delivery,
      verification.secrets.map((sealed) => sealer.openText(sealed, id)),
    );
  const event = eventOf(delivery);
  const deliveryId = deliveryHeader
    ? onlyValue(headers, deliveryHeader)
    : deliveryIdOf(verification?.scheme, headers, event);
  const challenge = verification && challengeOf(verification.scheme, event);
  const own = verification?.scheme === 'hmac' ? [verification.header] : [];
  return {
    input: {
      source: 'webhook',
      event,
      ...(isUtf8(body)
        ? { event_raw: body.toString('utf8') }
        : { event_raw: body.toString('base64'), event_raw_encoding: 'base64' }),
      headers: safeHeaders(headers, deliveryHeader ? [...own, deliveryHeader] : own),
    },
    ...(challenge !== undefined && { challenge }),
    // A stranger chose it: of any length, with any characters.
    ...(deliveryId ? { dedupeKey: createHash('sha256').update(deliveryId).digest('base64url') } : {}),
  };
}

/** `application/json`, `text/json` and every `+json`, with parameters or without. */
const JSON_TYPE = /^\s*(?:(?:application|text)\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i;

const isDeclaredJson = (headers: Headers): boolean =>
  headers['content-type']?.some((type) => JSON_TYPE.test(type)) ?? false;

/** The body as JSON, whatever it is declared as: some senders declare JSON as text. Otherwise its text. */
function eventOf({ headers, body }: Delivery): unknown {
  const text = body.toString('utf8');
  try {
    if (!isUtf8(body)) throw new SyntaxError('not in UTF-8');
    const event: unknown = JSON.parse(text);
    if (isDeeperThan(event, MAX_EVENT_DEPTH)) throw new SyntaxError('nested too deep');
    return event;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (isDeclaredJson(headers))
      throw invalidJson(`The body is not JSON in UTF-8 of at most ${MAX_EVENT_DEPTH} levels.`);
    return text;
  }
}
