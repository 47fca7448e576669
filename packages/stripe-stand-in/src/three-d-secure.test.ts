import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchError, postAsPayer, postControl, startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());

test.for(['pm_card_authenticationRequired', 'pm_card_threeDSecure2Required', 'pm_card_threeDSecureRequired'])(
  '%s pays once the payer has authenticated',
  async (card) => {
    const intent = await stripe.pay(card);
    expect(intent).toMatchObject({
      status: 'requires_action',
      latest_charge: null,
      next_action: { type: 'use_stripe_sdk' },
    });
    await stripe.standIn.authenticate(intent.id, true);
    expect(await stripe.sdk.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: 'succeeded',
      next_action: null,
    });
    expect(stripe.typesAbout(intent)).toEqual([
      'payment_intent.created',
      'payment_intent.requires_action',
      'charge.succeeded',
      'payment_intent.succeeded',
      'charge.updated',
    ]);
    const again = stripe.standIn.authenticate(intent.id, true);
    await expect(again).rejects.toMatchObject({ status: 400 });
  },
);

test('a failed authentication does not pay', async () => {
  const intent = await stripe.pay('pm_card_authenticationRequired');
  const path = `/payment_intents/${intent.id}/authenticate`;
  await postControl(stripe.standIn.url, path, { outcome: 'failed' });
  expect(await stripe.sdk.paymentIntents.retrieve(intent.id)).toMatchObject({
    status: 'requires_payment_method',
    latest_charge: null,
    last_payment_error: { code: 'payment_intent_authentication_failure' },
  });
  expect(stripe.typesAbout(intent).at(-1)).toBe('payment_intent.payment_failed');
});

test('a bank can decline after authentication', async () => {
  const intent = await stripe.pay('pm_card_authenticationRequiredChargeDeclinedInsufficientFunds');
  expect(await stripe.standIn.authenticate(intent.id, true)).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { decline_code: 'insufficient_funds' },
  });
});

test('the page of the bank redirects to the seller', async () => {
  const intent = await stripe.sdk.paymentIntents.create({ amount: 5_000, currency: 'usd' });
  const form = {
    client_secret: String(intent.client_secret),
    payment_method: 'pm_card_authenticationRequired',
    return_url: 'http://seller.test/paid?order=1',
  };
  const { body } = await postAsPayer(`${stripe.standIn.url}/v1/payment_intents/${intent.id}/confirm`, form);
  const page = String(body.next_action?.redirect_to_url?.url);
  expect(await (await fetch(page)).text()).toContain('5000');
  expect((await fetch(page.replace(/_secret_\w+/, '_secret_other'))).status).toBe(404);
  const outcome = new URLSearchParams({ outcome: 'succeeded' });
  const reply = await fetch(page, { method: 'POST', body: outcome, redirect: 'manual' });
  expect(reply.status).toBe(303);
  const back = new URL(String(reply.headers.get('Location')));
  expect(Object.fromEntries(back.searchParams)).toEqual({
    order: '1',
    payment_intent: intent.id,
    payment_intent_client_secret: intent.client_secret,
    redirect_status: 'succeeded',
  });
});

test('an absent payer cannot authenticate', async () => {
  const call = stripe.sdk.paymentIntents.create({
    amount: 5_000,
    currency: 'usd',
    payment_method: 'pm_card_authenticationRequired',
    confirm: true,
    off_session: true,
  });
  expect(await catchError(call)).toMatchObject({ statusCode: 402, code: 'authentication_required' });
});
