/** The API as the product and a payer's browser call it. */
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, describe, expect, test } from 'vitest';
import { catchError, PUBLISHABLE_KEY, postAsPayer, postControl, sdkFor, startWithSdk } from './testing.ts';

const stripe = await startWithSdk();
afterAll(() => stripe.standIn.close());

const PARAMS = { amount: 5_000, currency: 'usd', metadata: { account: '0xabc' } };
const newIntent = () => stripe.sdk.paymentIntents.create(PARAMS);
const countIntents = async () => (await stripe.sdk.paymentIntents.list({ limit: 100 })).data.length;
const confirm = ({ id, client_secret }: Stripe.PaymentIntent, form: Record<string, string>) =>
  postAsPayer(`${stripe.standIn.url}/v1/payment_intents/${id}/confirm`, {
    client_secret: String(client_secret),
    ...form,
  });
const cardForm = (number: string) => ({
  'payment_method_data[type]': 'card',
  'payment_method_data[card][number]': number,
  'payment_method_data[card][exp_month]': '12',
  'payment_method_data[card][exp_year]': '40',
  'payment_method_data[card][cvc]': '123',
});

test('refuses a wrong key, an unknown parameter, an unknown id and an unknown path', async () => {
  for (const key of ['sk_test_other', 'pk_test_other'])
    expect(await catchError(sdkFor(stripe.standIn.port, key).customers.list())).toMatchObject({
      statusCode: 401,
    });
  const surplus = { ...PARAMS, capture_method: 'manual' } as const;
  expect(await catchError(stripe.sdk.paymentIntents.create(surplus))).toMatchObject({
    statusCode: 400,
    param: 'capture_method',
  });
  expect(await catchError(stripe.sdk.refunds.retrieve('re_none'))).toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
  });
  expect(await catchError(stripe.sdk.subscriptions.list())).toMatchObject({ statusCode: 404 });
});

describe('a payer with the publishable key and the client secret', () => {
  test.each([
    ['the id of a card', { payment_method: 'pm_card_visa' }],
    ['the number of a card', cardForm('4242 4242 4242 4242')],
  ])("pays by %s, and does not see the seller's fields", async (_what, form) => {
    const intent = await newIntent();
    const { status, body } = await confirm(intent, form);
    expect({ status, of: body.status }).toEqual({ status: 200, of: 'succeeded' });
    expect(body).not.toHaveProperty('metadata');
    expect(await stripe.sdk.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: 'succeeded',
      amount_received: 5_000,
      metadata: { account: '0xabc' },
    });
  });

  test('reaches no other intent, and nothing without a secret', async () => {
    const [intent, other] = [await newIntent(), await newIntent()];
    const card = { payment_method: 'pm_card_visa' };
    const forged = await confirm(intent, { ...card, client_secret: String(other.client_secret) });
    expect(forged.status).toBe(404);
    const open = `${stripe.standIn.url}/v1`;
    for (const path of [`payment_intents/${intent.id}/confirm`, 'refunds', 'customers'])
      expect((await postAsPayer(`${open}/${path}`, {})).status).toBe(403);
    const secret = { client_secret: String(intent.client_secret) };
    expect((await postAsPayer(`${open}/payment_intents/${intent.id}/cancel`, secret)).status).toBe(403);
    const disputed = await postControl(stripe.standIn.url, '/disputes', { of: intent.id }, PUBLISHABLE_KEY);
    expect(disputed.status).toBe(403);
  });

  test.each([
    ['pm_card_chargeDeclined', '4000000000000002', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', '4000000000009995', 'insufficient_funds'],
  ])('is declined with %s and can use another card', async (card, number, reason) => {
    const intent = await newIntent();
    for (const form of [{ payment_method: card }, cardForm(number)]) {
      const { status, body } = await confirm(intent, form);
      expect(status).toBe(402);
      expect(body.error).toMatchObject({ code: 'card_declined', decline_code: reason });
    }
    expect((await stripe.sdk.paymentIntents.retrieve(intent.id)).status).toBe('requires_payment_method');
    expect((await confirm(intent, { payment_method: 'pm_card_visa' })).body.status).toBe('succeeded');
  });

  test('needs a known card', async () => {
    const intent = await newIntent();
    expect((await confirm(intent, {})).status).toBe(400);
    expect((await confirm(intent, { payment_method: 'pm_none' })).status).toBe(400);
    const unknown = await confirm(intent, cardForm('4242 4242 4242 4241'));
    expect(unknown.body.error.code).toBe('incorrect_number');
  });

  test('authenticates on the page of the bank, which a stranger cannot open', async () => {
    const intent = await newIntent();
    const form = { payment_method: 'pm_card_authenticationRequired' };
    for (const [outcome, status] of [
      ['failed', 'requires_payment_method'],
      ['succeeded', 'succeeded'],
    ] as const) {
      const { body } = await confirm(intent, form);
      expect(body.status).toBe('requires_action');
      const action = body.next_action?.use_stripe_sdk as { stripe_js: string };
      expect(await (await fetch(action.stripe_js)).text()).toContain('5000');
      const forged = action.stripe_js.replace(/_secret_\w+/, '_secret_other');
      const answer = { method: 'POST', body: new URLSearchParams({ outcome }) };
      expect((await fetch(forged, answer)).status).toBe(404);
      expect(await (await fetch(action.stripe_js, answer)).json()).toEqual({ id: intent.id, status });
    }
    await expect(stripe.standIn.authenticate(intent.id, true)).rejects.toMatchObject({ status: 400 });
  });
});

