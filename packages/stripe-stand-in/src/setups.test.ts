/** Stored cards: setup intents, payment methods, and payments without their payers. */
import { afterAll, describe, expect, test } from 'vitest';
import { catchError, postAsPayer, startWithSdk } from './testing.ts';

const stripe = await startWithSdk();
afterAll(() => stripe.standIn.close());

const newSetup = async () => {
  const { id: customer } = await stripe.sdk.customers.create();
  return stripe.sdk.setupIntents.create({
    customer,
    usage: 'off_session',
    allowed_payment_method_types: ['card'],
  });
};
/** Stores a card and returns the payment method with its customer. */
const store = async (card: string) => {
  const { id, customer } = await newSetup();
  const confirmed = await stripe.sdk.setupIntents.confirm(id, { payment_method: card });
  if (confirmed.status === 'requires_action') await stripe.standIn.authenticateSetup(id, true);
  const { payment_method: method } = await stripe.sdk.setupIntents.retrieve(id);
  return { customer: String(customer), payment_method: String(method) };
};
const charge = (stored: { customer: string; payment_method: string }, amount = 2_000) =>
  stripe.sdk.paymentIntents.create({ ...stored, amount, currency: 'usd', off_session: true, confirm: true });

test('a payer stores a card with the client secret of the setup alone', async () => {
  const { id, client_secret } = await newSetup();
  const url = `${stripe.standIn.url}/v1/setup_intents/${id}/confirm`;
  const card = {
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': '4242 4242 4242 4242',
    'payment_method_data[card][exp_month]': '7',
    'payment_method_data[card][exp_year]': '41',
    'payment_method_data[card][cvc]': '123',
  };
  expect((await postAsPayer(url, { ...card, client_secret: `${id}_secret_other` })).status).toBe(404);
  const { status, body } = await postAsPayer(url, { ...card, client_secret: String(client_secret) });
  expect({ status, of: body.status }).toEqual({ status: 200, of: 'succeeded' });
  expect(body).not.toHaveProperty('metadata');
  const method = await stripe.sdk.paymentMethods.retrieve(String(body.payment_method));
  expect(method.card).toMatchObject({ brand: 'visa', last4: '4242', exp_month: 7, exp_year: 2041 });
  expect((await postAsPayer(url, { ...card, client_secret: String(client_secret) })).status).toBe(400);
});

describe('a payment without its payer', () => {
  test('succeeds with a stored card', async () => {
    expect((await charge(await store('pm_card_visa'))).status).toBe('succeeded');
  });

  test.each([
    ['pm_card_authenticationRequired', 'authentication_required'],
    ['pm_card_chargeCustomerFail', 'card_declined'],
  ])('is declined with %s: %s, and the error has the payment', async (card, code) => {
    const error = await catchError(charge(await store(card)));
    expect(error).toMatchObject({ statusCode: 402, code });
    expect(error.payment_intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code },
    });
  });

  test('that needs authentication is completed by its payer', async () => {
    const stored = await store('pm_card_authenticationRequired');
    const { payment_intent: intent } = await catchError(charge(stored));
    const url = `${stripe.standIn.url}/v1/payment_intents/${intent?.id}/confirm`;
    const { client_secret } = intent ?? {};
    const form = { client_secret: String(client_secret), payment_method: stored.payment_method };
    const { body } = await postAsPayer(url, form);
    expect(body.status).toBe('requires_action');
    await stripe.standIn.authenticate(String(intent?.id), true);
    expect((await stripe.sdk.paymentIntents.retrieve(String(intent?.id))).status).toBe('succeeded');
  });

  test('uses no card of another customer, and none that was detached', async () => {
    const [stored, other] = [await store('pm_card_visa'), await store('pm_card_visa')];
    const { payment_method } = other;
    expect(await catchError(charge({ ...stored, payment_method }))).toMatchObject({ statusCode: 400 });
    await stripe.sdk.paymentMethods.detach(payment_method);
    expect(await catchError(charge(other))).toMatchObject({ statusCode: 400, param: 'payment_method' });
    expect(await catchError(stripe.sdk.paymentMethods.detach(payment_method))).toMatchObject({
      statusCode: 400,
    });
  });
});

test('a declined card is not stored, and one whose authentication failed neither', async () => {
  const { id } = await newSetup();
  const declined = stripe.sdk.setupIntents.confirm(id, { payment_method: 'pm_card_chargeDeclined' });
  expect(await catchError(declined)).toMatchObject({ code: 'card_declined' });
  await stripe.sdk.setupIntents.confirm(id, { payment_method: 'pm_card_authenticationRequired' });
  await stripe.standIn.authenticateSetup(id, false);
  expect(await stripe.sdk.setupIntents.retrieve(id)).toMatchObject({
    status: 'requires_payment_method',
    payment_method: null,
    last_setup_error: { code: 'setup_intent_authentication_failure' },
  });
});
