import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { catchError, type Received, sdkFor, startReceiver, startWithSdk } from './testing.ts';

const SECRETS = ['whsec_old', 'whsec_new'];
const PAYMENT_TYPES = ['payment_intent.created', 'payment_intent.succeeded'];

async function startReceiving(answers?: number[]) {
  const receiver = await startReceiver(answers);
  const stripe = await startWithSdk({ webhook: { url: receiver.url, secrets: SECRETS } });
  return {
    ...stripe,
    receiver,
    async [Symbol.asyncDispose]() {
      await stripe.standIn.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const verify = ({ payload, signature }: Received, secret: string) =>
  new Stripe('sk_test').webhooks.constructEvent(payload, signature, secret);

test('a payment is delivered as events of its states, which the SDK verifies by every secret', async () => {
  await using stripe = await startReceiving();
  const intent = await stripe.pay();
  await stripe.standIn.idle();
  expect(stripe.receiver.types().toSorted()).toEqual(PAYMENT_TYPES);
  for (const secret of SECRETS) {
    const events = stripe.receiver.received.map((received) => verify(received, secret));
    const objectOf = (type: string) => events.find((event) => event.type === type)?.data.object;
    expect(objectOf('payment_intent.created')).toMatchObject({ status: 'requires_payment_method' });
    expect(objectOf('payment_intent.succeeded')).toMatchObject({ id: intent.id, status: 'succeeded' });
  }
  const [first] = stripe.receiver.received as [Received];
  expect(() => verify(first, 'whsec_other')).toThrow(Stripe.errors.StripeSignatureVerificationError);
});

test('an event is sent until the receiver returns 2xx', async () => {
  await using stripe = await startReceiving([500, 302, 503]);
  await stripe.sdk.paymentIntents.create({ amount: 500, currency: 'usd' });
  await stripe.standIn.idle();
  expect(stripe.standIn.attempts.map(({ status }) => status)).toEqual([500, 302, 503, 200]);
  expect(new Set(stripe.receiver.received.map(({ payload }) => payload)).size).toBe(1);
});

test('held events are sent on flush, in as many copies as are set, and again when refused', async () => {
  await using stripe = await startReceiving([500]);
  stripe.standIn.setDelivery({ isHeld: true, copies: 2 });
  await stripe.pay();
  expect(stripe.receiver.received).toEqual([]);
  expect(await stripe.standIn.flush()).toHaveLength(4);
  await stripe.standIn.idle();
  expect(stripe.standIn.attempts.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 500]);
  expect(await stripe.standIn.flush()).toEqual([]);
});

test('chosen events are delivered again in the chosen order', async () => {
  await using stripe = await startReceiving();
  await stripe.pay();
  await stripe.standIn.idle();
  stripe.receiver.received.length = 0;
  const [created, succeeded] = stripe.standIn.events().map(({ id }) => id) as [string, string];
  const chosen = [succeeded, created, succeeded];
  expect(await stripe.standIn.deliver(chosen)).toMatchObject(
    chosen.map((eventId) => ({ eventId, status: 200 })),
  );
  expect(stripe.receiver.received.map(({ payload }) => JSON.parse(payload).id)).toEqual(chosen);
  expect(() => stripe.standIn.deliver(['evt_none'])).toThrow('evt_none');
});

test('closing ends deliveries in flight', async () => {
  await using stripe = await startReceiving(Array(100).fill(500));
  await stripe.pay();
  await expect.poll(() => stripe.standIn.attempts.length).toBeGreaterThan(0);
  await stripe.standIn.close();
  expect(await catchError(sdkFor(stripe.standIn.port, 'sk_test').customers.create())).toMatchObject({
    type: 'StripeConnectionError',
  });
});
