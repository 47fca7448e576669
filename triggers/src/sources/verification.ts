/** Who sent a webhook: signatures of known senders, and the ids under which they deliver. */
import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { badRequest } from '@latchkey/http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import Stripe from 'stripe';
import { z } from 'zod';

/** How old a signed timestamp may be; where its scheme says so, how far ahead too. */
const TOLERANCE_SEC = 300;
const MAX_SECRETS = 5;

export type Headers = NodeJS.Dict<string[]>;
/** A request as it came. */
export type Delivery = { headers: Headers; body: Buffer };

const secret = z.string().min(1).max(512);
/** One secret, or several of which each is good, while a sender's is replaced. */
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
    /** Carries `prefix` and the HMAC of the body in `encoding`. */
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

/** The value of a header that was sent once. */
export const onlyValue = (headers: Headers, name: string): string | undefined =>
  headers[name]?.length === 1 ? headers[name][0] : undefined;

/** Compares the texts: decoders skip what is no digit, and a signature in several spellings would be several deliveries. */
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

/** What a library that throws `refusal` says. They read text, in which different bytes that are no UTF-8 would be the same. */
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

function isGenuine(check: Verification, delivery: Delivery, secret: string): boolean {
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

/** Throws 400, the same for every way to be wrong, unless one of the secrets has signed this delivery. */
export function requireGenuine(check: Verification, delivery: Delivery, secrets: readonly string[]): void {
  if (!secrets.some((secret) => isGenuine(check, delivery, secret)))
    throw badRequest('This delivery is not signed as this trigger asks for.');
}

/** 400 for a secret that its scheme cannot use. */
export function requireUsable(scheme: Wire['scheme'], secrets: readonly string[]): void {
  if (scheme !== 'standard_webhooks') return;
  const isUsable = (secret: string) => /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret);
  try {
    if (secrets.every((secret) => isUsable(secret) && new Webhook(secret))) return;
  } catch {}
  throw badRequest('body.config.verification.secret: expected base64, with whsec_ before it or not');
}

const textAt = (event: unknown, name: string): string | undefined => {
  const value = typeof event === 'object' && event !== null ? Reflect.get(event, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** What Slack wants to hear from a new address. */
export const challengeOf = (scheme: Wire['scheme'], event: unknown): string | undefined =>
  scheme === 'slack' && textAt(event, 'type') === 'url_verification' ? textAt(event, 'challenge') : undefined;

type Sender = {
  /** A header by which the sender is known where nothing is verified. */
  mark: string;
  idOf: (headers: Headers, event: unknown) => string | undefined;
};

const senders: Partial<Record<Wire['scheme'], Sender>> = {
  github: { mark: 'x-github-delivery', idOf: (headers) => onlyValue(headers, 'x-github-delivery') },
  stripe: { mark: 'stripe-signature', idOf: (_headers, event) => textAt(event, 'id') },
  slack: {
    mark: 'x-slack-signature',
    // Commands and buttons have no id; the same signature is the same delivery.
    idOf: (headers, event) => textAt(event, 'event_id') ?? onlyValue(headers, 'x-slack-signature'),
  },
  standard_webhooks: { mark: 'webhook-id', idOf: (headers) => onlyValue(headers, 'webhook-id') },
};

/**
 * The id under which its sender delivers, the same for every attempt. With a verified sender only its own counts: a stranger who
 * sends a signed delivery again could make up the others.
 */
export function deliveryIdOf(
  scheme: Wire['scheme'] | undefined,
  headers: Headers,
  event: unknown,
): string | undefined {
  const sender = scheme
    ? senders[scheme]
    : Object.values(senders).find(({ mark }) => headers[mark] !== undefined);
  return sender?.idOf(headers, event);
}
