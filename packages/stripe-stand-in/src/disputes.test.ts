import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catchError, postControl, startWithSdk } from './testing.ts';

let stripe: Awaited<ReturnType<typeof startWithSdk>>;
beforeAll(async () => {
  stripe = await startWithSdk();
});
afterAll(() => stripe.standIn.close());

/** Returns types and statuses of the dispute's events so far. */
const history = (id: string) =>
  stripe.standIn
    .events()
    .map(({ type, data }) => ({ type, object: data.object as Stripe.Dispute }))
    .filter(({ object }) => object.id === id)
    .map(({ type, object }) => `${type.replace('charge.dispute.', '')} ${object.status}`);

const amounts = async (id: string) =>
  (await stripe.sdk.disputes.retrieve(id)).balance_transactions.map(({ amount, net }) => [amount, net]);

const dispute = async (isInquiry = false) => {
  const { id } = await stripe.pay();
  return stripe.standIn.openDispute({ of: id, isInquiry });
};

const evidence = (uncategorized_text: string) => ({ evidence: { uncategorized_text } });

describe('a dispute', () => {
  test('withdraws the money and marks the charge', async () => {
    const intent = await stripe.pay();
    const { id } = await stripe.standIn.openDispute({ of: intent.id, amount: 3_000, reason: 'duplicate' });
    expect(await stripe.sdk.disputes.retrieve(id, { expand: ['charge'] })).toMatchObject({
      status: 'needs_response',
      amount: 3_000,
      reason: 'duplicate',
      payment_intent: intent.id,
      is_charge_refundable: false,
      charge: { id: intent.latest_charge, disputed: true },
    });
    expect(await amounts(id)).toEqual([[-3_000, -4_500]]);
    expect(history(id)).toEqual(['created needs_response', 'funds_withdrawn needs_response']);
    expect(await catchError(stripe.sdk.refunds.create({ payment_intent: intent.id }))).toMatchObject({
      statusCode: 400,
      code: 'charge_disputed',
    });
    await expect(stripe.standIn.openDispute({ of: intent.id })).rejects.toMatchObject({ status: 400 });
  });

  test('is won by winning evidence, which returns the money', async () => {
    const { id } = await dispute();
    const won = await stripe.sdk.disputes.update(id, evidence('winning_evidence'));
    expect(won).toMatchObject({
      status: 'won',
      evidence: { uncategorized_text: 'winning_evidence' },
      evidence_details: { has_evidence: true, submission_count: 1 },
    });
    expect(history(id)).toEqual([
      'created needs_response',
      'funds_withdrawn needs_response',
      'updated under_review',
      'closed won',
      'funds_reinstated won',
    ]);
    expect(await amounts(id)).toEqual([
      [-5_000, -6_500],
      [5_000, 6_500],
    ]);
  });

  test('is lost by losing evidence, and by closing it', async () => {
    const [one, other] = [await dispute(), await dispute()];
    expect(await stripe.sdk.disputes.update(one.id, evidence('losing_evidence'))).toMatchObject({
      status: 'lost',
    });
    expect(await stripe.sdk.disputes.close(other.id)).toMatchObject({ status: 'lost' });
    expect(history(other.id)).toEqual([
      'created needs_response',
      'funds_withdrawn needs_response',
      'closed lost',
    ]);
    expect(await amounts(other.id)).toEqual([[-5_000, -6_500]]);
    expect(await catchError(stripe.sdk.disputes.close(other.id))).toMatchObject({ statusCode: 400 });
    expect(await catchError(stripe.sdk.disputes.update(one.id, evidence('more')))).toMatchObject({
      statusCode: 400,
    });
  });

  test('waits for the bank after other evidence, which can be submitted once', async () => {
    const { id } = await dispute();
    const staged = await stripe.sdk.disputes.update(id, { ...evidence('a letter'), submit: false });
    expect(staged).toMatchObject({
      status: 'needs_response',
      evidence_details: { has_evidence: true, submission_count: 0 },
    });
    expect(await stripe.sdk.disputes.update(id, { submit: true })).toMatchObject({ status: 'under_review' });
    expect(await catchError(stripe.sdk.disputes.update(id, evidence('more')))).toMatchObject({
      statusCode: 400,
    });
    await postControl(stripe.standIn.url, `/disputes/${id}/resolve`, { outcome: 'won' });
    expect(await stripe.sdk.disputes.retrieve(id)).toMatchObject({ status: 'won' });
    const again = await postControl(stripe.standIn.url, `/disputes/${id}/resolve`, { outcome: 'lost' });
    expect(again.status).toBe(400);
  });

  test('is listed by its payment and by its creation time', async () => {
    const intent = await stripe.pay();
    const request = { of: intent.latest_charge, amount: 1_000, isInquiry: true };
    const { id } = (await postControl(stripe.standIn.url, '/disputes', request)).body as Stripe.Dispute;
    const { payment_intent, created } = await stripe.sdk.disputes.retrieve(id);
    expect(payment_intent).toBe(intent.id);
    const ids = async (params: Stripe.DisputeListParams) =>
      (await stripe.sdk.disputes.list(params)).data.map((found) => found.id);
    expect(await ids({ payment_intent: intent.id })).toEqual([id]);
    expect(await ids({ created: { gte: created }, limit: 1 })).toEqual([id]);
    expect(await ids({ created: { gte: created + 60 } })).toEqual([]);
  });
});

