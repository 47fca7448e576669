import Stripe from 'stripe';
import { expect, test } from 'vitest';
import {
  errorOf,
  postControl,
  type Received,
  SECRET_KEY,
  sdkFor,
  startKit,
  startReceiver,
} from './test-kit.ts';

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
  const kit = await startKit({ webhooks: [{ url: receiver.url, secrets: [OLD_SECRET] }] });
  return {
    ...kit,
    receiver,
    async [Symbol.asyncDispose]() {
      await kit.standIn.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const verify = ({ payload, signature }: Received | { payload: string; signature: string }, secret: string) =>
  new Stripe('sk_test').webhooks.constructEvent(payload, signature, secret);

test('a payment is delivered as events that the SDK verifies', async () => {
  await using kit = await startReceiving();
  const intent = await kit.pay();
  await kit.standIn.idle();
  expect(kit.receiver.types().toSorted()).toEqual(PAYMENT_TYPES.toSorted());
  const events = kit.receiver.received.map((received) => verify(received, OLD_SECRET));
  const succeeded = events.find(({ type }) => type === 'payment_intent.succeeded');
  expect(succeeded).toMatchObject({
    api_version: Stripe.API_VERSION,
    livemode: false,
    pending_webhooks: 1,
    request: { id: expect.stringMatching(/^req_/), idempotency_key: expect.any(String) },
    data: { object: intent },
  });
  expect(await kit.sdk.events.retrieve(String(succeeded?.id))).toMatchObject({ pending_webhooks: 0 });
});

test('an event shows its object as it was then', async () => {
  await using kit = await startReceiving();
  const { id } = await kit.pay();
  await kit.sdk.refunds.create({ payment_intent: id });
  await kit.standIn.idle();
  const objects = (await kit.sdk.events.list({ types: ['payment_intent.created', 'charge.succeeded'] })).data;
  expect(objects.map(({ data }) => data.object)).toMatchObject([
    { object: 'charge', amount_refunded: 0, balance_transaction: null },
    { object: 'payment_intent', status: 'requires_confirmation', latest_charge: null },
  ]);
});

test('while a secret is replaced both verify, and afterwards the new one only', async () => {
  await using kit = await startReceiving();
  const { url, received } = kit.receiver;
  kit.standIn.setEndpoints([{ url, secrets: [OLD_SECRET, NEW_SECRET] }]);
  await kit.pay();
  await kit.standIn.idle();
  const both = received.splice(0);
  expect(both).toHaveLength(4);
  for (const each of both) {
    expect(verify(each, OLD_SECRET)).toEqual(verify(each, NEW_SECRET));
    expect(() => verify(each, 'whsec_other')).toThrow(Stripe.errors.StripeSignatureVerificationError);
    expect(() => verify({ ...each, payload: `${each.payload} ` }, OLD_SECRET)).toThrow('signature');
  }
  await postControl(kit.standIn.url, '/webhooks', { endpoints: [{ url, secrets: [NEW_SECRET] }] });
  await kit.pay();
  await kit.standIn.idle();
  expect(received).toHaveLength(4);
  for (const each of received) {
    expect(verify(each, NEW_SECRET).object).toBe('event');
    expect(() => verify(each, OLD_SECRET)).toThrow(Stripe.errors.StripeSignatureVerificationError);
  }
});

test('a receiver that answers no 2xx gets the same event again until it does', async () => {
  await using kit = await startReceiving([500, 302, 503]);
  await kit.sdk.customers.create();
  await kit.standIn.idle();
  expect(kit.standIn.attempts.map(({ status }) => status)).toEqual([500, 302, 503, 200]);
  const payloads = kit.receiver.received.map(({ payload }) => payload);
  expect(payloads).toHaveLength(4);
  expect(new Set(payloads).size).toBe(1);
});

test('a receiver that starts late gets what it has missed', async () => {
  await using receiver = await startReceiver();
  const { url } = receiver;
  await using kit = await startKit({ webhooks: [{ url: 'http://127.0.0.1:1/', secrets: [OLD_SECRET] }] });
  kit.standIn.setDelivery({ isHeld: true });
  await kit.sdk.customers.create();
  expect(await kit.standIn.flush()).toMatchObject([{ status: null }]);
  kit.standIn.setEndpoints([{ url, secrets: [NEW_SECRET] }]);
  await kit.standIn.deliver(kit.standIn.events().map(({ id }) => id));
  expect(receiver.types()).toEqual(['customer.created']);
});

test('held events come when they are flushed, in the order that is asked for', async () => {
  await using kit = await startReceiving();
  kit.standIn.setDelivery({ isHeld: true });
  await kit.pay();
  expect(kit.standIn.held()).toHaveLength(4);
  expect(kit.receiver.received).toEqual([]);
  await kit.standIn.flush('reversed');
  expect(kit.receiver.types()).toEqual(PAYMENT_TYPES.toReversed());
  expect(await kit.standIn.flush()).toEqual([]);

  await kit.pay();
  kit.receiver.received.length = 0;
  await kit.standIn.flush('created');
  expect(kit.receiver.types()).toEqual(PAYMENT_TYPES);

  await Promise.all(Array.from({ length: 10 }, () => kit.pay()));
  kit.receiver.received.length = 0;
  const created = kit.standIn.held();
  await postControl(kit.standIn.url, '/flush', { order: 'shuffled' });
  const shuffled = kit.receiver.received.map(({ payload }) => JSON.parse(payload).id);
  expect(shuffled).not.toEqual(created);
  expect(shuffled.toSorted()).toEqual(created.toSorted());
});

test('a flushed event that is refused is retried', async () => {
  await using kit = await startReceiving([500]);
  kit.standIn.setDelivery({ isHeld: true });
  await kit.sdk.customers.create();
  await kit.standIn.flush();
  await kit.standIn.idle();
  expect(kit.standIn.attempts.map(({ status }) => status)).toEqual([500, 200]);
});

test('events come twice, at once as well as held', async () => {
  await using kit = await startReceiving();
  kit.standIn.setDelivery({ copies: 2 });
  await kit.pay();
  await kit.standIn.idle();
  expect(kit.receiver.types().toSorted()).toEqual([...PAYMENT_TYPES, ...PAYMENT_TYPES].toSorted());
  kit.receiver.received.length = 0;
  kit.standIn.setDelivery({ isHeld: true });
  await kit.sdk.customers.create();
  await kit.standIn.flush();
  expect(kit.receiver.types()).toEqual(['customer.created', 'customer.created']);
});

test('events come late', async () => {
  await using kit = await startReceiving();
  await postControl(kit.standIn.url, '/delivery', { delayMs: 150 });
  const startMs = performance.now();
  await kit.sdk.customers.create();
  expect(kit.receiver.received).toEqual([]);
  await kit.standIn.idle();
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(149);
  expect(kit.receiver.types()).toEqual(['customer.created']);
});

test('chosen events are delivered again in the chosen order', async () => {
  await using kit = await startReceiving();
  await kit.pay();
  await kit.standIn.idle();
  kit.receiver.received.length = 0;
  const ids = kit.standIn.events().map(({ id }) => id);
  const chosen = [ids[2], ids[0], ids[2]].map(String);
  const { body } = await postControl(kit.standIn.url, '/deliver', { events: chosen });
  expect(body).toMatchObject({ data: chosen.map((eventId) => ({ eventId, status: 200 })) });
  expect(kit.receiver.received.map(({ payload }) => JSON.parse(payload).id)).toEqual(chosen);
  await expect(kit.standIn.deliver(['evt_none'])).rejects.toThrow('evt_none');
});

test('what happened is listed to the secret key', async () => {
  await using kit = await startReceiving();
  await kit.sdk.customers.create();
  await kit.standIn.idle();
  kit.standIn.setDelivery({ isHeld: true });
  await kit.sdk.customers.create();
  const list = async (name: string) => {
    const headers = { Authorization: `Bearer ${SECRET_KEY}` };
    return (await (await fetch(`${kit.standIn.url}/_control/${name}`, { headers })).json()) as object;
  };
  expect(await list('events')).toEqual({ data: kit.standIn.events() });
  expect(await list('held')).toEqual({ data: [kit.standIn.events()[1]?.id] });
  expect(await list('attempts')).toMatchObject({ data: [{ type: 'customer.created', status: 200 }] });
  expect(await list('requests')).toMatchObject({
    data: Array(2).fill({ method: 'POST', path: '/v1/customers' }),
  });
  expect((await fetch(`${kit.standIn.url}/_control/events`)).status).toBe(401);
});

test('every endpoint gets every event', async () => {
  await using one = await startReceiver();
  await using other = await startReceiver();
  await using kit = await startKit();
  kit.standIn.setEndpoints([one, other].map(({ url }) => ({ url, secrets: [OLD_SECRET] })));
  await kit.sdk.customers.create();
  await kit.standIn.idle();
  expect([one.types(), other.types()]).toEqual([['customer.created'], ['customer.created']]);
});

test('closing ends what is under way', async () => {
  await using kit = await startReceiving(Array(100).fill(500));
  await kit.sdk.customers.create();
  await expect.poll(() => kit.standIn.attempts.length).toBeGreaterThan(0);
  await kit.standIn.close();
  expect(await errorOf(sdkFor(kit.standIn.port, 'sk_test').customers.create())).toMatchObject({
    type: 'StripeConnectionError',
  });
});
