import Stripe from 'stripe';
import { expect, test } from 'vitest';
import {
  catchError,
  postControl,
  type Received,
  SECRET_KEY,
  sdkFor,
  startReceiver,
  startWithSdk,
} from './testing.ts';

const OLD_SECRET = 'whsec_old';
const NEW_SECRET = 'whsec_new';
const PAYMENT_TYPES = [
  'payment_intent.created',
  'charge.succeeded',
  'payment_intent.succeeded',
  'charge.updated',
];

async function startReceiving(answers?: number[]) {
  const receiver = await startReceiver(answers);
  const stripe = await startWithSdk({ webhooks: [{ url: receiver.url, secrets: [OLD_SECRET] }] });
  return {
    ...stripe,
    receiver,
    async [Symbol.asyncDispose]() {
      await stripe.standIn.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const verify = ({ payload, signature }: Received | { payload: string; signature: string }, secret: string) =>
  new Stripe('sk_test').webhooks.constructEvent(payload, signature, secret);

test('a payment is delivered as events that the SDK verifies', async () => {
  await using stripe = await startReceiving();
  const intent = await stripe.pay();
  await stripe.standIn.idle();
  expect(stripe.receiver.types().toSorted()).toEqual(PAYMENT_TYPES.toSorted());
  const events = stripe.receiver.received.map((received) => verify(received, OLD_SECRET));
  const succeeded = events.find(({ type }) => type === 'payment_intent.succeeded');
  expect(succeeded).toMatchObject({
    api_version: Stripe.API_VERSION,
    livemode: false,
    pending_webhooks: 1,
    request: { id: expect.stringMatching(/^req_/), idempotency_key: expect.any(String) },
    data: { object: intent },
  });
  expect(await stripe.sdk.events.retrieve(String(succeeded?.id))).toMatchObject({ pending_webhooks: 0 });
});

test("an event has the object's state at its time", async () => {
  await using stripe = await startReceiving();
  const { id } = await stripe.pay();
  await stripe.sdk.refunds.create({ payment_intent: id });
  await stripe.standIn.idle();
  const objects = (await stripe.sdk.events.list({ types: ['payment_intent.created', 'charge.succeeded'] }))
    .data;
  expect(objects.map(({ data }) => data.object)).toMatchObject([
    { object: 'charge', amount_refunded: 0, balance_transaction: null },
    { object: 'payment_intent', status: 'requires_confirmation', latest_charge: null },
  ]);
});

test('during a secret rotation both secrets verify, afterwards only the new one', async () => {
  await using stripe = await startReceiving();
  const { url, received } = stripe.receiver;
  stripe.standIn.setEndpoints([{ url, secrets: [OLD_SECRET, NEW_SECRET] }]);
  await stripe.pay();
  await stripe.standIn.idle();
  const both = received.splice(0);
  expect(both).toHaveLength(4);
  for (const each of both) {
    expect(verify(each, OLD_SECRET)).toEqual(verify(each, NEW_SECRET));
    expect(() => verify(each, 'whsec_other')).toThrow(Stripe.errors.StripeSignatureVerificationError);
    expect(() => verify({ ...each, payload: `${each.payload} ` }, OLD_SECRET)).toThrow('signature');
  }
  await postControl(stripe.standIn.url, '/webhooks', { endpoints: [{ url, secrets: [NEW_SECRET] }] });
  await stripe.pay();
  await stripe.standIn.idle();
  expect(received).toHaveLength(4);
  for (const each of received) {
    expect(verify(each, NEW_SECRET).object).toBe('event');
    expect(() => verify(each, OLD_SECRET)).toThrow(Stripe.errors.StripeSignatureVerificationError);
  }
});

test('retries an event until the receiver returns 2xx', async () => {
  await using stripe = await startReceiving([500, 302, 503]);
  await stripe.sdk.customers.create();
  await stripe.standIn.idle();
  expect(stripe.standIn.attempts.map(({ status }) => status)).toEqual([500, 302, 503, 200]);
  const payloads = stripe.receiver.received.map(({ payload }) => payload);
  expect(payloads).toHaveLength(4);
  expect(new Set(payloads).size).toBe(1);
});

test('delivers missed events to a receiver that starts late', async () => {
  await using receiver = await startReceiver();
  const { url } = receiver;
  await using stripe = await startWithSdk({
    webhooks: [{ url: 'http://127.0.0.1:1/', secrets: [OLD_SECRET] }],
  });
  stripe.standIn.setDelivery({ isHeld: true });
  await stripe.sdk.customers.create();
  expect(await stripe.standIn.flush()).toMatchObject([{ status: null }]);
  stripe.standIn.setEndpoints([{ url, secrets: [NEW_SECRET] }]);
  await stripe.standIn.deliver(stripe.standIn.events().map(({ id }) => id));
  expect(receiver.types()).toEqual(['customer.created']);
});

test('delivers held events on flush, in the requested order', async () => {
  await using stripe = await startReceiving();
  stripe.standIn.setDelivery({ isHeld: true });
  await stripe.pay();
  expect(stripe.standIn.held()).toHaveLength(4);
  expect(stripe.receiver.received).toEqual([]);
  await stripe.standIn.flush('reversed');
  expect(stripe.receiver.types()).toEqual(PAYMENT_TYPES.toReversed());
  expect(await stripe.standIn.flush()).toEqual([]);

  await stripe.pay();
  stripe.receiver.received.length = 0;
  await stripe.standIn.flush('created');
  expect(stripe.receiver.types()).toEqual(PAYMENT_TYPES);

  await Promise.all(Array.from({ length: 10 }, () => stripe.pay()));
  stripe.receiver.received.length = 0;
  const created = stripe.standIn.held();
  await postControl(stripe.standIn.url, '/flush', { order: 'shuffled' });
  const shuffled = stripe.receiver.received.map(({ payload }) => JSON.parse(payload).id);
  expect(shuffled).not.toEqual(created);
  expect(shuffled.toSorted()).toEqual(created.toSorted());
});

test('retries a flushed event that is refused', async () => {
  await using stripe = await startReceiving([500]);
  stripe.standIn.setDelivery({ isHeld: true });
  await stripe.sdk.customers.create();
  await stripe.standIn.flush();
  await stripe.standIn.idle();
  expect(stripe.standIn.attempts.map(({ status }) => status)).toEqual([500, 200]);
});

test('delivers duplicates, immediate and held', async () => {
  await using stripe = await startReceiving();
  stripe.standIn.setDelivery({ copies: 2 });
  await stripe.pay();
  await stripe.standIn.idle();
  expect(stripe.receiver.types().toSorted()).toEqual([...PAYMENT_TYPES, ...PAYMENT_TYPES].toSorted());
  stripe.receiver.received.length = 0;
  stripe.standIn.setDelivery({ isHeld: true });
  await stripe.sdk.customers.create();
  await stripe.standIn.flush();
  expect(stripe.receiver.types()).toEqual(['customer.created', 'customer.created']);
});

test('delivers events with a delay', async () => {
  await using stripe = await startReceiving();
  await postControl(stripe.standIn.url, '/delivery', { delayMs: 150 });
  const startMs = performance.now();
  await stripe.sdk.customers.create();
  expect(stripe.receiver.received).toEqual([]);
  await stripe.standIn.idle();
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(149);
  expect(stripe.receiver.types()).toEqual(['customer.created']);
});

test('redelivers chosen events in the chosen order', async () => {
  await using stripe = await startReceiving();
  await stripe.pay();
  await stripe.standIn.idle();
  stripe.receiver.received.length = 0;
  const ids = stripe.standIn.events().map(({ id }) => id);
  const chosen = [ids[2], ids[0], ids[2]].map(String);
  const { body } = await postControl(stripe.standIn.url, '/deliver', { events: chosen });
  expect(body).toMatchObject({ data: chosen.map((eventId) => ({ eventId, status: 200 })) });
  expect(stripe.receiver.received.map(({ payload }) => JSON.parse(payload).id)).toEqual(chosen);
  await expect(stripe.standIn.deliver(['evt_none'])).rejects.toThrow('evt_none');
});

test('lists deliveries to the secret key', async () => {
  await using stripe = await startReceiving();
  await stripe.sdk.customers.create();
  await stripe.standIn.idle();
  stripe.standIn.setDelivery({ isHeld: true });
  await stripe.sdk.customers.create();
  const list = async (name: string) => {
    const headers = { Authorization: `Bearer ${SECRET_KEY}` };
    return (await (await fetch(`${stripe.standIn.url}/_control/${name}`, { headers })).json()) as object;
  };
  expect(await list('events')).toEqual({ data: stripe.standIn.events() });
  expect(await list('held')).toEqual({ data: [stripe.standIn.events()[1]?.id] });
  expect(await list('attempts')).toMatchObject({ data: [{ type: 'customer.created', status: 200 }] });
  expect(await list('requests')).toMatchObject({
    data: Array(2).fill({ method: 'POST', path: '/v1/customers' }),
  });
  expect((await fetch(`${stripe.standIn.url}/_control/events`)).status).toBe(401);
});

test('every endpoint gets every event', async () => {
  await using one = await startReceiver();
  await using other = await startReceiver();
  await using stripe = await startWithSdk();
  stripe.standIn.setEndpoints([one, other].map(({ url }) => ({ url, secrets: [OLD_SECRET] })));
  await stripe.sdk.customers.create();
  await stripe.standIn.idle();
  expect([one.types(), other.types()]).toEqual([['customer.created'], ['customer.created']]);
});

test('closing ends deliveries in flight', async () => {
  await using stripe = await startReceiving(Array(100).fill(500));
  await stripe.sdk.customers.create();
  await expect.poll(() => stripe.standIn.attempts.length).toBeGreaterThan(0);
  await stripe.standIn.close();
  expect(await catchError(sdkFor(stripe.standIn.port, 'sk_test').customers.create())).toMatchObject({
    type: 'StripeConnectionError',
  });
});
