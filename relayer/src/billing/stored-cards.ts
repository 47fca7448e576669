/** Cards that owners of accounts store at Stripe, and charges of them without their holders. */
import Stripe from 'stripe';
import {
  asked,
  type CardProcessorOptions,
  CURRENCY,
  found,
  isOf,
  metadataOf,
  openStripe,
  ProcessorUnavailableError,
  toId,
} from './card-processor.ts';
import type { Owner } from './payments.ts';
import type { Charged } from './top-ups.ts';

/** The setup intent does not exist, belongs to another owner, or its card is not stored any more. */
export class UnknownCardError extends Error {
  override readonly name = 'UnknownCardError';
}

/** The card has not been stored; `status` is Stripe's word. */
export class CardNotStoredError extends Error {
  override readonly name = 'CardNotStoredError';
  readonly status: string;

  constructor(status: string) {
    super(`the setup is ${status}`);
    this.status = status;
  }
}

type StoredCard = {
  customer: string;
  paymentMethod: string;
  brand: string;
  last4: string;
  expiryMonth: number;
  expiryYear: number;
};

type CardCharge = Owner & {
  /** Idempotency key. */
  id: string;
  customer: string;
  paymentMethod: string;
  amountCents: number;
  createdAt: Date;
};

export type StoredCards = {
  /** Creates a setup intent, with a customer of its own: no later owner of the account has a customer with this card. */
  createSetup: (owner: Owner, idempotencyKey: string) => Promise<{ id: string; clientSecret: string }>;
  /** Returns the card of a successful setup intent of this owner. Rejects with `UnknownCardError` or `CardNotStoredError`. */
  findCard: (owner: Owner, setupIntent: string) => Promise<StoredCard>;
  /** Makes a card useless for every later charge. */
  detach: (paymentMethod: string) => Promise<void>;
  /** Charges a card once per id. Rejects with `ProcessorUnavailableError` when the outcome is not known. */
  charge: (charge: CardCharge) => Promise<Charged>;
  /** Returns the state of a charge that Stripe has got; undefined when it has not. */
  findCharge: (charge: CardCharge) => Promise<Charged | undefined>;
  /** Cancels a payment intent, unless it has ended. */
  cancel: (intent: string) => Promise<void>;
  /** Refunds the whole payment of a charge, once. */
  refund: (intent: string, charge: string) => Promise<void>;
  /** Returns the client secret of a payment intent. */
  clientSecret: (intent: string) => Promise<string>;
};

const CARDS: ['card'] = ['card'];
/** The clocks of the database and of Stripe can differ by this much. */
const CLOCK_SEC = 300;

export function createStoredCards(options: CardProcessorOptions): StoredCards {
  const { deployment } = options;
  const stripe = openStripe(options);
  return {
    async createSetup(owner, idempotencyKey) {
      const metadata = metadataOf(owner, deployment);
      const key = `${deployment} ${metadata.account} ${idempotencyKey}`;
      const { id: customer } = await asked(
        stripe.customers.create({ metadata }, { idempotencyKey: `card customer ${key}` }),
      );
      const setup: Stripe.SetupIntentCreateParams = {
        customer,
        metadata,
        allowed_payment_method_types: CARDS,
        usage: 'off_session',
      };
      const { id, client_secret: clientSecret } = await asked(
        stripe.setupIntents.create(setup, { idempotencyKey: `card ${key}` }),
      );
      if (clientSecret === null) throw new ProcessorUnavailableError('the setup intent has no client secret');
      return { id, clientSecret };
    },
    findCard: (owner, setupIntent) => findCard(stripe, metadataOf(owner, deployment), setupIntent),
    async detach(paymentMethod) {
      await stripe.paymentMethods.detach(paymentMethod).catch(ignoreRefusal);
    },
    charge: (charge) => chargeCard(stripe, { ...metadataOf(charge, deployment), charge: charge.id }, charge),
    async findCharge({ id, customer, createdAt }) {
      const gte = Math.floor(createdAt.getTime() / 1_000) - CLOCK_SEC;
      const list = stripe.paymentIntents.list({ customer, created: { gte }, limit: 100 });
      const intents = await asked(list.autoPagingToArray({ limit: 10_000 }));
      const intent = intents.find(({ metadata }) => metadata.charge === id);
      return intent && toCharged(intent);
    },
    async cancel(intent) {
      await stripe.paymentIntents.cancel(intent).catch(ignoreRefusal);
    },
    async refund(intent, charge) {
      await asked(stripe.refunds.create({ payment_intent: intent }, { idempotencyKey: `refund ${charge}` }));
    },
    async clientSecret(intent) {
      const { client_secret: secret } = await asked(stripe.paymentIntents.retrieve(intent));
      if (secret === null) throw new ProcessorUnavailableError('the payment intent has no client secret');
      return secret;
    },
  };
}

