import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchError, postControl, startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());

const getCharge = async (payment_intent: string) =>
  (await stripe.sdk.charges.list({ payment_intent, limit: 1 })).data[0];

/** Returns the types of the events after the first `seen`. */
const typesAfter = (seen: number) =>
  stripe.standIn
    .events()
    .slice(seen)
    .map(({ type }) => type);

test('refunds parts up to the whole amount and refuses more', async () => {
  const { id: payment_intent } = await stripe.pay('pm_card_visa', 1_000);
  const seen = stripe.standIn.events().length;
  const first = await stripe.sdk.refunds.create({
    payment_intent,
    amount: 400,
    metadata: { reason: 'half' },
  });
  expect(first).toMatchObject({
    status: 'succeeded',
    amount: 400,
    payment_intent,
    metadata: { reason: 'half' },
  });
  expect(await getCharge(payment_intent)).toMatchObject({ amount_refunded: 400, refunded: false });
  expect(await catchError(stripe.sdk.refunds.create({ payment_intent, amount: 601 }))).toMatchObject({
    statusCode: 400,
    rawType: 'invalid_request_error',
    param: 'amount',
  });
  expect(await catchError(stripe.sdk.refunds.create({ payment_intent, amount: 0 }))).toMatchObject({
    param: 'amount',
  });
  expect(await stripe.sdk.refunds.create({ payment_intent, amount: 100 })).toMatchObject({ amount: 100 });
  const last = await stripe.sdk.refunds.create({ payment_intent });
  expect(last.amount).toBe(500);
  expect(await getCharge(payment_intent)).toMatchObject({ amount_refunded: 1_000, refunded: true });
  expect(await catchError(stripe.sdk.refunds.create({ payment_intent, amount: 1 }))).toMatchObject({
    statusCode: 400,
    code: 'charge_already_refunded',
  });
  const { data } = await stripe.sdk.refunds.list({ payment_intent });
  expect(data.map(({ amount }) => amount)).toEqual([500, 100, 400]);
  const charge = await stripe.sdk.charges.retrieve(String(last.charge), { expand: ['refunds'] });
  expect(charge.refunds?.data).toEqual(data);
  expect(typesAfter(seen)).toEqual(Array(3).fill(['refund.created', 'charge.refunded']).flat());
});

test('concurrent refunds never exceed the charge', async () => {
  const { id: payment_intent } = await stripe.pay('pm_card_visa', 1_000);
  const calls = Array.from({ length: 10 }, () => stripe.sdk.refunds.create({ payment_intent, amount: 300 }));
  const results = await Promise.allSettled(calls);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(await getCharge(payment_intent)).toMatchObject({ amount_refunded: 900, refunded: false });
});

test('a refund reduces the balance, by charge or by payment intent', async () => {
  const intent = await stripe.pay();
  const refund = await stripe.sdk.refunds.create({
    charge: String(intent.latest_charge),
    expand: ['balance_transaction', 'charge.balance_transaction'],
  });
  expect(refund).toMatchObject({
    payment_intent: intent.id,
    balance_transaction: { amount: -5_000, net: -5_000, type: 'refund', source: refund.id },
    charge: { balance_transaction: { amount: 5_000, fee: 175, net: 4_825, type: 'charge' } },
  });
});

test('refuses a refund of a payment that did not succeed', async () => {
  const open = await stripe.sdk.paymentIntents.create({ amount: 100, currency: 'usd' });
  const failed = await catchError(stripe.pay('pm_card_chargeDeclined'));
  for (const id of [open.id, String(failed.payment_intent?.id)])
    expect(await catchError(stripe.sdk.refunds.create({ payment_intent: id }))).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('does not have a successful charge'),
    });
  expect(await catchError(stripe.sdk.refunds.create({ payment_intent: 'pi_none' }))).toMatchObject({
    code: 'resource_missing',
    param: 'payment_intent',
  });
  expect(await catchError(stripe.sdk.refunds.create({}))).toMatchObject({ statusCode: 400 });
});

test('a pending refund succeeds or fails', async () => {
  const { id: payment_intent } = await stripe.pay('pm_card_pendingRefund', 1_000);
  const [one, other] = [
    await stripe.sdk.refunds.create({ payment_intent, amount: 300 }),
    await stripe.sdk.refunds.create({ payment_intent, amount: 700 }),
  ];
  expect(one).toMatchObject({ status: 'pending', pending_reason: 'processing' });
  const seen = stripe.standIn.events().length;
  await postControl(stripe.standIn.url, `/refunds/${one.id}/succeed`, {});
  expect(typesAfter(seen)).toEqual(['refund.updated', 'charge.refund.updated']);
  const arrived = await stripe.sdk.refunds.retrieve(one.id);
  expect(arrived.status).toBe('succeeded');
  expect(arrived).not.toHaveProperty('pending_reason');
  await postControl(stripe.standIn.url, `/refunds/${other.id}/fail`, { reason: 'lost_or_stolen_card' });
  expect(await stripe.sdk.refunds.retrieve(other.id)).toMatchObject({
    status: 'failed',
    failure_reason: 'lost_or_stolen_card',
  });
  expect(await getCharge(payment_intent)).toMatchObject({ amount_refunded: 300, refunded: false });
});

test('a succeeded refund can fail, and can then be created again', async () => {
  const { id: payment_intent } = await stripe.pay();
  const refund = await stripe.sdk.refunds.create({ payment_intent });
  const seen = stripe.standIn.events().length;
  await stripe.standIn.failRefund(refund.id);
  expect(typesAfter(seen)).toEqual([
    'refund.failed',
    'refund.updated',
    'charge.refund.updated',
    'charge.updated',
  ]);
  expect(
    await stripe.sdk.refunds.retrieve(refund.id, { expand: ['failure_balance_transaction'] }),
  ).toMatchObject({
    status: 'failed',
    failure_balance_transaction: { amount: 5_000, type: 'refund_failure' },
  });
  await expect(stripe.standIn.failRefund(refund.id)).rejects.toMatchObject({ status: 400 });
  await expect(stripe.standIn.succeedRefund(refund.id)).rejects.toMatchObject({ status: 400 });
  expect(await stripe.sdk.refunds.create({ payment_intent })).toMatchObject({ amount: 5_000 });
});

test('the refunds of pm_card_refundFail succeed first and fail immediately after', async () => {
  const { id: payment_intent } = await stripe.pay('pm_card_refundFail');
  const refund = await stripe.sdk.refunds.create({ payment_intent });
  expect(refund.status).toBe('succeeded');
  await expect.poll(async () => (await stripe.sdk.refunds.retrieve(refund.id)).status).toBe('failed');
  expect(await getCharge(payment_intent)).toMatchObject({ amount_refunded: 0, refunded: false });
});