test('an intent that is paid or canceled is neither paid nor canceled again', async () => {
  const [paid, canceled] = [await stripe.pay(), await newIntent()];
  await stripe.sdk.paymentIntents.cancel(canceled.id);
  for (const intent of [paid, canceled]) {
    expect((await confirm(intent, { payment_method: 'pm_card_visa' })).status).toBe(400);
    expect(await catchError(stripe.sdk.paymentIntents.cancel(intent.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
  }
});

test('lists are returned page by page, newest first, of a customer and from a time on', async () => {
  const { id: customer } = await stripe.sdk.customers.create();
  const ids = [];
  for (let count = 0; count < 5; count++)
    ids.unshift((await stripe.sdk.paymentIntents.create({ ...PARAMS, customer })).id);
  const list = stripe.sdk.paymentIntents.list({ customer, limit: 2 });
  expect((await list.autoPagingToArray({ limit: 100 })).map(({ id }) => id)).toEqual(ids);
  const from = async (gte: number) =>
    (await stripe.sdk.paymentIntents.list({ customer, created: { gte } })).data.length;
  const nowSec = Math.floor(Date.now() / 1_000);
  expect([await from(nowSec - 60), await from(nowSec + 60)]).toEqual([5, 0]);
});

describe('refunds', () => {
  test('never exceed the payment, also when they are concurrent', async () => {
    const { id: payment_intent } = await stripe.pay('pm_card_visa', 1_000);
    const refund = (amount?: number) =>
      stripe.sdk.refunds.create({ payment_intent, ...(amount !== undefined && { amount }) });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => refund(300)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const amount of [0, 101])
      expect(await catchError(refund(amount))).toMatchObject({ param: 'amount' });
    expect((await refund()).amount).toBe(100);
    expect(await catchError(refund())).toMatchObject({ code: 'charge_already_refunded' });
    const { data } = await stripe.sdk.refunds.list({ payment_intent });
    expect(data.map(({ amount }) => amount)).toEqual([100, 300, 300, 300]);
    await stripe.standIn.failRefund(String(data[0]?.id));
    expect((await refund()).amount).toBe(100);
  });

  test('of a payment that did not succeed, or is charged back, are refused', async () => {
    const { id } = await newIntent();
    expect(await catchError(stripe.sdk.refunds.create({ payment_intent: id }))).toMatchObject({
      message: expect.stringContaining('does not have a successful charge'),
    });
    const { id: payment_intent } = await stripe.pay();
    await stripe.standIn.openDispute({ of: payment_intent });
    expect(await catchError(stripe.sdk.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_disputed',
    });
  });

  test('of one card wait until they are settled', async () => {
    const { id: payment_intent } = await stripe.pay('pm_card_pendingRefund');
    const { id, status } = await stripe.sdk.refunds.create({ payment_intent });
    expect(status).toBe('pending');
    await stripe.standIn.succeedRefund(id);
    expect((await stripe.sdk.refunds.retrieve(id)).status).toBe('succeeded');
    await expect(stripe.standIn.succeedRefund(id)).rejects.toMatchObject({ status: 400 });
  });
});

describe('disputes', () => {
  const amountsOf = async (id: string) =>
    (await stripe.sdk.disputes.retrieve(id)).balance_transactions.map(({ amount }) => amount);

  test('withdraw the money, which a won one returns and a lost one does not', async () => {
    const [one, other] = [await stripe.pay(), await stripe.pay()];
    const { body } = await postControl(stripe.standIn.url, '/disputes', { of: one.id, amount: 900 });
    const { id: won } = body as { id: string };
    const { id: lost } = await stripe.standIn.openDispute({ of: other.id });
    await stripe.standIn.resolveDispute(won, 'won');
    await stripe.standIn.resolveDispute(lost, 'lost');
    expect([await amountsOf(won), await amountsOf(lost)]).toEqual([[-900, 900], [-5_000]]);
    const { data } = await stripe.sdk.disputes.list({ payment_intent: one.id });
    expect(data).toMatchObject([{ id: won, status: 'won' }]);
    await expect(stripe.standIn.resolveDispute(won, 'lost')).rejects.toMatchObject({ status: 400 });
    await expect(stripe.standIn.openDispute({ of: one.id, amount: 5_001 })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('that are inquiries withdraw the money when they are escalated', async () => {
    const [one, other] = [await stripe.pay(), await stripe.pay()];
    const { id: closed } = await stripe.standIn.openDispute({ of: one.id, isInquiry: true });
    const { id: escalated } = await stripe.standIn.openDispute({ of: other.id, isInquiry: true });
    await expect(stripe.standIn.openDispute({ of: one.id })).rejects.toMatchObject({ status: 400 });
    await expect(stripe.standIn.resolveDispute(closed, 'won')).rejects.toMatchObject({ status: 400 });
    await stripe.standIn.resolveDispute(closed, 'warning_closed');
    await stripe.standIn.escalateInquiry(escalated);
    expect([await amountsOf(closed), await amountsOf(escalated)]).toEqual([[], [-5_000]]);
    await expect(stripe.standIn.escalateInquiry(closed)).rejects.toMatchObject({ status: 400 });
  });
});

describe('an idempotency key', () => {
  test('has one effect and one reply, also for concurrent and declined requests', async () => {
    const { id: payment_intent } = await stripe.pay();
    const refund = { payment_intent, amount: 1_000 };
    const key = { idempotencyKey: randomUUID() };
    const replies = await Promise.all([1, 2, 3].map(() => stripe.sdk.refunds.create(refund, key)));
    expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
    const missing = { ...PARAMS, customer: 'cus_none' };
    const again = { idempotencyKey: randomUUID() };
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await catchError(stripe.sdk.paymentIntents.create(missing, again))).toMatchObject({
        code: 'resource_missing',
      });
  });

  test('refuses another request', async () => {
    const key = { idempotencyKey: randomUUID() };
    await stripe.sdk.paymentIntents.create(PARAMS, key);
    for (const other of [
      stripe.sdk.paymentIntents.create({ ...PARAMS, amount: 5_001 }, key),
      stripe.sdk.customers.create({}, key),
    ])
      expect(await catchError(other)).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  });
});

describe('planned failures', () => {
  test('a 500 has no effect; a lost reply had its effect, and the retry returns it', async () => {
    const before = await countIntents();
    const failure = { method: 'POST', path: '/v1/payment_intents' };
    stripe.standIn.failNext({ kind: 'server_error', ...failure });
    await stripe.sdk.customers.create();
    const key = { idempotencyKey: randomUUID() };
    const create = () => stripe.sdk.paymentIntents.create(PARAMS, key);
    expect(await catchError(create())).toMatchObject({ statusCode: 500 });
    expect(await countIntents()).toBe(before);
    // The SDK always repeats once when a connection is closed.
    stripe.standIn.failNext({ kind: 'lost_reply', times: 2, ...failure });
    expect(await catchError(create())).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(await countIntents()).toBe(before + 1);
    const { id } = await create();
    expect(stripe.standIn.events().at(-1)?.data.object).toMatchObject({ id });
    expect(await countIntents()).toBe(before + 1);
  });
});

// The tests of the dashboard pay with it in a browser.
test('serves a stand-in for Stripe.js, whose calls a page of every origin can make', async () => {
  const script = await fetch(`${stripe.standIn.url}/v3/`);
  expect(script.headers.get('content-type')).toContain('text/javascript');
  expect(await script.text()).toContain('window.Stripe');
  const { headers } = await fetch(`${stripe.standIn.url}/v1/payment_intents/pi_1/confirm`, {
    method: 'OPTIONS',
    headers: { Origin: 'http://seller.test', 'Access-Control-Request-Headers': 'authorization' },
  });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-headers')).toBe('authorization');
  expect((await fetch(`${stripe.standIn.url}/health`)).status).toBe(200);
});
