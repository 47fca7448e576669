import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { catchError, PUBLISHABLE_KEY, postControl, SECRET_KEY, sdkFor, startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());
afterEach(() => {
  vi.useRealTimers();
});

const PARAMS = { amount: 5_000, currency: 'usd', metadata: { one: '1', two: '2' } };

const intentCount = () =>
  stripe.standIn.events().filter(({ type }) => type === 'payment_intent.created').length;

/** Sends a request without the SDK, which hides the headers of the reply. */
async function post(path: string, form: Record<string, string>, key: string, apiKey = SECRET_KEY) {
  const reply = await fetch(`${stripe.standIn.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': key },
    body: new URLSearchParams(form),
  });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
}

describe('the same key', () => {
  test('with the same parameters returns the same reply again and has one effect', async () => {
    const [key, before] = [randomUUID(), intentCount()];
    const first = await post('/v1/payment_intents', { amount: '100', currency: 'usd' }, key);
    const second = await post('/v1/payment_intents', { currency: 'usd', amount: '100' }, key);
    expect(second.status).toBe(200);
    expect(second.body).toBe(first.body);
    expect(first.headers.get('Idempotent-Replayed')).toBeNull();
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    expect(second.headers.get('Original-Request')).toBe(first.headers.get('Request-Id'));
    expect(second.headers.get('Request-Id')).not.toBe(first.headers.get('Request-Id'));
    expect(second.headers.get('Idempotency-Key')).toBe(key);
    expect(intentCount()).toBe(before + 1);
  });

  test('returns the first reply also after the object has changed', async () => {
    const idempotencyKey = randomUUID();
    const created = await stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey });
    await stripe.sdk.paymentIntents.cancel(created.id);
    expect(await stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey })).toEqual(created);
  });

  test.for([
    ['amount', { ...PARAMS, amount: 5_001 }],
    ['metadata', { ...PARAMS, metadata: { one: '1', two: '3' } }],
    ['extra parameter', { ...PARAMS, description: 'x' }],
    ['missing parameter', { amount: 5_000, currency: 'usd' }],
  ] as const)('with another %s is an idempotency_error', async ([, other]) => {
    const idempotencyKey = randomUUID();
    await stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey });
    const before = intentCount();
    const error = await catchError(stripe.sdk.paymentIntents.create(other, { idempotencyKey }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(error).toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
    expect(intentCount()).toBe(before);
  });

  test('at another endpoint is an idempotency_error', async () => {
    const idempotencyKey = randomUUID();
    const [one, other] = [
      await stripe.sdk.paymentIntents.create(PARAMS),
      await stripe.sdk.paymentIntents.create(PARAMS),
    ];
    await stripe.sdk.paymentIntents.cancel(one.id, {}, { idempotencyKey });
    const error = await catchError(stripe.sdk.paymentIntents.cancel(other.id, {}, { idempotencyKey }));
    expect(error).toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
  });

  test('in concurrent requests has one effect', async () => {
    const { id: payment_intent } = await stripe.pay('pm_card_visa', 1_000);
    const idempotencyKey = randomUUID();
    const refunds = await Promise.all(
      Array.from({ length: 50 }, () =>
        stripe.sdk.refunds.create({ payment_intent, amount: 100 }, { idempotencyKey }),
      ),
    );
    expect(new Set(refunds.map(({ id }) => id)).size).toBe(1);
    expect((await stripe.sdk.refunds.list({ payment_intent })).data).toHaveLength(1);
  });

  test('returns a declined card again although it would succeed now', async () => {
    const { id } = await stripe.sdk.paymentIntents.create(PARAMS);
    const confirm = () =>
      stripe.sdk.paymentIntents.confirm(
        id,
        { payment_method: 'pm_card_chargeDeclined' },
        { idempotencyKey: `c-${id}` },
      );
    const first = await catchError(confirm());
    const second = await catchError(confirm());
    expect(second).toMatchObject({ statusCode: 402, code: 'card_declined', charge: first.charge });
    expect((await stripe.sdk.charges.list({ payment_intent: id })).data).toHaveLength(1);
  });

  test('stays unused when the parameters were refused', async () => {
    const idempotencyKey = randomUUID();
    const wrong = { ...PARAMS, amount: Number.NaN };
    expect(await catchError(stripe.sdk.paymentIntents.create(wrong, { idempotencyKey }))).toMatchObject({
      statusCode: 400,
      param: 'amount',
    });
    expect(await stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey })).toMatchObject({
      amount: 5_000,
    });
  });

  test('of a payer is a different key', async () => {
    const { id, client_secret } = await stripe.sdk.paymentIntents.create(PARAMS);
    const path = `/v1/payment_intents/${id}/confirm`;
    const form = { client_secret: String(client_secret), payment_method: 'pm_card_chargeDeclined' };
    expect((await post(path, form, 'shared')).body).toContain('"metadata"');
    const payers = await post(path, form, 'shared', PUBLISHABLE_KEY);
    expect(payers.headers.get('Idempotent-Replayed')).toBeNull();
    expect(payers.body).not.toContain('"one"');
  });

  test('expires after a day', async () => {
    const idempotencyKey = randomUUID();
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await stripe.sdk.customers.create({}, { idempotencyKey });
    vi.setSystemTime(Date.now() + 86_399_000);
    expect((await stripe.sdk.customers.create({}, { idempotencyKey })).id).toBe(first.id);
    vi.setSystemTime(Date.now() + 2_000);
    expect((await stripe.sdk.customers.create({}, { idempotencyKey })).id).not.toBe(first.id);
  });

  test('has at most 255 characters', async () => {
    const call = stripe.sdk.customers.create({}, { idempotencyKey: 'k'.repeat(256) });
    expect(await catchError(call)).toMatchObject({ statusCode: 400 });
  });
});

describe('planned failures', () => {
  test('500 and 429 happen before any effect', async () => {
    const before = intentCount();
    stripe.standIn.failNext({ kind: 'server_error' });
    stripe.standIn.failNext({ kind: 'rate_limit' });
    const idempotencyKey = randomUUID();
    const create = () => stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey });
    expect(await catchError(create())).toMatchObject({ statusCode: 500, rawType: 'api_error' });
    expect(await catchError(create())).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
    expect(intentCount()).toBe(before);
    await create();
    expect(intentCount()).toBe(before + 1);
  });

  test('a lost reply has had its effect, and the retry returns it', async () => {
    const before = intentCount();
    // The SDK always repeats once when a connection is closed.
    await postControl(stripe.standIn.url, '/failures', { kind: 'lost_reply', times: 2 });
    const idempotencyKey = randomUUID();
    const lost = await catchError(stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey }));
    expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(intentCount()).toBe(before + 1);
    const found = await stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey });
    expect(stripe.standIn.events().at(-1)?.data.object).toMatchObject({ id: found.id });
    expect(intentCount()).toBe(before + 1);
    const keys = stripe.standIn.requests.slice(-3).map((request) => request.idempotencyKey);
    expect(keys).toEqual([idempotencyKey, idempotencyKey, idempotencyKey]);
  });

  test('a 500 after the effect stays the reply of its key', async () => {
    const before = intentCount();
    stripe.standIn.failNext({ kind: 'server_error_after_effect' });
    const idempotencyKey = randomUUID();
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await catchError(stripe.sdk.paymentIntents.create(PARAMS, { idempotencyKey }))).toMatchObject({
        statusCode: 500,
      });
    expect(intentCount()).toBe(before + 1);
  });

  test('apply to the planned requests only', async () => {
    stripe.standIn.failNext({ kind: 'server_error', method: 'POST', path: '/v1/refunds' });
    await stripe.sdk.customers.create();
    await stripe.sdk.refunds.list();
    expect(await catchError(stripe.sdk.refunds.create({ payment_intent: 'pi_x' }))).toMatchObject({
      statusCode: 500,
    });
    expect(await catchError(stripe.sdk.refunds.create({ payment_intent: 'pi_x' }))).toMatchObject({
      statusCode: 400,
    });
  });

  test('are retried by the SDK', async () => {
    stripe.standIn.failNext({ kind: 'server_error' });
    stripe.standIn.failNext({ kind: 'lost_reply' });
    const before = intentCount();
    const patient = sdkFor(stripe.standIn.port, SECRET_KEY, { maxNetworkRetries: 3 });
    expect(await patient.paymentIntents.create(PARAMS)).toMatchObject({ amount: 5_000 });
    expect(intentCount()).toBe(before + 1);
  });
});
