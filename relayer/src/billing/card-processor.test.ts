import { PUBLISHABLE_KEY, SECRET_KEY, startWithSdk } from '@latchkey/stripe-stand-in/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { hashText } from '../db/text.ts';
import { createCardProcessor, ProcessorUnavailableError, UnknownCustomerError } from './card-processor.ts';

const DEPLOYMENT = '1:0xaa';
const open = (apiUrl: string | undefined) =>
  createCardProcessor({
    secretKey: SECRET_KEY,
    publishableKey: PUBLISHABLE_KEY,
    webhookSecrets: [],
    apiUrl,
    deployment: DEPLOYMENT,
  });
const stripe = disposeAfterAll(await startWithSdk());
const processor = open(stripe.standIn.url);
/** Creates a payment that has succeeded. */
const pay = async (metadata: Record<string, string>, amount = 700) =>
  (
    await stripe.sdk.paymentIntents.create({
      amount,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      metadata,
    })
  ).id;
const own = (account: bigint) => ({ account: hashText(account), deployment: DEPLOYMENT });
const movementsOf = (movements: { kind: string; amountMicros: bigint }[] = []) =>
  movements.map(({ kind, amountMicros }) => [kind, amountMicros]);

test('an account has one customer, and another one instead of a lost one', async () => {
  const customer = await processor.createCustomer(1n);
  expect(await processor.createCustomer(1n)).toBe(customer);
  expect(await processor.createCustomer(2n)).not.toBe(customer);
  const other = await processor.createCustomer(1n, customer);
  expect(other).not.toBe(customer);
  expect(await processor.createCustomer(1n, customer)).toBe(other);
  expect(await stripe.sdk.customers.retrieve(other)).toMatchObject({ metadata: own(1n) });
});

test('an intent of a customer that does not exist is refused', async () => {
  const intent = { customer: 'cus_gone', amountCents: 500, idempotencyKey: 'key' };
  await expect(processor.createIntent({ account: 1n, owner: 1n }, intent)).rejects.toThrow(
    UnknownCustomerError,
  );
});

test.each<[string, Record<string, string>]>([
  ['another deployment', { ...own(1n), deployment: '2:0xaa' }],
  ['no deployment', { account: hashText(1n) }],
  ['no account', { deployment: DEPLOYMENT }],
])('a payment of %s is not known', async (_what, metadata) => {
  const id = await pay(metadata);
  expect(await processor.payment(id)).toBeUndefined();
  expect(await processor.payment(await pay(own(1n)))).toMatchObject({ account: 1n, status: 'succeeded' });
});

test('a payment that does not exist is not known; one that cannot be read is an error', async () => {
  expect(await processor.payment('pi_none')).toBeUndefined();
  expect(await processor.findIntent('re_none')).toBeUndefined();
  const id = await pay(own(1n));
  stripe.standIn.failNext({ kind: 'server_error', times: 3, path: '/v1/payment_intents' });
  await expect(processor.payment(id)).rejects.toThrow(ProcessorUnavailableError);
});

test('the payment of a refund and of a dispute is found by their ids', async () => {
  const [refunded, disputed] = [await pay(own(1n)), await pay(own(1n))];
  const refund = await stripe.sdk.refunds.create({ payment_intent: refunded });
  const dispute = await stripe.standIn.openDispute({ of: disputed });
  expect(await processor.findIntent(refund.id)).toBe(refunded);
  expect(await processor.findIntent(dispute.id)).toBe(disputed);
  expect(await processor.findIntent(refunded)).toBe(refunded);
});

test('the payments since a time have their refunds and disputes', async () => {
  const ids = [await pay(own(9n)), await pay(own(9n)), await pay(own(9n))];
  const [, refunded = '', disputed = ''] = ids;
  await stripe.sdk.refunds.create({ payment_intent: refunded, amount: 300 });
  await stripe.standIn.openDispute({ of: disputed });
  const found = new Map<string, [string, bigint][]>();
  for await (const { intent, account, movements } of processor.paymentsSince(new Date(Date.now() - 60_000)))
    if (account === 9n) found.set(intent, movementsOf(movements) as [string, bigint][]);
  const credit = ['credit', 7_000_000n];
  expect(ids.map((id) => found.get(id))).toEqual([
    [credit],
    [credit, ['reverse', 3_000_000n]],
    [credit, ['reverse', 7_000_000n]],
  ]);
});

test('the address of Stripe itself needs no setting', () => {
  expect(open(undefined).publishableKey).toBe(PUBLISHABLE_KEY);
});
