/**
 * The card processor: Stripe through its SDK. Customers, payment intents, signed events, and the movements of a
 * payment.
 */
import Stripe from 'stripe';
import { hashText } from '../db/text.ts';
import { type Owner, type Payment, toMovements } from './payments.ts';

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const WEBHOOK_TOLERANCE_SEC = 300;
export const CURRENCY = 'usd';

/** Stripe is down, sent a malformed reply, or refused the secret key. */
export class ProcessorUnavailableError extends Error {
  override readonly name = 'ProcessorUnavailableError';
}

/** The customer of an account does not exist at Stripe any more: it was deleted there, or belongs to other keys. */
export class UnknownCustomerError extends Error {
  override readonly name = 'UnknownCustomerError';
}

/** The event is expired or its signature matches no secret. */
export class EventSignatureError extends Error {
  override readonly name = 'EventSignatureError';
}

export type CardProcessorOptions = {
  secretKey: string;
  publishableKey: string;
  /** Secrets of the webhook endpoint; several during a rotation. */
  webhookSecrets: string[];
  apiUrl: string | undefined;
  /** Chain id and contract. Distinguishes payments of this deployment from others of the same Stripe account. */
  deployment: string;
};

export type CardProcessor = {
  publishableKey: string;
  /** `replaced`: the earlier customer of the account, which does not exist any more. */
  createCustomer: (account: bigint, replaced?: string) => Promise<string>;
  /** Creates one intent per idempotency key and customer. Rejects with `UnknownCustomerError`. */
  createIntent: (
    payer: Owner,
    intent: { customer: string; amountCents: number; idempotencyKey: string },
  ) => Promise<{ id: string; clientSecret: string }>;
  /**
   * Returns the current state of a payment intent; undefined when it does not exist or belongs to another deployment.
   */
  payment: (intent: string) => Promise<Payment | undefined>;
  /**
   * Returns the payments that were created, refunded or disputed since `since`. Disputes, and refunds that failed or can
   * fail, are searched further back, by the time in which they can change.
   */
  paymentsSince: (since: Date) => AsyncGenerator<Payment>;
  /** Returns the payment intent that a signed event refers to, if any. Throws `EventSignatureError`. */
  intentOfEvent: (body: Buffer, signature: string) => string | undefined;
  /**
   * Returns the URL of Stripe's receipt of a payment that this owner has made; undefined for one of another owner, and without a charge. The
   * receipt shows the last digits of the card.
   */
  receiptUrl: (payer: Owner, intent: string) => Promise<string | undefined>;
  /** Returns the payment intent of a refund, dispute or intent, by its id. */
  findIntent: (id: string) => Promise<string | undefined>;
};

/** Longer than any card network's dispute period. */
const DISPUTE_DAYS = 180;
/** A refund can fail weeks after its creation. */
const REFUND_DAYS = 35;
/** Statuses of refunds that gave the money back to the account, or still can. */
const returningRefunds: ReadonlySet<string | null> = new Set(['failed', 'canceled', 'pending']);
const DAY_SEC = 86_400;

export function createCardProcessor(options: CardProcessorOptions): CardProcessor {
  const { deployment } = options;
  const stripe = openStripe(options);
  const toPayment = paymentOf(deployment);
  const payment: CardProcessor['payment'] = async (id) => {
    // Before the lists, which Stripe refuses for a payment that does not exist.
    const intent = await found(stripe.paymentIntents.retrieve(id));
    if (!intent) return undefined;
    const [refunds, disputes] = await Promise.all([
      asked(stripe.refunds.list({ payment_intent: id, limit: 100 }).autoPagingToArray({ limit: 10_000 })),
      asked(stripe.disputes.list({ payment_intent: id, limit: 100 }).autoPagingToArray({ limit: 10_000 })),
    ]);
    return toPayment(intent, refunds, disputes);
  };

  return {
    publishableKey: options.publishableKey,
    async createCustomer(account, replaced = '') {
      const metadata = { account: hashText(account), deployment };
      const idempotencyKey = `customer ${deployment} ${metadata.account} ${replaced}`.trim();
      const { id } = await asked(stripe.customers.create({ metadata }, { idempotencyKey }));
      return id;
    },
    createIntent: (payer, intent) => createIntent(stripe, metadataOf(payer, deployment), intent),
    payment,
    async *paymentsSince(since) {
      const sinceSec = Math.floor(since.getTime() / 1_000);
      const changed = await changedIntents(stripe, sinceSec);
      for (const id of changed) {
        const known = await payment(id);
        if (known) yield known;
      }
      const created = { gte: sinceSec };
      for await (const intent of pages(stripe.paymentIntents.list({ created, limit: 100 }))) {
        const known = changed.has(intent.id) ? undefined : toPayment(intent, [], []);
        if (known) yield known;
      }
    },
    intentOfEvent: (body, signature) => intentOfEvent(stripe, options.webhookSecrets, body, signature),
    async receiptUrl(payer, id) {
      const intent = await found(stripe.paymentIntents.retrieve(id));
      if (!isOf(intent, metadataOf(payer, deployment))) return undefined;
      const charge = toId(intent.latest_charge);
      if (charge === undefined) return undefined;
      return (await found(stripe.charges.retrieve(charge)))?.receipt_url ?? undefined;
    },
    async findIntent(id) {
      if (id.startsWith('pi_')) return id;
      const object = await found<{ payment_intent: string | { id: string } | null }>(
        id.startsWith('re_') ? stripe.refunds.retrieve(id) : stripe.disputes.retrieve(id),
      );
      return object && toId(object.payment_intent);
    },
  };
}