type Metadata = ReturnType<typeof metadataOf>;

async function findCard(stripe: Stripe, wanted: Metadata, setupIntent: string): Promise<StoredCard> {
  const setup = await found(stripe.setupIntents.retrieve(setupIntent));
  if (!isOf(setup, wanted)) throw new UnknownCardError('this owner has no such setup intent');
  if (setup.status !== 'succeeded') throw new CardNotStoredError(setup.status);
  const customer = toId(setup.customer);
  const id = toId(setup.payment_method);
  const method = id === undefined ? undefined : await found(stripe.paymentMethods.retrieve(id));
  if (customer === undefined || !method?.card || toId(method.customer) !== customer)
    throw new UnknownCardError('the card was removed');
  const { brand, last4, exp_month: expiryMonth, exp_year: expiryYear } = method.card;
  return { customer, paymentMethod: method.id, brand, last4, expiryMonth, expiryYear };
}

async function chargeCard(
  stripe: Stripe,
  metadata: Metadata & { charge: string },
  { id, customer, paymentMethod, amountCents }: CardCharge,
): Promise<Charged> {
  const intent: Stripe.PaymentIntentCreateParams = {
    amount: amountCents,
    currency: CURRENCY,
    customer,
    payment_method: paymentMethod,
    allowed_payment_method_types: CARDS,
    off_session: true,
    confirm: true,
    metadata,
  };
  // No repetitions: the owner of the account is compared with the chain before each request.
  const options = { idempotencyKey: `top-up ${id}`, maxNetworkRetries: 0 };
  try {
    return toCharged(await stripe.paymentIntents.create(intent, options));
  } catch (cause) {
    const { StripeCardError } = Stripe.errors;
    if (cause instanceof StripeCardError && cause.payment_intent) return toCharged(cause.payment_intent);
    if (!(cause instanceof StripeCardError || isRefusal(cause)))
      throw new ProcessorUnavailableError('the charge has no known outcome', { cause });
    return { intent: undefined, outcome: 'card_declined', declineCode: cause.code ?? null };
  }
}

function toCharged({ id: intent, status, last_payment_error: error }: Stripe.PaymentIntent): Charged {
  if (status === 'succeeded') return { intent, outcome: 'paid', declineCode: null };
  if (status === 'processing') return { intent, outcome: 'processing', declineCode: null };
  const isAuthentication = status === 'requires_action' || error?.code === 'authentication_required';
  return {
    intent,
    outcome: isAuthentication ? 'authentication_required' : 'card_declined',
    declineCode: error?.decline_code ?? error?.code ?? null,
  };
}

/** True when Stripe has done nothing and never will: not for 409, a request that another one holds up. */
const isRefusal = (cause: unknown): cause is Stripe.errors.StripeInvalidRequestError =>
  cause instanceof Stripe.errors.StripeInvalidRequestError && cause.statusCode !== 409;

/** Ignores that the object does not exist, or that its state does not permit the change. */
function ignoreRefusal(cause: unknown): void {
  if (isRefusal(cause)) return;
  throw new ProcessorUnavailableError('the request to the card processor failed', { cause });
}
