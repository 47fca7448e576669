/** Webhook triggers. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { invalidJson, isDeeperThan } from '@latchkey/http';
import type { Sealer } from '@latchkey/service/sealer';
import { z } from 'zod';
import { parseConfig } from './parse-config.ts';
import { safeHeaders } from './safe-headers.ts';
import type { Source, StoredConfig, Trigger } from './source.ts';
import {
  type Delivery,
  findChallenge,
  findDeliveryId,
  type Headers,
  headerName,
  onlyValue,
  requireUsableSecrets,
  requireValidSignature,
  type Verification,
  verification,
} from './verification.ts';

/** Two levels less than the relayer accepts, which receives the event inside `body.js_params`. */
const MAX_EVENT_DEPTH = 98;

const config = z.strictObject({
  verification: verification.optional(),
  /** Header with the delivery id, for senders without a known scheme. */
  delivery_header: headerName.optional(),
});

type WebhookConfig = {
  /** Secrets are sealed, with the trigger's id as context. */
  verification?: Verification & { secrets: string[] };
  delivery_header?: string;
};
const toWebhookConfig = (stored: StoredConfig) => stored as WebhookConfig;

export const webhook: Source = {
  async accept(wire, { id }, { sealer }) {
    const { verification, ...rest } = parseConfig(config, wire);
    if (!verification) return rest;
    const { secret, ...how } = verification;
    const secrets = [secret].flat();
    requireUsableSecrets(how.scheme, secrets);
    return { ...rest, verification: { ...how, secrets: secrets.map((text) => sealer.seal(text, id)) } };
  },
  reseal(stored, reseal) {
    const { verification, ...rest } = toWebhookConfig(stored);
    if (!verification) return rest;
    return { ...rest, verification: { ...verification, secrets: verification.secrets.map(reseal) } };
  },
  show(stored) {
    const { verification, ...rest } = toWebhookConfig(stored);
    if (!verification) return rest;
    const { secrets, ...how } = verification;
    return { ...rest, verification: { ...how, secret_count: secrets.length } };
  },
  fields: ({ id }, { publicUrl }) => ({ webhook_url: `${publicUrl()}/webhook/${id}` }),
};

/** Parsed delivery. */
export type Received = {
  /** Parameters of the run. */
  input: Record<string, unknown>;
  /** Hash of the delivery id, if there is one. */
  dedupeKey?: string;
  /** Set when the sender verifies the URL: reply with this text and fire no run. */
  challenge?: string;
};

/** Verifies and parses a delivery. Throws 400 when the signature is invalid, `invalid_json` when declared JSON does not parse. */
export function receive(
  { id, config }: Pick<Trigger, 'id' | 'config'>,
  delivery: Delivery,
  { sealer }: { sealer: Pick<Sealer, 'openText'> },
): Received {
  const { headers, body } = delivery;
  const { verification, delivery_header: deliveryHeader } = toWebhookConfig(config);
  if (verification)
    requireValidSignature(
      verification,
      delivery,
      verification.secrets.map((sealed) => sealer.openText(sealed, id)),
    );
  const event = parseEvent(delivery);
  const deliveryId = deliveryHeader
    ? onlyValue(headers, deliveryHeader)
    : findDeliveryId(verification?.scheme, headers, event);
  const challenge = verification && findChallenge(verification.scheme, event);
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
    // Hashed, because senders choose its length and characters.
    ...(deliveryId ? { dedupeKey: createHash('sha256').update(deliveryId).digest('base64url') } : {}),
  };
}

/** `application/json`, `text/json` and every `+json` type, with or without parameters. */
const JSON_TYPE = /^\s*(?:(?:application|text)\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i;

const isDeclaredJson = (headers: Headers): boolean =>
  headers['content-type']?.some((type) => JSON_TYPE.test(type)) ?? false;

/** Parses the body as JSON whatever its content type, because some senders declare JSON as text. Falls back to the text. */
function parseEvent({ headers, body }: Delivery): unknown {
  const text = body.toString('utf8');
  try {
    if (!isUtf8(body)) throw new SyntaxError('not UTF-8');
    const event: unknown = JSON.parse(text);
    if (isDeeperThan(event, MAX_EVENT_DEPTH)) throw new SyntaxError('nested too deeply');
    return event;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (isDeclaredJson(headers))
      throw invalidJson(
        `Malformed body: expected JSON in UTF-8, nested at most ${MAX_EVENT_DEPTH} levels deep.`,
      );
    return text;
  }
}