/** Returns the metadata that names the owner of an object at Stripe. Only the secret key can write it. */
export const metadataOf = ({ account, owner }: Owner, deployment: string) => ({
  account: hashText(account),
  owner: hashText(owner),
  deployment,
});

/** True when an object at Stripe exists and has this metadata. */
export const isOf = <Found extends { metadata: Stripe.Metadata | null }>(
  found: Found | undefined,
  wanted: ReturnType<typeof metadataOf>,
): found is Found =>
  found !== undefined && Object.entries(wanted).every(([name, value]) => found.metadata?.[name] === value);

async function createIntent(
  stripe: Stripe,
  metadata: ReturnType<typeof metadataOf>,
  { customer, amountCents, idempotencyKey }: Parameters<CardProcessor['createIntent']>[1],
): ReturnType<CardProcessor['createIntent']> {
  const created = await found(
    stripe.paymentIntents.create(
      {
        amount: amountCents,
        currency: CURRENCY,
        customer,
        automatic_payment_methods: { enabled: true },
        metadata,
      },
      { idempotencyKey: `${idempotencyKey} ${customer}` },
    ),
  );
  if (!created) throw new UnknownCustomerError(`the customer ${customer} does not exist`);
  const { id, client_secret: clientSecret } = created;
  if (clientSecret === null) throw new ProcessorUnavailableError('the payment intent has no client secret');
  return { id, clientSecret };
}

export function openStripe(options: CardProcessorOptions): Stripe {
  const api = options.apiUrl === undefined ? undefined : new URL(options.apiUrl);
  return new Stripe(options.secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(api && {
      protocol: api.protocol === 'http:' ? 'http' : 'https',
      host: api.hostname,
      ...(api.port === '' ? {} : { port: api.port }),
    }),
  });
}

/** Returns the function that makes a payment from Stripe's objects; it returns undefined for a payment of another deployment. */
const paymentOf =
  (deployment: string) =>
  (
    intent: Stripe.PaymentIntent,
    refunds: Stripe.Refund[],
    disputes: Stripe.Dispute[],
  ): Payment | undefined => {
    const { account, deployment: owner, charge } = intent.metadata;
    if (owner !== deployment || account === undefined) return undefined;
    return {
      intent: intent.id,
      account: BigInt(account),
      status: intent.status,
      charge,
      movements: toMovements(intent, refunds, disputes),
    };
  };

/** Returns the payment intents of refunds and disputes that can have changed. */
async function changedIntents(stripe: Stripe, sinceSec: number): Promise<Set<string>> {
  const nowSec = Math.floor(Date.now() / 1_000);
  const createdIn = (days: number) => ({
    created: { gte: Math.min(sinceSec, nowSec - days * DAY_SEC) },
    limit: 100,
  });
  const changed = new Set<string>();
  // Sequential: an error of a list that was requested and not yet read would be an unhandled rejection.
  for (const list of [
    () => stripe.refunds.list(createdIn(REFUND_DAYS)),
    () => stripe.disputes.list(createdIn(DISPUTE_DAYS)),
  ])
    for await (const item of pages<Stripe.Refund | Stripe.Dispute>(list())) {
      const intent = toId(item.payment_intent);
      const isFinal =
        item.object === 'refund' && item.created < sinceSec && !returningRefunds.has(item.status);
      if (intent !== undefined && !isFinal) changed.add(intent);
    }
  return changed;
}

function intentOfEvent(
  stripe: Stripe,
  secrets: string[],
  body: Buffer,
  signature: string,
): string | undefined {
  for (const secret of secrets) {
    try {
      const event = stripe.webhooks.constructEvent(body, signature, secret, WEBHOOK_TOLERANCE_SEC);
      const { object, id, payment_intent } = event.data.object as {
        object: string;
        id?: string;
        payment_intent?: string | { id: string } | null;
      };
      return object === 'payment_intent' ? id : toId(payment_intent);
    } catch (error) {
      // The text is parsed only after its signature is verified.
      if (error instanceof SyntaxError) throw new EventSignatureError('the signed text is not JSON');
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    }
  }
  throw new EventSignatureError('the signature matches no webhook secret');
}

export const toId = (reference: string | { id: string } | null | undefined): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id;

/** Makes a request to Stripe. Failures are `ProcessorUnavailableError`s: they are not the caller's fault. */
export async function asked<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    throw new ProcessorUnavailableError('the request to the card processor failed', { cause });
  }
}

/** Same as `asked`, but undefined when the object does not exist at Stripe. */
export async function found<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof Stripe.errors.StripeInvalidRequestError && cause.code === 'resource_missing')
      return undefined;
    throw new ProcessorUnavailableError('the request to the card processor failed', { cause });
  }
}

async function* pages<T>(list: AsyncIterable<T>): AsyncGenerator<T> {
  const items = list[Symbol.asyncIterator]();
  for (;;) {
    const next = await asked(items.next());
    if (next.done) return;
    yield next.value;
  }
}
