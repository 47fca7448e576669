import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catchError, SECRET_KEY, sdkFor, startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());

const PARAMS = { amount: 100, currency: 'usd' };

/** Sends a parameter of any name and value, which the SDK's types do not allow. */
const send = async (params: Record<string, string>) => {
  const reply = await fetch(`${stripe.standIn.url}/v1/payment_intents`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${SECRET_KEY}` },
    body: new URLSearchParams(params),
  });
  return { status: reply.status, body: await reply.json() };
};

describe('keys', () => {
  test('refuses a wrong key and a missing key', async () => {
    for (const key of ['sk_test_other', 'pk_test_other']) {
      const error = await catchError(sdkFor(stripe.standIn.port, key).customers.list());
      expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
      expect(error).toMatchObject({ statusCode: 401, rawType: 'invalid_request_error' });
    }
    expect((await fetch(`${stripe.standIn.url}/v1/customers`)).status).toBe(401);
  });

  test('accepts the key as the user name of basic authentication', async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`${SECRET_KEY}:`).toString('base64')}` };
    expect((await fetch(`${stripe.standIn.url}/v1/customers`, { headers })).status).toBe(200);
  });

  test('every reply has an id, and another API version is refused', async () => {
    const { lastResponse } = await stripe.sdk.customers.list();
    expect(lastResponse.requestId).toMatch(/^req_\w+$/);
    expect(lastResponse.apiVersion).toBe(Stripe.API_VERSION);
    const missing = await fetch(`${stripe.standIn.url}/v1/nothing`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get('Request-Id')).toMatch(/^req_\w+$/);
    const headers = { Authorization: `Bearer ${SECRET_KEY}`, 'Stripe-Version': '2019-01-01' };
    expect((await fetch(`${stripe.standIn.url}/v1/customers`, { headers })).status).toBe(400);
  });
});