describe('an inquiry', () => {
  test('withdraws nothing, and ends without a balance change', async () => {
    const { id } = await dispute(true);
    expect(await stripe.sdk.disputes.retrieve(id)).toMatchObject({
      status: 'warning_needs_response',
      is_charge_refundable: true,
      payment_method_details: { card: { case_type: 'inquiry' } },
    });
    expect(await stripe.sdk.disputes.update(id, evidence('a letter'))).toMatchObject({
      status: 'warning_under_review',
    });
    await expect(stripe.standIn.resolveDispute(id, 'lost')).rejects.toMatchObject({ status: 400 });
    await stripe.standIn.resolveDispute(id, 'warning_closed');
    expect(history(id)).toEqual([
      'created warning_needs_response',
      'updated warning_under_review',
      'closed warning_closed',
    ]);
    expect(await amounts(id)).toEqual([]);
  });

  test('is closed by the seller, or by a full refund', async () => {
    const [one, other] = [await dispute(true), await dispute(true)];
    expect(await stripe.sdk.disputes.close(one.id)).toMatchObject({ status: 'warning_closed' });
    await stripe.sdk.refunds.create({ payment_intent: other.payment_intent, amount: 1_000 });
    expect((await stripe.sdk.disputes.retrieve(other.id)).status).toBe('warning_needs_response');
    await stripe.sdk.refunds.create({ payment_intent: other.payment_intent });
    expect((await stripe.sdk.disputes.retrieve(other.id)).status).toBe('warning_closed');
  });

  test.for(['by the network', 'by evidence'])('becomes a dispute %s, and can then be lost', async (by) => {
    const { id } = await dispute(true);
    if (by === 'by evidence') await stripe.sdk.disputes.update(id, evidence('escalate_inquiry_evidence'));
    else await postControl(stripe.standIn.url, `/disputes/${id}/escalate`, {});
    expect(await stripe.sdk.disputes.retrieve(id)).toMatchObject({
      status: 'needs_response',
      is_charge_refundable: false,
      payment_method_details: { card: { case_type: 'chargeback' } },
    });
    expect(await stripe.sdk.disputes.update(id, evidence('losing_evidence'))).toMatchObject({
      status: 'lost',
    });
    expect(await amounts(id)).toEqual([[-5_000, -6_500]]);
    expect(history(id).slice(-4)).toEqual([
      'updated needs_response',
      'funds_withdrawn needs_response',
      'updated under_review',
      'closed lost',
    ]);
  });
});
