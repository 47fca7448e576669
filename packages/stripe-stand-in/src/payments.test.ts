import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catchError, PUBLISHABLE_KEY, postAsPayer, postControl, sdkFor, startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());

const newIntent = () =>
  stripe.sdk.paymentIntents.create({
    amount: 5_000,
    currency: 'usd',
    automatic_payment_methods: { enabled: true },
    metadata: { account: '0xabc' },
  });

function confirmUrl({ id }: Stripe.PaymentIntent): string {
  return `${stripe.standIn.url}/v1/payment_intents/${id}/confirm`;
}

const payerCard = (number: string) => ({
  'payment_method_data[type]': 'card',
  'payment_method_data[card][number]': number,
  'payment_method_data[card][exp_month]': '12',
  'payment_method_data[card][exp_year]': '2040',
  'payment_method_data[card][cvc]': '123',
});

describe('a payer with the publishable key and the client secret', () => {
  test("pays, and does not see the seller's fields", async () => {
    const intent = await newIntent();
    expect(intent).toMatchObject({ status: 'requires_payment_method', metadata: { account: '0xabc' } });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_\\w{25}$`));
    const form = { client_secret: String(intent.client_secret), payment_method: 'pm_card_visa' };
    const { status, body } = await postAsPayer(confirmUrl(intent), form);
    expect({ status, intentStatus: body.status }).toEqual({ status: 200, intentStatus: 'succeeded' });
    expect(body).not.toHaveProperty('metadata');
    expect(body).not.toHaveProperty('latest_charge');
    const paid = await stripe.sdk.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    expect(paid).toMatchObject({
      status: 'succeeded',
      amount_received: 5_000,
      latest_charge: { status: 'succeeded', paid: true, amount_captured: 5_000, amount_refunded: 0 },
    });
    expect(stripe.typesAbout(intent)).toEqual([
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'charge.updated',
    ]);
  });

  test('pays by a raw card number', async () => {
    const intent = await newIntent();
    const form = { client_secret: String(intent.client_secret), ...payerCard('4242 4242 4242 4242') };
    expect((await postAsPayer(confirmUrl(intent), form)).body.status).toBe('succeeded');
    const { payment_method } = await stripe.sdk.paymentIntents.retrieve(intent.id, {
      expand: ['payment_method'],
    });
    expect(payment_method).toMatchObject({ card: { last4: '4242', exp_month: 12, exp_year: 2040 } });
  });

  test.for([
    ['4242424242424241', 'incorrect_number'],
    ['4111111111111111', 'card_declined'],
  ])('refuses the number %s with %s, and creates no charge', async ([number = '', code]) => {
    const intent = await newIntent();
    const form = { client_secret: String(intent.client_secret), ...payerCard(number) };
    const { status, body } = await postAsPayer(confirmUrl(intent), form);
    expect({ status, code: body.error.code }).toEqual({ status: 402, code });
    expect(await stripe.sdk.paymentIntents.retrieve(intent.id)).toMatchObject({ latest_charge: null });
  });

  test('retrieves the intent with its client secret only', async () => {
    const [intent, other] = [await newIntent(), await newIntent()];
    const payer = sdkFor(stripe.standIn.port, PUBLISHABLE_KEY);
    const client_secret = String(intent.client_secret);
    expect(await payer.paymentIntents.retrieve(intent.id, { client_secret })).toMatchObject({
      id: intent.id,
    });
    expect(await catchError(payer.paymentIntents.retrieve(intent.id))).toMatchObject({ statusCode: 403 });
    expect(await catchError(payer.paymentIntents.retrieve(other.id, { client_secret }))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    const stolen = { client_secret, payment_method: 'pm_card_visa' };
    expect((await postAsPayer(confirmUrl(other), stolen)).status).toBe(404);
    expect((await postAsPayer(confirmUrl(other), { payment_method: 'pm_card_visa' })).status).toBe(403);
  });

  test('pays from a page of another origin, with the key in the form as Stripe.js sends it', async () => {
    const intent = await newIntent();
    const preflight = await fetch(confirmUrl(intent), {
      method: 'OPTIONS',
      headers: { Origin: 'http://seller.test', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const reply = await fetch(confirmUrl(intent), {
      method: 'POST',
      body: new URLSearchParams({
        key: PUBLISHABLE_KEY,
        client_secret: String(intent.client_secret),
        payment_method: 'pm_card_visa',
      }),
    });
    expect(await reply.json()).toMatchObject({ id: intent.id, status: 'succeeded' });
  });

  test('cannot call anything else', async () => {
    const intent = await newIntent();
    const payer = sdkFor(stripe.standIn.port, PUBLISHABLE_KEY);
    const calls = [
      payer.paymentIntents.create({ amount: 100, currency: 'usd' }),
      payer.paymentIntents.list(),
      payer.paymentIntents.cancel(intent.id),
      payer.customers.create(),
      payer.refunds.list(),
      payer.refunds.create({ payment_intent: intent.id }),
      payer.disputes.list(),
      payer.events.list(),
    ];
    for (const call of calls)
      expect(await catchError(call)).toMatchObject({ statusCode: 403, code: 'secret_key_required' });
    const control = await postControl(stripe.standIn.url, '/flush', {}, PUBLISHABLE_KEY);
    expect(control.status).toBe(403);
  });
});

describe('cards', () => {
  test.for([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
    ['pm_card_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', ''],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', ''],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', ''],
    ['pm_card_chargeCustomerFail', 'card_declined', 'generic_decline'],
    ['pm_card_radarBlock', 'card_declined', 'fraudulent'],
  ] as const)('%s is declined, and another card can pay', async ([card, code, decline]) => {
    const intent = await newIntent();
    const error = await catchError(stripe.sdk.paymentIntents.confirm(intent.id, { payment_method: card }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(error).toMatchObject({ statusCode: 402, code, decline_code: decline });
    const failed = await stripe.sdk.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    expect(failed).toMatchObject({
      status: 'requires_payment_method',
      amount_received: 0,
      last_payment_error: { type: 'card_error', code },
      latest_charge: { status: 'failed', paid: false, failure_code: code, balance_transaction: null },
    });
    expect(error.payment_intent).toEqual(await stripe.sdk.paymentIntents.retrieve(intent.id));
    const paid = await stripe.sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_mastercard' });
    expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null });
    expect(stripe.typesAbout(intent)).toEqual([
      'payment_intent.created',
      'charge.failed',
      'payment_intent.payment_failed',
      'charge.succeeded',
      'payment_intent.succeeded',
      'charge.updated',
    ]);
  });

  test.for(['pm_card_visa', 'pm_card_visa_debit', 'pm_card_mastercard', 'pm_card_amex', 'pm_card_discover'])(
    '%s pays',
    async (card) => {
      expect(await stripe.pay(card)).toMatchObject({ status: 'succeeded', amount_received: 5_000 });
    },
  );

  test('pm_card_createDispute and the inquiry card pay, and are disputed', async () => {
    for (const [card, status] of [
      ['pm_card_createDispute', 'needs_response'],
      ['pm_card_createDisputeProductNotReceived', 'needs_response'],
      ['pm_card_createDisputeInquiry', 'warning_needs_response'],
    ] as const) {
      const { id } = await stripe.pay(card);
      const { data } = await stripe.sdk.disputes.list({ payment_intent: id });
      expect(data).toMatchObject([{ status, amount: 5_000, payment_intent: id }]);
    }
  });

  test('a stored payment method pays again, and an unknown one does not', async () => {
    const { payment_method } = await stripe.pay();
    expect(await stripe.pay(String(payment_method))).toMatchObject({ status: 'succeeded', payment_method });
    expect(await catchError(stripe.pay('pm_none'))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'payment_method',
    });
  });
});

describe('an intent in a final status', () => {
  test('is not paid twice', async () => {
    const { id } = await stripe.pay();
    const call = stripe.sdk.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    expect(await catchError(call)).toMatchObject({
      statusCode: 400,
      code: 'payment_intent_unexpected_state',
    });
    expect(await catchError(stripe.sdk.paymentIntents.cancel(id))).toMatchObject({ statusCode: 400 });
    expect((await stripe.sdk.charges.list({ payment_intent: id })).data).toHaveLength(1);
  });

  test('is not paid after it was canceled', async () => {
    const intent = await newIntent();
    const canceled = await stripe.sdk.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' });
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    const call = stripe.sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(await catchError(call)).toMatchObject({ code: 'payment_intent_unexpected_state' });
    expect(stripe.typesAbout(intent)).toEqual(['payment_intent.created', 'payment_intent.canceled']);
  });

  test('and an intent without a payment method cannot be confirmed', async () => {
    const { id } = await newIntent();
    expect(await catchError(stripe.sdk.paymentIntents.confirm(id))).toMatchObject({ statusCode: 400 });
  });
});