describe('parameters', () => {
  test.for([
    [{ currency: 'usd' }, 'parameter_missing', 'amount'],
    [{ amount: 'ten', currency: 'usd' }, undefined, 'amount'],
    [{ amount: '1.5', currency: 'usd' }, undefined, 'amount'],
    [{ amount: '49', currency: 'usd' }, 'amount_too_small', 'amount'],
    [{ amount: '100000000', currency: 'usd' }, 'amount_too_large', 'amount'],
    [{ amount: '100', currency: 'xyz' }, undefined, 'currency'],
    [{ amount: '100', currency: '' }, 'parameter_invalid_empty', 'currency'],
    [{ amount: '100', currency: 'usd', color: 'red' }, 'parameter_unknown', 'color'],
    [{ amount: '100', currency: 'usd', 'metadata[k]': 'v'.repeat(501) }, undefined, 'metadata[k]'],
    [
      { amount: '100', currency: 'usd', 'automatic_payment_methods[on]': 'true' },
      'parameter_missing',
      'automatic_payment_methods[enabled]',
    ],
    [{ amount: '100', currency: 'usd', customer: 'cus_none' }, 'resource_missing', 'customer'],
  ] as const)('refuses %j', async ([params, code, param]) => {
    const { status, body } = await send(params as Record<string, string>);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: expect.any(String), param } },
    });
    expect((body as { error: { code?: string } }).error.code).toBe(code);
  });

  test('stores metadata of 50 keys unchanged and refuses 51', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key ${n} & ü`, `v=${n}`]));
    const { id } = await stripe.sdk.customers.create({ metadata });
    expect(await stripe.sdk.customers.retrieve(id)).toMatchObject({ metadata });
    const more = { ...metadata, more: '1' };
    expect(await catchError(stripe.sdk.customers.create({ metadata: more }))).toMatchObject({
      param: 'metadata',
    });
  });

  test('an unknown id is not found', async () => {
    for (const call of [
      stripe.sdk.paymentIntents.retrieve('pi_none'),
      stripe.sdk.customers.retrieve('cus_none'),
      stripe.sdk.refunds.retrieve('re_none'),
      stripe.sdk.disputes.retrieve('du_none'),
      stripe.sdk.charges.retrieve('ch_none'),
      stripe.sdk.events.retrieve('evt_none'),
    ])
      expect(await catchError(call)).toMatchObject({
        statusCode: 404,
        code: 'resource_missing',
        param: 'id',
      });
  });
});

describe('lists', () => {
  test('are returned page by page, newest first', async () => {
    const { id: customer } = await stripe.sdk.customers.create();
    const created: string[] = [];
    for (let n = 0; n < 25; n++)
      created.push((await stripe.sdk.paymentIntents.create({ ...PARAMS, customer })).id);
    const newest = created.toReversed();
    const all = stripe.sdk.paymentIntents.list({ customer, limit: 10 });
    expect((await all.autoPagingToArray({ limit: 100 })).map(({ id }) => id)).toEqual(newest);

    const page = async (params: Stripe.PaymentIntentListParams) => {
      const { data, has_more } = await stripe.sdk.paymentIntents.list({ customer, ...params });
      return { ids: data.map(({ id }) => id), has_more };
    };
    expect(await page({})).toEqual({ ids: newest.slice(0, 10), has_more: true });
    const after = { starting_after: String(newest[19]) };
    expect(await page(after)).toEqual({ ids: newest.slice(20), has_more: false });
    expect(await page({ limit: 5, ...after })).toEqual({ ids: newest.slice(20), has_more: false });
    expect(await page({ limit: 4, ...after })).toEqual({ ids: newest.slice(20, 24), has_more: true });
    const before = { ending_before: String(newest[5]), limit: 3 };
    expect(await page(before)).toEqual({ ids: newest.slice(2, 5), has_more: true });
    expect(await page({ ...before, limit: 5 })).toEqual({ ids: newest.slice(0, 5), has_more: false });
    expect(await catchError(page({ starting_after: 'pi_none' }))).toMatchObject({ param: 'starting_after' });
    for (const limit of [0, 101]) expect(await catchError(page({ limit }))).toMatchObject({ param: 'limit' });
  });

  test('can be filtered by creation time', async () => {
    const { id: customer } = await stripe.sdk.customers.create();
    const { created } = await stripe.sdk.paymentIntents.create({ ...PARAMS, customer });
    const count = async (range: Stripe.RangeQueryParam | number) =>
      (await stripe.sdk.paymentIntents.list({ customer, created: range })).data.length;
    const counts = [
      await count({ gte: created }),
      await count({ lte: created }),
      await count({ gt: created - 1, lt: created + 1 }),
      await count(created),
      await count({ gt: created }),
      await count({ lt: created }),
      await count({ gte: created + 1 }),
      await count({ lte: created - 1 }),
      await count(created + 1),
    ];
    expect(counts).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  test('of refunds and charges can be filtered by payment', async () => {
    const [one, other] = [await stripe.pay(), await stripe.pay()];
    const refund = await stripe.sdk.refunds.create({ payment_intent: one.id });
    const { created } = refund;
    expect((await stripe.sdk.refunds.list({ payment_intent: one.id })).data).toEqual([refund]);
    expect((await stripe.sdk.refunds.list({ payment_intent: other.id })).data).toEqual([]);
    expect((await stripe.sdk.refunds.list({ created: { gte: created }, limit: 1 })).data).toEqual([refund]);
    expect((await stripe.sdk.charges.list({ payment_intent: other.id })).data).toMatchObject([
      { id: other.latest_charge },
    ]);
  });
});

describe('expand', () => {
  test('replaces ids by objects, also in lists', async () => {
    const { id: customer } = await stripe.sdk.customers.create({ email: 'payer@example.test' });
    const { id } = await stripe.sdk.paymentIntents.create({
      ...PARAMS,
      customer,
      payment_method: 'pm_card_visa',
      confirm: true,
    });
    const expand = ['latest_charge.balance_transaction', 'customer', 'payment_method'];
    const expanded = {
      customer: { id: customer, email: 'payer@example.test' },
      latest_charge: { payment_intent: id, balance_transaction: { type: 'charge', amount: 100 } },
      payment_method: { card: { last4: '4242' } },
    };
    expect(await stripe.sdk.paymentIntents.retrieve(id, { expand })).toMatchObject(expanded);
    const list = await stripe.sdk.paymentIntents.list({
      customer,
      expand: expand.map((path) => `data.${path}`),
    });
    expect(list.data).toMatchObject([expanded]);
    expect(await stripe.sdk.paymentIntents.retrieve(id)).toMatchObject({ customer });
  });

  test('keeps null, and refuses a field that is not a reference', async () => {
    const { id } = await stripe.sdk.paymentIntents.create(PARAMS);
    const retrieve = (path: string) => stripe.sdk.paymentIntents.retrieve(id, { expand: [path] });
    expect(await retrieve('latest_charge.balance_transaction')).toMatchObject({ latest_charge: null });
    expect(await catchError(retrieve('client_secret'))).toMatchObject({ statusCode: 400, param: 'expand' });
    expect(await catchError(retrieve('customer.customer.customer.customer.customer'))).toMatchObject({
      statusCode: 400,
    });
  });
});

test('answers and logs a hundred concurrent requests', async () => {
  const seen = stripe.standIn.requests.length;
  const intents = await Promise.all(Array.from({ length: 100 }, () => stripe.pay()));
  expect(new Set(intents.map(({ id }) => id)).size).toBe(100);
  expect(intents.every(({ status }) => status === 'succeeded')).toBe(true);
  const logged = stripe.standIn.requests.slice(seen);
  expect(logged).toHaveLength(100);
  expect(logged[0]).toEqual({
    method: 'POST',
    path: '/v1/payment_intents',
    idempotencyKey: expect.stringMatching(/^stripe-node-retry-/),
  });
});
