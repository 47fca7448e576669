/** Webhook triggers. */
import { isUtf8 } from 'node:buffer';
import { badRequest, TextReply, unauthorized } from '@latchkey/http';
import type { Sealer } from '@latchkey/service/sealer';
import { z } from 'zod';
import { parseContent, toLists } from './content.ts';
import { parseConfig } from './parse-config.ts';
import { safeHeaders, safeQuery } from './safe-headers.ts';
import { onlyValue, sha256 } from './senders/checks.ts';
import { senders as allSenders, keyFieldOf, type Senders, verification } from './senders/index.ts';
import { type Delivery, headerName, type Received, type Sender } from './senders/sender.ts';
import type { Source, StoredConfig, Trigger } from './source.ts';

const MAX_REPLY_CHARACTERS = 16_384;
/** Limit of `event_raw` in JSON, where a control character takes six bytes. The largest body without any fits. */
const MAX_RAW_TEXT_BYTES = 512 * 1024 + 2;

/** No HTML: the reply has the origin of this service. */
const REPLY_TYPE = /^(?:application\/json|text\/plain|(?:text|application)\/xml)(?:; ?charset=utf-8)?$/i;

const reply = z.strictObject({
  status: z.int().min(200).max(299).default(200),
  content_type: z.string().max(100).regex(REPLY_TYPE).default('text/plain'),
  body: z.string().max(MAX_REPLY_CHARACTERS).default(''),
});

const config = z.strictObject({
  verification: verification.optional(),
  /** Header with the delivery id, for deliveries in which the scheme finds none. */
  delivery_header: headerName.optional(),
  /** `body` identifies a delivery by its body, whatever its id is. */
  dedupe_by: z.enum(['id', 'body']).optional(),
  /** Replaces the reply to an accepted delivery. */
  reply: reply.optional(),
});

/** A verification whose keys and secret fields are sealed, with the trigger's id as context. */
type StoredVerification = {
  scheme: string;
  secrets: string[];
  sealed?: Record<string, string>;
  [field: string]: unknown;
};
type WebhookConfig = Omit<z.output<typeof config>, 'verification'> & { verification?: StoredVerification };
const toWebhookConfig = (stored: StoredConfig) => stored as WebhookConfig;

/** Returns a copy with the values that `change` returns. */
const mapValues = (texts: Readonly<Record<string, string>>, change: (text: string) => string) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));

/** Separates the keys and the secret fields from the other fields. Throws 400 for values that the scheme cannot use. */
function acceptVerification(
  { scheme, ...fields }: { scheme?: unknown },
  seal: (text: string) => string,
): StoredVerification {
  const name = String(scheme);
  const sender = allSenders[name];
  if (!sender) throw new Error(`no sender ${name}`);
  const { [keyFieldOf(sender)]: wireKeys, ...how }: Record<string, unknown> = fields;
  const keys = [wireKeys as string | string[]].flat();
  const fault = sender.findFault?.(how, keys);
  if (fault !== undefined) throw badRequest(`body.config.verification.${fault}`);
  const isSecret = (field: string) => sender.secretFields?.includes(field) ?? false;
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(how).filter(([field]) => isSecret(field) === wanted));
  return {
    scheme: name,
    ...pick(false),
    secrets: keys.map(seal),
    ...(sender.secretFields && { sealed: mapValues(pick(true) as Record<string, string>, seal) }),
  };
}

export const webhook: Source = {
  config,
  async accept(wire, { id }, { sealer }) {
    const { verification, ...rest } = parseConfig(config, wire);
    if (rest.reply && rest.reply.body !== '' && [204, 205].includes(rest.reply.status))
      throw badRequest('body.config.reply.body: expected no body with the status 204 or 205');
    if (!verification) return rest;
    return { ...rest, verification: acceptVerification(verification, (text) => sealer.seal(text, id)) };
  },
  reseal(stored, reseal) {
    const { verification, ...rest } = toWebhookConfig(stored);
    if (!verification) return rest;
    const { secrets, sealed, ...how } = verification;
    return {
      ...rest,
      verification: {
        ...how,
        secrets: secrets.map(reseal),
        ...(sealed && { sealed: mapValues(sealed, reseal) }),
      },
    };
  },
  show(stored) {
    const { verification, ...rest } = toWebhookConfig(stored);
    if (!verification) return rest;
    const { secrets, sealed: _sealed, ...how } = verification;
    return { ...rest, verification: { ...how, secret_count: secrets.length } };
  },
  fields: ({ id }, { publicUrl }) => ({ webhook_url: webhookUrl(id, publicUrl) }),
};

export const webhookUrl = (id: string, publicUrl: () => string): string => `${publicUrl()}/webhook/${id}`;

