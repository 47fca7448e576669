/** Webhook triggers. */
import { isUtf8 } from 'node:buffer';
import { badRequest, TextReply, unauthorized } from '@latchkey/http';
import type { Sealer } from '@latchkey/service/sealer';
import { z } from 'zod';
import { parseContent, toLists } from './content.ts';
import { filterFields, requireFilter } from './filter.ts';
import { parseConfig } from './parse-config.ts';
import { MASKED, safeHeaders, safeQuery } from './safe-headers.ts';
import { onlyValue, sha256 } from './senders/checks.ts';
import { answer } from './senders/handshakes.ts';
import { senders as allSenders, keyFieldOf, type Senders, verification } from './senders/index.ts';
import { type Delivery, type Handshake, headerName, type Received, type Sender } from './senders/sender.ts';
import type { Source, StoredConfig, Trigger } from './source.ts';
import { replyFields, requireReply } from './webhook-reply.ts';

/** Limit of `event_raw` in JSON, where a control character takes six bytes. The largest body without any fits. */
const MAX_RAW_TEXT_BYTES = 512 * 1024 + 2;

const challenge = z.discriminatedUnion('reply', [
  z.strictObject({
    method: z.enum(['GET', 'POST']).default('GET'),
    in: z.enum(['query', 'header', 'body']),
    name: z.string().min(1).max(128),
    /** The value as text, or JSON with the value in the field `field`, which is `name` by default. */
    reply: z.enum(['text', 'json']),
    field: z.string().min(1).max(128).optional(),
  }),
  z.strictObject({
    method: z.enum(['GET', 'POST']).default('POST'),
    in: z.literal('header'),
    // Pages of other origins cannot send such a header, and browsers obey no such header of a reply.
    name: headerName.regex(/^x-hook-/),
    reply: z.literal('header'),
  }),
]);

function toHandshake({ method, in: kind, name, ...rest }: z.output<typeof challenge>): Handshake {
  const place = { method, challenge: `${kind}:${kind === 'header' ? name.toLowerCase() : name}` as const };
  if (rest.reply === 'header') return { ...place, header: name };
  if (rest.reply === 'text') return { ...place, reply: '{challenge}' };
  return { ...place, reply: { [rest.field ?? name]: '{challenge}' } };
}

const config = z.strictObject({
  verification: verification.optional(),
  /** Header with the delivery id, for deliveries in which the scheme finds none. */
  delivery_header: headerName.optional(),
  /** `body` identifies a delivery by its body, whatever its id is. */
  dedupe_by: z.enum(['id', 'body']).optional(),
  ...replyFields,
  ...filterFields,
  /** A request that only verifies the URL, when the scheme has none. */
  challenge: challenge.optional(),
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
  const keys = [(wireKeys ?? []) as string | string[]].flat();
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
    requireReply(rest);
    requireFilter('webhook', rest.if);
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
type Options = { sealer: Pick<Sealer, 'openText' | 'seal'>; senders?: Senders };
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

/** The reply to a request that only verifies the URL and must fire no run. `config`, sealed, has the key that the request brought. */
export type Answered = { reply: TextReply; config?: StoredConfig };

/**
 * Verifies and parses a delivery, or answers a request that verifies the URL. Rejects with 401 when the signature is invalid,
 * `invalid_json` when declared JSON does not parse. `sent` is the body as it was sent, when it was compressed.
 */
export async function receive(
  trigger: Stored,
  { sent, ...delivery }: Delivery & { sent?: Buffer | undefined },
  options: Options,
): Promise<Accepted | Answered> {
  const config = toWebhookConfig(trigger.config);
  const verifier = openVerifier(trigger, options);
  const handshakes = verifier?.sender.handshakes ?? (config.challenge ? [toHandshake(config.challenge)] : []);
  const secrets = { config: verifier?.config ?? {}, keys: verifier?.keys ?? [] };
  const greeting = answer(handshakes, delivery, secrets, false);
  if (greeting) return toAnswered(trigger, greeting, options);
  if (delivery.method === 'HEAD') return { reply: new TextReply(200, 'text/plain', '') };
  if (delivery.method === 'GET')
    throw badRequest('This is not a request that verifies the URL of a webhook.', {
      fix: 'Send deliveries with POST.',
    });
  const key = verifier && (await requireSigned(verifier, delivery, sent));
  const received = { ...delivery, ...parseContent(delivery) };
  const challenge =
    key === undefined ? undefined : answer(handshakes, delivery, { ...secrets, keys: [key] }, true);
  if (challenge) {
    await verifier?.sender.confirm?.(delivery, key ?? '');
    return { reply: challenge.reply };
  }
  const id = findId(config, received, verifier);
  return { input: toInput(received, verifier), ...(id && { dedupeKey: hashDeliveryId(id) }) };
}

function toAnswered(
  { id, config }: Stored,
  { reply, newKey }: { reply: TextReply; newKey?: string },
  { sealer }: Options,
): Answered {
  const { verification } = toWebhookConfig(config);
  if (newKey === undefined || !verification) return { reply };
  return {
    reply,
    config: { ...config, verification: { ...verification, secrets: [sealer.seal(newKey, id)] } },
  };
}

/** Resolves to the key that verifies the delivery. Rejects with 401; the error is the same for every cause. */
async function requireSigned(
  { sender, keys, config }: Verifier,
  delivery: Delivery,
  sent: Buffer | undefined,
): Promise<string> {
  // Most senders sign before they compress, some what they send.
  const forms = [delivery, ...(sent ? [{ ...delivery, body: sent }] : [])];
  for (const key of keys) for (const form of forms) if (await sender.isSigned(form, key, config)) return key;
  throw unauthorized('Invalid webhook signature.', {
    fix: 'Compare `verification` of the trigger with the sender: scheme, secret and URL. Correct the clock of the sender.',
  });
}

/**
 * Returns the delivery id, of a verified sender from where its scheme puts it: elsewhere a stranger could use an id first, and the
 * sender's delivery with this id would count as a repeated one.
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

const hasSecret = (query: Record<string, string[]>) => Object.values(query).flat().includes(MASKED);

function toInput({ headers, body, search, ...content }: Received, verifier: Verifier | undefined) {
  const { form } = content;
  const mask = verifier?.sender.maskEvent;
  const event = mask ? mask(content.event) : content.event;
  const secrets = verifier?.sender.secrets?.(verifier.config);
  const query = safeQuery(toLists(new URLSearchParams(search)), secrets?.query);
  const raw = mask ? Buffer.from(JSON.stringify(event)) : body;
  return {
    source: 'webhook',
    event,
    ...toRawText(raw),
    ...(form && { form: toLists(form) }),
    query,
    ...(search !== '' && !hasSecret(query) && { query_raw: search.slice(1) }),
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
