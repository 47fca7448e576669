/** Payment intents from creation to the charge. */
import type Stripe from 'stripe';
import type { Backend } from './backend.ts';
import { type Card, type Decline, findCardByAlias, findCardByNumber } from './cards.ts';
import { newCharge, type Payment } from './charge-objects.ts';
import { openDispute } from './disputes.ts';
import { invalidRequest, resourceMissing, StripeApiError } from './errors.ts';
import {
  type CardDetails,
  newBalanceTransaction,
  newFee,
  newPaymentIntent,
  newPaymentMethod,
} from './objects.ts';
import type { CardParams, ConfirmParams, CreateIntentParams } from './params.ts';
import type { Charge, PaymentIntent, State } from './state.ts';

/** Limits of one payment in the smallest unit of the currency: Stripe's limits for US dollars. */
const MIN_AMOUNT = 50;
const MAX_AMOUNT = 99_999_999;

type CardMethod = Payment['method'];

export function createIntent(backend: Backend, params: CreateIntentParams): PaymentIntent {
  const { state, emit } = backend;
  const { automatic_payment_methods, payment_method_types, payment_method, payment_method_data, ...rest } =
    params;
  const { confirm, expand, off_session, return_url, ...fields } = rest;
  if (fields.customer !== undefined && !state.customers.has(fields.customer))
    throw resourceMissing('customer', fields.customer, 'customer');
  if (fields.amount < MIN_AMOUNT)
    throw invalidRequest('Amount must be at least 50 of the smallest unit of the currency.', {
      code: 'amount_too_small',
      param: 'amount',
    });
  if (fields.amount > MAX_AMOUNT)
    throw invalidRequest('Amount must be no more than 99999999 of the smallest unit of the currency.', {
      code: 'amount_too_large',
      param: 'amount',
    });
  if (payment_method_types && automatic_payment_methods?.enabled)
    throw invalidRequest(
      'You may only specify one of these parameters: automatic_payment_methods, payment_method_types.',
    );
  const intent = newPaymentIntent({
    ...fields,
    automatic_payment_methods: payment_method_types
      ? null
      : { allow_redirects: 'always', enabled: true, ...automatic_payment_methods },
    payment_method_types: payment_method_types ?? ['card', 'link'],
  });
  const method = storePaymentMethod(state, params, intent);
  if (method) {
    intent.payment_method = method.id;
    intent.status = 'requires_confirmation';
  }
  state.paymentIntents.set(intent.id, intent);
  emit('payment_intent.created', intent);
  return confirm ? pay(backend, intent, params) : intent;
}

/**
 * Confirms an intent, as Stripe.js does when the payer pays. Throws the card error (402) of a declined card; the intent
 * then waits for another payment method.
 */
export function confirmIntent(backend: Backend, intent: PaymentIntent, params: ConfirmParams): PaymentIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw unexpectedState(
      intent,
      intent.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.'
        : 'You cannot confirm this PaymentIntent because it has a status of canceled.',
    );
  const method = storePaymentMethod(backend.state, params, intent);
  if (method) intent.payment_method = method.id;
  return pay(backend, intent, params);
}

function pay(
  backend: Backend,
  intent: PaymentIntent,
  params: Pick<ConfirmParams, 'off_session' | 'return_url'>,
): PaymentIntent {
  const { state, emit } = backend;
  const method = findCardMethod(state, intent.payment_method, 'payment_method');
  if (!method)
    throw unexpectedState(
      intent,
      "You cannot confirm this PaymentIntent because it's missing a payment method.",
    );
  const card = findCardByNumber(state.cardNumbers.get(method.id) ?? '');
  intent.last_payment_error = null;
  intent.next_action = null;
  const payment = { intent, method, card, isAuthenticated: false };
  if (!card.needsAction) return charge(backend, payment);
  if (params.off_session)
    return fail(backend, payment, {
      code: 'authentication_required',
      declineCode: 'authentication_required',
      message: 'Your card was declined. This transaction requires authentication.',
    });
  const url = `${backend.url()}/3d_secure/${intent.id}?client_secret=${intent.client_secret}`;
  intent.status = 'requires_action';
  intent.next_action =
    params.return_url === undefined
      ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
      : { type: 'redirect_to_url', redirect_to_url: { return_url: params.return_url, url } };
  emit('payment_intent.requires_action', intent);
  return intent;
}