type Stored = Pick<Trigger, 'id' | 'config'>;
type Options = { sealer: Pick<Sealer, 'openText'>; senders?: Senders };
/** The sender of a trigger with its opened secrets. */
type Verifier = { sender: Sender; keys: string[]; config: Record<string, unknown> };

function openVerifier(
  { id, config }: Stored,
  { sealer, senders = allSenders }: Options,
): Verifier | undefined {
  const { verification } = toWebhookConfig(config);
  const sender = verification && senders[verification.scheme];
  if (!sender) return undefined;
  const { scheme: _scheme, secrets, sealed = {}, ...how } = verification;
  const open = (text: string) => sealer.openText(text, id);
  return { sender, keys: secrets.map(open), config: { ...how, ...mapValues(sealed, open) } };
}

/** Returns the dedupe key of a delivery. Hashed, because senders choose the length and characters of its id. */
export const hashDeliveryId = (id: string): string => sha256(id);

/** Parsed delivery. */
export type Accepted = {
  /** Parameters of the run. */
  input: Record<string, unknown>;
  /** Hash of the delivery id, if there is one. */
  dedupeKey?: string;
};

/**
 * Verifies and parses a delivery. Resolves to the reply for a request that only verifies the URL: it must fire no run. Rejects with
 * 401 when the signature is invalid, `invalid_json` when declared JSON does not parse.
 */
export async function receive(
  trigger: Stored,
  delivery: Delivery,
  options: Options,
): Promise<Accepted | TextReply> {
  const verifier = openVerifier(trigger, options);
  const handshake = verifier?.sender.answerHandshake?.(
    'POST',
    new URLSearchParams(delivery.search),
    verifier.config,
  );
  if (handshake) return handshake;
  const key = verifier && (await requireSigned(verifier, delivery));
  const received = { ...delivery, ...parseContent(delivery) };
  const challenge = key === undefined ? undefined : verifier?.sender.answerChallenge?.(received, key);
  if (challenge) return challenge;
  const id = findId(toWebhookConfig(trigger.config), received, verifier);
  return { input: toInput(received, verifier), ...(id && { dedupeKey: hashDeliveryId(id) }) };
}

/** Returns the reply to a GET request that verifies the URL. Throws 400 for another request. */
export function greet(trigger: Stored, search: string, options: Options): TextReply {
  const verifier = openVerifier(trigger, options);
  const reply = verifier?.sender.answerHandshake?.('GET', new URLSearchParams(search), verifier.config);
  if (!reply)
    throw badRequest('This is not a request that verifies the URL of a webhook.', {
      fix: 'Send deliveries with POST.',
    });
  return reply;
}

/** Resolves to the key that verifies the delivery. Rejects with 401; the error is the same for every cause. */
async function requireSigned({ sender, keys, config }: Verifier, delivery: Delivery): Promise<string> {
  for (const key of keys) if (await sender.isSigned(delivery, key, config)) return key;
  throw unauthorized('Invalid webhook signature.');
}

/**
 * Returns the delivery id. Reads it from where the scheme of a verified sender puts it: otherwise a stranger could use an id first, and
 * the sender's delivery with this id would be taken for a repetition.
 */
function findId(
  { delivery_header: header, dedupe_by: dedupeBy }: WebhookConfig,
  received: Received,
  verifier: Verifier | undefined,
): string | undefined {
  if (dedupeBy === 'body') return sha256(received.body);
  return (
    verifier?.sender.findId?.(received, verifier.config) ??
    (header === undefined ? undefined : onlyValue(received.headers, header))
  );
}

function toInput({ headers, body, search, ...content }: Received, verifier: Verifier | undefined) {
  const { form } = content;
  const mask = verifier?.sender.maskEvent;
  const event = mask ? mask(content.event) : content.event;
  const secrets = verifier?.sender.secrets?.(verifier.config);
  const raw = mask ? Buffer.from(JSON.stringify(event)) : body;
  return {
    source: 'webhook',
    event,
    ...toRawText(raw),
    ...(form && { form: toLists(form) }),
    query: safeQuery(toLists(new URLSearchParams(search)), secrets?.query),
    headers: safeHeaders(headers, secrets?.headers),
  };
}

/** Returns a body as text when it is UTF-8, else as base64, which is also shorter than many control characters in JSON. */
function toRawText(raw: Buffer) {
  const text = isUtf8(raw) ? raw.toString('utf8') : undefined;
  return text === undefined || Buffer.byteLength(JSON.stringify(text)) > MAX_RAW_TEXT_BYTES
    ? { event_raw: raw.toString('base64'), event_raw_encoding: 'base64' }
    : { event_raw: text };
}

/** Returns the reply that replaces the run's id, if the trigger has one. */
export function customReply({ config }: Stored): TextReply | undefined {
  const { reply } = toWebhookConfig(config);
  return reply && new TextReply(reply.status, reply.content_type, reply.body);
}
