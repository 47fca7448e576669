import {
  call,
  describeBadBodies,
  expectError,
  hex,
  newAccount,
  post,
  type Reply,
  stack,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa, multisig } from '@latchkey/testing/wallet-proof';
import { describe, expect, test, vi } from 'vitest';
import { ownPayments, readCredit, readLedger, stripe } from '../../../test/credit.ts';
import { ownRelayer } from '../../../test/own-relayer.ts';

// Starting a relayer takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const path = 'billing/create_payment_intent';
const body = { amount_cents: 500 };
const account = await newAccount();
const expectIntentId = ({ status, body: reply }: Reply): string => {
  expect(status).toBe(200);
  return (reply as { payment_intent_id: string }).payment_intent_id;
};
const countIntents = async (customer: string) => (await stripe.paymentIntents.list({ customer })).data.length;

describe('200', () => {
  test('creates an intent over the amount for the customer of the account, without credit', async () => {
    const before = await readLedger({ 'X-Api-Key': account.key });
    const reply = await post(path, { amount_cents: 1_999 }, account.key);
    const id = expectIntentId(reply);
    expect(Object.keys(reply.body as object).sort()).toEqual(['client_secret', 'payment_intent_id']);
    const intent = await stripe.paymentIntents.retrieve(id);
    const metadata = {
      account: hex(account.hash),
      deployment: `${stack.chainId}:${stack.contractAddress}`,
    };
    expect(intent).toMatchObject({
      amount: 1_999,
      currency: 'usd',
      client_secret: (reply.body as { client_secret: string }).client_secret,
      status: 'requires_payment_method',
      metadata,
    });
    const customer = await stripe.customers.retrieve(intent.customer as string);
    expect(customer).toMatchObject({ metadata });
    expect(await readLedger({ 'X-Api-Key': account.key })).toEqual(before);
  });

  test('uses one customer for all payments of an account, also for concurrent ones', async () => {
    const { key } = await newAccount();
    const replies = await Promise.all([1, 2, 3, 4].map(() => post(path, body, key)));
    replies.push(await post(path, body, key));
    const ids = replies.map(expectIntentId);
    expect(new Set(ids).size).toBe(5);
    const intents = await Promise.all(ids.map((id) => stripe.paymentIntents.retrieve(id)));
    expect(new Set(intents.map(({ customer }) => customer)).size).toBe(1);
    expect(await countIntents(intents[0]?.customer as string)).toBe(5);
  });

  test('accepts the minimum and maximum amounts', async () => {
    expectIntentId(await post(path, { amount_cents: 500 }, account.key));
    expectIntentId(await post(path, { amount_cents: 99_999_999 }, account.key));
  });

  test('creates one intent per Idempotency-Key', async () => {
    const { key } = await newAccount();
    const headers = { 'Idempotency-Key': 'one intent' };
    const replies = await Promise.all([1, 2, 3].map(() => post(path, body, key, headers)));
    replies.push(await post(path, body, key, headers));
    const { customer } = await stripe.paymentIntents.retrieve(expectIntentId(replies[0] as Reply));
    for (const reply of replies) expect(reply.body).toEqual(replies[0]?.body);
    expect(await countIntents(customer as string)).toBe(1);
    expectError(await post(path, { amount_cents: 501 }, key, headers), 409, /Idempotency-Key/);
  });

  test.each([
    ['an EOA', eoa],
    ['a multisig', multisig],
  ])('accepts the admin wallet of a ChainSecured account: %s', async (_what, open) => {
    const admin = await open();
    await accountOf(admin)('newChainSecuredAccount', ['', '']);
    const auth = await billingAuth(admin);
    const intent = await stripe.paymentIntents.retrieve(
      expectIntentId(await post(path, body, undefined, auth)),
    );
    expect(intent.metadata.account).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await readCredit(auth)).toBe(0);
  });
});

describeBadBodies(path, 400, () => account.key, [
  { amount_cents: 499 },
  { amount_cents: 0 },
  { amount_cents: -500 },
  { amount_cents: 100_000_000 },
]);

describeBadBodies(path, 422, () => account.key, [
  {},
  { amount_cents: '500' },
  { amount_cents: 500.5 },
  { amount_cents: null },
  { amount_cents: [500] },
]);

test('returns 429 for too many payment requests of one account, confirms included; other accounts are not affected', async () => {
  await using relayer = await ownRelayer({ PAYMENT_REQUESTS_PER_MINUTE: '2' });
  const { key } = account;
  const payment_intent_id = expectIntentId(await call('POST', path, { key, body }, relayer.url));
  const confirm = { key, body: { payment_intent_id } };
  expectError(await call('POST', 'billing/confirm_payment', confirm, relayer.url), 409);
  for (const [endpoint, options] of [
    [path, { key, body }],
    ['billing/confirm_payment', confirm],
  ] as const) {
    const refused = await call('POST', endpoint, options, relayer.url);
    expectError(refused, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
  const { key: other } = await newAccount();
  expectIntentId(await call('POST', path, { key: other, body }, relayer.url));
});

describe('503', () => {
  test('a lost or late reply of Stripe does not create a second intent', async () => {
    await using own = await ownPayments();
    const send = (headers?: Record<string, string>) =>
      call('POST', path, { key: account.key, body, ...(headers && { headers }) }, own.url);
    own.standIn.failNext({ kind: 'lost_reply', method: 'POST', path: '/v1/customers' });
    own.standIn.failNext({ kind: 'lost_reply', method: 'POST', path: '/v1/payment_intents' });
    expectIntentId(await send());
    expect((await own.stripe.paymentIntents.list()).data).toHaveLength(1);
    expect((await own.stripe.customers.list()).data).toHaveLength(1);

    // A client that retries after an outage of Stripe also gets one intent.
    own.standIn.failNext({ kind: 'lost_reply', times: 3, method: 'POST', path: '/v1/payment_intents' });
    const headers = { 'Idempotency-Key': 'again' };
    const refused = await send(headers);
    expectError(refused, 503, /is unavailable/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expectIntentId(await send(headers));
    expect((await own.stripe.paymentIntents.list()).data).toHaveLength(2);
    expect((await own.stripe.customers.list()).data).toHaveLength(1);
  });

  test.each([
    ['Stripe is down', { STRIPE_API_URL: 'http://127.0.0.1:9' }],
    ['Stripe refuses the secret key', { STRIPE_SECRET_KEY: 'sk_test_hidden' }],
  ])('returns no detail when %s', async (_what, settings) => {
    await using relayer = await ownRelayer(settings as Record<string, string>);
    for (const [endpoint, content] of [
      [path, body],
      ['billing/confirm_payment', { payment_intent_id: 'pi_1' }],
    ] as const) {
      const reply = await call('POST', endpoint, { key: account.key, body: content }, relayer.url);
      expectError(reply, 503, /^A service that this request depends on is unavailable\.$/);
      expect(JSON.stringify(reply.body)).not.toMatch(/hidden|stripe|127\.0/i);
    }
  });
});
