/** Cards that customers store: setup intents and payment methods. */
import { type Card, findCard, findCardByLast4, findCardByNumber } from './cards.ts';
import { cardError, type ErrorBody, invalidRequest, resourceMissing } from './errors.ts';
import { newId, nowSec, randomText } from './ids.ts';
import type { ConfirmParams, CreateSetupParams } from './params.ts';
import type { Backend, PaymentMethod, SetupIntent, State } from './state.ts';

/** Returns the card of a test id, or of a payment method of this customer. */
export function cardOf(state: State, id: string, customer: string | null): Card {
  const method = state.paymentMethods.get(id);
  if (!method) return findCard(id);
  if (method.customer === null)
    throw invalidRequest(
      'The provided PaymentMethod was detached from a Customer. It may not be used again.',
      { param: 'payment_method' },
    );
  if (method.customer !== customer)
    throw invalidRequest(`The PaymentMethod ${id} does not belong to the Customer you supplied.`, {
      param: 'payment_method',
    });
  return findCardByLast4(method.card.last4);
}

export function createSetupIntent({ state, emit }: Backend, params: CreateSetupParams): SetupIntent {
  const { customer, metadata, usage } = params;
  if (!state.customers.has(customer)) throw resourceMissing('customer', customer, 'customer');
  const id = newId('seti');
  const intent: SetupIntent = {
    id,
    object: 'setup_intent',
    client_secret: `${id}_secret_${randomText(25)}`,
    created: nowSec(),
    customer,
    last_setup_error: null,
    metadata,
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
    usage,
  };
  state.setupIntents.set(id, intent);
  emit('setup_intent.created', intent);
  return intent;
}

/** Stores a card, as Stripe.js does when the payer enters it. Throws the card error (402) of a declined card. */
export function confirmSetupIntent(
  backend: Backend,
  intent: SetupIntent,
  { payment_method_data: data, payment_method: id }: ConfirmParams,
): SetupIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw unexpectedState(`You cannot confirm this SetupIntent because it has a status of ${intent.status}.`);
  if (id === undefined && data === undefined)
    throw unexpectedState("You cannot confirm this SetupIntent because it's missing a payment method.");
  const card = data ? findCardByNumber(data.card.number) : findCard(id ?? '');
  intent.next_action = null;
  intent.last_setup_error = null;
  if (card.decline && !card.declinesLater) throw cardError(setFailed(backend, intent, card.decline));
  const { exp_month, exp_year } = data?.card ?? { exp_month: 12, exp_year: 2040 };
  const method: PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    card: { brand: 'visa', exp_month, exp_year: (exp_year % 2_000) + 2_000, last4: card.number.slice(-4) },
    created: nowSec(),
    customer: null,
    type: 'card',
  };
  backend.state.paymentMethods.set(method.id, method);
  intent.payment_method = method.id;
  if (!card.needsAction) return attach(backend, intent);
  const url = `${backend.url()}/3d_secure/${intent.id}?client_secret=${intent.client_secret}`;
  intent.status = 'requires_action';
  intent.next_action = {
    type: 'use_stripe_sdk',
    use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url },
  };
  backend.emit('setup_intent.requires_action', intent);
  return intent;
}

/** Ends 3-D Secure: stores the card, or makes the intent wait for another one. */
export function authenticateSetup(
  backend: Backend,
  intent: SetupIntent,
  isAuthenticated: boolean,
): SetupIntent {
  if (intent.status !== 'requires_action')
    throw unexpectedState(`This SetupIntent requires no action: its status is ${intent.status}.`);
  intent.next_action = null;
  if (isAuthenticated) return attach(backend, intent);
  setFailed(backend, intent, {
    code: 'setup_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  });
  return intent;
}

/** Takes a payment method from its customer, for ever. */
export function detachMethod({ emit }: Backend, method: PaymentMethod): PaymentMethod {
  if (method.customer === null)
    throw invalidRequest(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  method.customer = null;
  emit('payment_method.detached', method);
  return method;
}

function attach({ state, emit }: Backend, intent: SetupIntent): SetupIntent {
  const method = state.paymentMethods.get(intent.payment_method ?? '');
  if (method) method.customer = intent.customer;
  intent.status = 'succeeded';
  emit('setup_intent.succeeded', intent);
  return intent;
}

function setFailed({ emit }: Backend, intent: SetupIntent, error: Omit<ErrorBody, 'type'>) {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_setup_error = { type: 'card_error', ...error };
  emit('setup_intent.setup_failed', intent);
  return error;
}

const unexpectedState = (message: string) =>
  invalidRequest(message, { code: 'setup_intent_unexpected_state' });
