import type { Backend } from './backend.ts';
import { findCardByNumber } from './cards.ts';
import { closeRefundedInquiry } from './disputes.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { newBalanceTransaction, newRefund } from './objects.ts';
import type { CreateRefundParams } from './params.ts';
import type { Charge, Refund } from './state.ts';

/** Creates a refund. Throws a 400 when it exceeds the rest of the charge, or when the charge is disputed. */
export function createRefund(backend: Backend, params: CreateRefundParams): Refund {
  const { state, emit } = backend;
  const charge = findCharge(backend, params);
  const left = charge.amount - charge.amount_refunded;
  if (charge.disputed && !isRefundable(backend, charge))
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  if (left === 0)
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  const amount = params.amount ?? left;
  if (amount < 1) throw invalidRequest('Invalid positive integer', { param: 'amount' });
  if (amount > left)
    throw invalidRequest(
      `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}), in the smallest unit of ${charge.currency}.`,
      { param: 'amount' },
    );
  const behaviour = findCardByNumber(state.cardNumbers.get(charge.payment_method) ?? '').refund;
  const refund = newRefund({
    amount,
    charge: charge.id,
    currency: charge.currency,
    customer: charge.customer,
    metadata: params.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: params.reason ?? null,
    status: behaviour === 'pending' ? 'pending' : 'succeeded',
  });
  if (behaviour === 'pending') refund.pending_reason = 'processing';
  refund.balance_transaction = book(backend, refund, -amount).id;
  state.refunds.set(refund.id, refund);
  const before = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  setRefunded(charge, charge.amount_refunded + amount);
  emit('refund.created', refund);
  emit('charge.refunded', charge, before);
  closeRefundedInquiry(backend, charge);
  if (behaviour === 'fails') backend.later(() => failRefund(backend, refund));
  return refund;
}

/** Settles a pending refund. Throws when it is not pending. */
export function succeedRefund({ emit }: Backend, refund: Refund): Refund {
  if (refund.status !== 'pending')
    throw invalidRequest(`Refund ${refund.id} is not pending: its status is ${refund.status}.`);
  refund.status = 'succeeded';
  delete refund.pending_reason;
  const previous = { status: 'pending' };
  emit('refund.updated', refund, previous);
  emit('charge.refund.updated', refund, previous);
  return refund;
}

/** Returns the money of a refund, also of a succeeded one. Throws when the refund has already failed. */
export function failRefund(backend: Backend, refund: Refund, reason = 'expired_or_canceled_card'): Refund {
  const { state, emit } = backend;
  const charge = state.charges.get(refund.charge);
  if (!charge || (refund.status !== 'pending' && refund.status !== 'succeeded'))
    throw invalidRequest(`Refund ${refund.id} cannot fail: its status is ${refund.status}.`);
  const previous = { status: refund.status };
  refund.status = 'failed';
  refund.failure_reason = reason;
  refund.failure_balance_transaction = book(backend, refund, refund.amount).id;
  delete refund.pending_reason;
  const before = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  setRefunded(charge, charge.amount_refunded - refund.amount);
  emit('refund.failed', refund, previous);
  emit('refund.updated', refund, previous);
  emit('charge.refund.updated', refund, previous);
  emit('charge.updated', charge, before);
  return refund;
}

function findCharge(
  { state }: Backend,
  { charge: chargeId, payment_intent: intentId }: CreateRefundParams,
): Charge {
  if ((chargeId === undefined) === (intentId === undefined))
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  const intent = intentId === undefined ? undefined : state.paymentIntents.get(intentId);
  if (intentId !== undefined && !intent) throw resourceMissing('payment_intent', intentId, 'payment_intent');
  const id = chargeId ?? intent?.latest_charge ?? '';
  const charge = state.charges.get(id);
  if (!charge && chargeId !== undefined) throw resourceMissing('charge', chargeId, 'charge');
  if (charge?.status !== 'succeeded')
    throw invalidRequest(
      `This PaymentIntent (${intentId ?? id}) does not have a successful charge to refund.`,
    );
  return charge;
}

function isRefundable({ state }: Backend, charge: Charge): boolean {
  return [...state.disputes.values()]
    .filter((dispute) => dispute.charge === charge.id)
    .every((dispute) => dispute.is_charge_refundable);
}

function setRefunded(charge: Charge, amount: number): void {
  charge.amount_refunded = amount;
  charge.refunded = amount === charge.amount;
}

function book({ state }: Backend, { id, currency }: Refund, amount: number) {
  const type = amount < 0 ? 'refund' : 'refund_failure';
  const booked = newBalanceTransaction({
    amount,
    currency,
    description: amount < 0 ? 'REFUND FOR CHARGE' : 'REFUND FAILURE',
    fee_details: [],
    reporting_category: type,
    source: id,
    type,
  });
  state.balanceTransactions.set(booked.id, booked);
  return booked;
}
