/** Signatures and delivery ids of webhook senders. */
import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { badRequest } from '@latchkey/http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import Stripe from 'stripe';
import { z } from 'zod';

/** Maximum age of a signed timestamp, and for some schemes how far it may be in the future. */
const TOLERANCE_SEC = 300;
const MAX_SECRETS = 5;

export type Headers = NodeJS.Dict<string[]>;
/** Headers and body of a request, unparsed. */
export type Delivery = { headers: Headers; body: Buffer };

const secret = z.string().min(1).max(512);
/** One secret, or several during a rotation. A delivery signed with any of them is accepted. */
const secrets = z.union([secret, z.array(secret).min(1).max(MAX_SECRETS)]);
export const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/)
  .toLowerCase();

export const verification = z.discriminatedUnion('scheme', [
  z.strictObject({
    scheme: z.enum(['github', 'stripe', 'slack', 'standard_webhooks']),
    secret: secrets,
  }),
  z.strictObject({
    scheme: z.literal('hmac'),
    secret: secrets,
    /** Header whose value is `prefix` followed by the encoded HMAC of the body. */
    header: headerName,
    algorithm: z.enum(['sha256', 'sha512', 'sha1']).default('sha256'),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    prefix: z.string().max(64).default(''),
  }),
]);
type Wire = z.output<typeof verification>;
type WithoutSecret<W> = W extends unknown ? Omit<W, 'secret'> : never;
export type Verification = WithoutSecret<Wire>;

type Hmac = { algorithm: string; encoding: 'hex' | 'base64'; prefix: string };

/** Returns the value of a header, or undefined unless it was sent exactly once. */
export const onlyValue = (headers: Headers, name: string): string | undefined =>
  headers[name]?.length === 1 ? headers[name][0] : undefined;

/** Compares the encoded texts, because decoders ignore invalid characters and one signature must have one spelling. */
function isHmac(
  sent: string | undefined,
  signed: readonly (string | Buffer)[],
  secret: string,
  { algorithm, encoding, prefix }: Hmac,
): boolean {
  if (sent === undefined) return false;
  const hmac = createHmac(algorithm, secret);
  for (const part of signed) hmac.update(part);
  const right = Buffer.from(`${prefix}${hmac.digest(encoding)}`);
  const given = Buffer.from(sent);
  return given.length === right.length && timingSafeEqual(given, right);
}

const isFresh = (timestamp: string): boolean =>
  /^\d{1,11}$/.test(timestamp) && Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_SEC;

/**
 * Runs a library's check, which throws `refusal` for an invalid signature. Rejects bodies that are not UTF-8: as text, different
 * invalid bytes would become equal.
 */
function isAccepted(
  { body }: Delivery,
  refusal: new (...args: never[]) => Error,
  verify: (text: string) => boolean,
): boolean {
  if (!isUtf8(body)) return false;
  try {
    return verify(body.toString('utf8'));
  } catch (error) {
    if (error instanceof refusal) return false;
    throw error;
  }
}

function isSignedWith(check: Verification, delivery: Delivery, secret: string): boolean {
  const { headers, body } = delivery;
  switch (check.scheme) {
    case 'github':
      return isHmac(onlyValue(headers, 'x-hub-signature-256'), [body], secret, {
        algorithm: 'sha256',
        encoding: 'hex',
        prefix: 'sha256=',
      });
    case 'slack': {
      const timestamp = onlyValue(headers, 'x-slack-request-timestamp') ?? '';
      return (
        isFresh(timestamp) &&
        isHmac(onlyValue(headers, 'x-slack-signature'), [`v0:${timestamp}:`, body], secret, {
          algorithm: 'sha256',
          encoding: 'hex',
          prefix: 'v0=',
        })
      );
    }
    case 'stripe':
      return isAccepted(
        delivery,
        Stripe.errors.StripeSignatureVerificationError,
        (text) =>
          Stripe.webhooks.signature?.verifyHeader(
            text,
            onlyValue(headers, 'stripe-signature') ?? '',
            secret,
            TOLERANCE_SEC,
          ) === true,
      );
    case 'standard_webhooks': {
      const of = (name: string) => onlyValue(headers, name) ?? '';
      const signed = {
        'webhook-id': of('webhook-id'),
        'webhook-timestamp': of('webhook-timestamp'),
        'webhook-signature': of('webhook-signature'),
      };
      return isAccepted(delivery, WebhookVerificationError, (text) => {
        new Webhook(secret).verify(text, signed, { jsonParse: false });
        return true;
      });
    }
    case 'hmac':
      return isHmac(onlyValue(headers, check.header), [body], secret, check);
  }
}

/** Throws 400 unless the delivery is signed with one of the secrets. The error is the same for every cause. */
export function requireValidSignature(
  check: Verification,
  delivery: Delivery,
  secrets: readonly string[],
): void {
  if (!secrets.some((secret) => isSignedWith(check, delivery, secret)))
    throw badRequest('Invalid webhook signature.');
}

/** Throws 400 for a secret that the scheme cannot use. */
export function requireUsableSecrets(scheme: Wire['scheme'], secrets: readonly string[]): void {
  if (scheme !== 'standard_webhooks') return;
  const isUsable = (secret: string) => /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret);
  try {
    if (secrets.every((secret) => isUsable(secret) && new Webhook(secret))) return;
  } catch {}
  throw badRequest('body.config.verification.secret: expected base64, with or without the prefix whsec_');
}

const textAt = (event: unknown, name: string): string | undefined => {
  const value = typeof event === 'object' && event !== null ? Reflect.get(event, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** Returns the challenge of Slack's `url_verification` request. */
export const findChallenge = (scheme: Wire['scheme'], event: unknown): string | undefined =>
  scheme === 'slack' && textAt(event, 'type') === 'url_verification' ? textAt(event, 'challenge') : undefined;

type Sender = {
  /** Header that identifies the sender when nothing is verified. */
  header: string;
  findId: (headers: Headers, event: unknown) => string | undefined;
};

const senders: Partial<Record<Wire['scheme'], Sender>> = {
  github: { header: 'x-github-delivery', findId: (headers) => onlyValue(headers, 'x-github-delivery') },
  stripe: { header: 'stripe-signature', findId: (_headers, event) => textAt(event, 'id') },
  slack: {
    header: 'x-slack-signature',
    // Commands and buttons have no event id. The signature identifies the delivery.
    findId: (headers, event) => textAt(event, 'event_id') ?? onlyValue(headers, 'x-slack-signature'),
  },
  standard_webhooks: { header: 'webhook-id', findId: (headers) => onlyValue(headers, 'webhook-id') },
};

/**
 * Returns the delivery id, which is the same for every attempt of the sender. With verification, only the id of the verified
 * scheme counts: an attacker who replays a signed delivery could choose the other headers.
 */
export function findDeliveryId(
  scheme: Wire['scheme'] | undefined,
  headers: Headers,
  event: unknown,
): string | undefined {
  const sender = scheme
    ? senders[scheme]
    : Object.values(senders).find(({ header }) => headers[header] !== undefined);
  return sender?.findId(headers, event);
}
