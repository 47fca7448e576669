/** Payment intents from creation to the payment. */
import { type Card, findCardByNumber } from './cards.ts';
import { cardError, type ErrorBody, invalidRequest, resourceMissing } from './errors.ts';
import { newId, nowSec, randomText } from './ids.ts';
import type { ConfirmParams, CreateIntentParams } from './params.ts';
import { cardOf } from './setups.ts';
import type { Backend, PaymentIntent } from './state.ts';

/** Limits of one payment in cents, as by Stripe. */
const MIN_AMOUNT = 50;
const MAX_AMOUNT = 99_999_999;

export function createIntent(backend: Backend, params: CreateIntentParams): PaymentIntent {
  const { state, emit } = backend;
  const { amount, currency, customer = null, metadata, payment_method, confirm, off_session } = params;
  if (customer !== null && !state.customers.has(customer))
    throw resourceMissing('customer', customer, 'customer');
  if (amount < MIN_AMOUNT || amount > MAX_AMOUNT)
    throw invalidRequest(`Amount must be from ${MIN_AMOUNT} to ${MAX_AMOUNT} cents.`, { param: 'amount' });
  const card = payment_method === undefined ? undefined : cardOf(state, payment_method, customer);
  const id = newId('pi');
  const intent: PaymentIntent = {
    id,
    object: 'payment_intent',
    amount,
    amount_received: 0,
    client_secret: `${id}_secret_${randomText(25)}`,
    created: nowSec(),
    currency,
    customer,
    last_payment_error: null,
    latest_charge: null,
    metadata,
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
  };
  state.paymentIntents.set(id, intent);
  emit('payment_intent.created', intent);
  return confirm && card ? pay(backend, intent, card, off_session) : intent;
}

/**
 * Confirms an intent, as Stripe.js does when the payer pays. Throws the card error (402) of a declined card; the intent
 * then waits for another payment method.
 */
export function confirmIntent(backend: Backend, intent: PaymentIntent, params: ConfirmParams): PaymentIntent {
  requireOpen(intent, 'confirm');
  const { payment_method: id, payment_method_data: data } = params;
  if (id === undefined && data === undefined)
    throw unexpectedState("You cannot confirm this PaymentIntent because it's missing a payment method.");
  const card = data ? findCardByNumber(data.card.number) : cardOf(backend.state, id ?? '', intent.customer);
  return pay(backend, intent, card);
}

/** `isOffSession`: the payer is absent, so that a card that asks for authentication is declined. */
function pay(backend: Backend, intent: PaymentIntent, card: Card, isOffSession = false): PaymentIntent {
  intent.last_payment_error = null;
  intent.next_action = null;
  intent.payment_method = card.id;
  const decline = card.needsAction && isOffSession ? authenticationRequired : card.decline;
  if (decline) throw cardError({ ...setFailed(backend, intent, decline), payment_intent: intent });
  if (!card.needsAction) return succeed(backend, intent);
  const url = `${backend.url()}/3d_secure/${intent.id}?client_secret=${intent.client_secret}`;
  intent.status = 'requires_action';
  intent.next_action = {
    type: 'use_stripe_sdk',
    use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url },
  };
  backend.emit('payment_intent.requires_action', intent);
  return intent;
}

/** Ends 3-D Secure: charges the card, or makes the intent wait for another payment method. */
export function authenticateIntent(
  backend: Backend,
  intent: PaymentIntent,
  isAuthenticated: boolean,
): PaymentIntent {
  if (intent.status !== 'requires_action')
    throw unexpectedState(`This PaymentIntent requires no action: its status is ${intent.status}.`);
  intent.next_action = null;
  if (isAuthenticated) return succeed(backend, intent);
  setFailed(backend, intent, {
    code: 'payment_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  });
  return intent;
}

export function cancelIntent({ emit }: Backend, intent: PaymentIntent): PaymentIntent {
  requireOpen(intent, 'cancel');
  intent.status = 'canceled';
  intent.next_action = null;
  emit('payment_intent.canceled', intent);
  return intent;
}

/** Returns the charge of a payment, by its id. */
export function findCharge({ state, url }: Backend, id: string): object {
  const intent = [...state.paymentIntents.values()].find(({ latest_charge }) => latest_charge === id);
  if (!intent) throw resourceMissing('charge', id);
  return { id, object: 'charge', payment_intent: intent.id, receipt_url: `${url()}/receipts/${id}` };
}

const authenticationRequired = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

function succeed({ emit }: Backend, intent: PaymentIntent): PaymentIntent {
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.latest_charge = intent.id.replace('pi_', 'ch_');
  emit('payment_intent.succeeded', intent);
  return intent;
}

function setFailed({ emit }: Backend, intent: PaymentIntent, error: Omit<ErrorBody, 'type'>) {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = { type: 'card_error', ...error };
  emit('payment_intent.payment_failed', intent);
  return error;
}

function requireOpen({ status }: PaymentIntent, act: string): void {
  if (status === 'succeeded' || status === 'canceled')
    throw unexpectedState(`You cannot ${act} this PaymentIntent because it has a status of ${status}.`);
}

const unexpectedState = (message: string) =>
  invalidRequest(message, { code: 'payment_intent_unexpected_state' });