/** Ends 3-D Secure: charges the card, or makes the intent wait for another payment method. */
export function authenticateIntent(
  backend: Backend,
  intent: PaymentIntent,
  isAuthenticated: boolean,
): PaymentIntent {
  const method = findCardMethod(backend.state, intent.payment_method, 'payment_method');
  if (intent.status !== 'requires_action' || !method)
    throw unexpectedState(intent, `This PaymentIntent requires no action: its status is ${intent.status}.`);
  const card = findCardByNumber(backend.state.cardNumbers.get(method.id) ?? '');
  const payment = { intent, method, card, isAuthenticated };
  intent.next_action = null;
  try {
    if (isAuthenticated) return charge(backend, payment);
    setFailed(backend, payment, {
      code: 'payment_intent_authentication_failure',
      message:
        'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    });
  } catch (error) {
    // The payer reads the bank's decision from the intent, not from this reply.
    if (!(error instanceof StripeApiError)) throw error;
  }
  return intent;
}

export function cancelIntent({ emit }: Backend, intent: PaymentIntent, reason: string | null): PaymentIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw unexpectedState(
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
    );
  intent.status = 'canceled';
  intent.canceled_at = Math.floor(Date.now() / 1000);
  intent.cancellation_reason = reason;
  intent.next_action = null;
  emit('payment_intent.canceled', intent);
  return intent;
}

function charge(backend: Backend, payment: Payment): PaymentIntent {
  const { intent, card } = payment;
  if (card.decline) return fail(backend, payment, card.decline);
  const { state, emit } = backend;
  const created = newCharge(payment);
  state.charges.set(created.id, created);
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.latest_charge = created.id;
  emit('charge.succeeded', created);
  emit('payment_intent.succeeded', intent);
  // The capture is asynchronous: fee and net amount are known only after the payment has succeeded.
  created.balance_transaction = bookCharge(state, created).id;
  emit('charge.updated', created, { balance_transaction: null });
  if (card.dispute) openDispute(backend, created, { amount: created.amount, ...card.dispute });
  return intent;
}

function fail(backend: Backend, payment: Payment, decline: Decline): never {
  const { state, emit } = backend;
  const created = newCharge(payment, decline);
  state.charges.set(created.id, created);
  payment.intent.latest_charge = created.id;
  emit('charge.failed', created);
  const error = setFailed(backend, payment, decline, created);
  throw new StripeApiError(402, { ...error, payment_intent: structuredClone(payment.intent) });
}

function setFailed(backend: Backend, { intent, method }: Payment, decline: Decline, created?: Charge) {
  const error = {
    type: 'card_error',
    code: decline.code,
    ...(decline.declineCode === undefined ? {} : { decline_code: decline.declineCode }),
    message: decline.message,
    ...(created ? { charge: created.id } : {}),
    payment_method: structuredClone(method),
  } as const;
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = error;
  backend.emit('payment_intent.payment_failed', intent);
  return error;
}

function unexpectedState(intent: PaymentIntent, message: string): StripeApiError {
  return new StripeApiError(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message,
    payment_intent: structuredClone(intent),
  });
}

/** Stores the payment method that the parameters name or describe; returns undefined when they have none. */
function storePaymentMethod(
  state: State,
  { payment_method: name, payment_method_data: data }: CardParams,
  intent: PaymentIntent,
): CardMethod | undefined {
  const alias = name === undefined ? undefined : findCardByAlias(name);
  const nextYear = new Date().getUTCFullYear() + 1;
  if (alias) return store(state, alias, { exp_month: 8, exp_year: nextYear }, {}, intent);
  if (name !== undefined) return findCardMethod(state, name, 'payment_method');
  if (!data) return undefined;
  const { number, exp_month = 12, exp_year = nextYear } = data.card;
  const card = findCardByNumber(number);
  const year = exp_year < 100 ? 2000 + exp_year : exp_year;
  if (exp_month < 1 || exp_month > 12) throw expiryError('month');
  if (Date.UTC(year, exp_month) <= Date.now()) throw expiryError('year');
  const { address, ...billing } = data.billing_details ?? {};
  return store(
    state,
    card,
    { exp_month, exp_year: year },
    {
      ...billing,
      ...(address
        ? {
            address: {
              city: null,
              country: null,
              line1: null,
              line2: null,
              postal_code: null,
              state: null,
              ...address,
            },
          }
        : {}),
    },
    intent,
  );
}

function store(
  state: State,
  card: Card,
  expiry: CardDetails,
  billing: Partial<Stripe.PaymentMethod.BillingDetails>,
  intent: PaymentIntent,
): CardMethod {
  const method = newPaymentMethod(card, expiry, billing);
  if (intent.setup_future_usage !== null) method.customer = intent.customer;
  state.paymentMethods.set(method.id, method);
  state.cardNumbers.set(method.id, card.number);
  return method;
}

function findCardMethod(state: State, id: string | null, param: string): CardMethod | undefined {
  if (id === null) return undefined;
  const method = state.paymentMethods.get(id);
  if (!method?.card) throw resourceMissing('PaymentMethod', id, param);
  return { ...method, card: method.card };
}

function expiryError(part: 'month' | 'year'): StripeApiError {
  return new StripeApiError(402, {
    type: 'card_error',
    code: `invalid_expiry_${part}`,
    message: `Your card's expiration ${part} is invalid.`,
    param: `exp_${part}`,
  });
}

function bookCharge(state: State, { id, amount, currency, description }: Charge): Stripe.BalanceTransaction {
  const fee = newFee(Math.round(amount * 0.029) + 30, currency, 'Stripe processing fees');
  const booked = newBalanceTransaction({
    amount,
    currency,
    description,
    fee_details: [fee],
    reporting_category: 'charge',
    source: id,
    type: 'charge',
  });
  state.balanceTransactions.set(booked.id, booked);
  return booked;
}
