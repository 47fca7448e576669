import { findCard } from './cards.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { newId, nowSec } from './ids.ts';
import type { CreateRefundParams } from './params.ts';
import type { Backend, Refund } from './state.ts';

/** Creates a refund. Throws a 400 when it exceeds the rest of the payment, or when the payment is disputed. */
export function createRefund({ state, emit }: Backend, params: CreateRefundParams): Refund {
  const intent = state.paymentIntents.get(params.payment_intent);
  if (!intent) throw resourceMissing('payment_intent', params.payment_intent, 'payment_intent');
  if (intent.status !== 'succeeded')
    throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
  const isOfPayment = (item: { payment_intent: string }) => item.payment_intent === intent.id;
  if ([...state.disputes.values()].some((item) => isOfPayment(item) && !item.is_charge_refundable))
    throw invalidRequest('This payment has been charged back; cannot issue a refund.', {
      code: 'charge_disputed',
    });
  const left = [...state.refunds.values()]
    .filter((refund) => isOfPayment(refund) && refund.status !== 'failed')
    .reduce((rest, refund) => rest - refund.amount, intent.amount);
  if (left === 0)
    throw invalidRequest('This payment has already been refunded.', { code: 'charge_already_refunded' });
  const amount = params.amount ?? left;
  if (amount < 1 || amount > left)
    throw invalidRequest(`A refund of this payment has 1 to ${left} cents.`, { param: 'amount' });
  const refund: Refund = {
    id: newId('re'),
    object: 'refund',
    amount,
    created: nowSec(),
    currency: intent.currency,
    payment_intent: intent.id,
    status: findCard(intent.payment_method ?? '').refundsLate ? 'pending' : 'succeeded',
  };
  state.refunds.set(refund.id, refund);
  emit('refund.created', refund);
  return refund;
}

/** Settles a pending refund. Throws when it is not pending. */
export function succeedRefund({ emit }: Backend, refund: Refund): Refund {
  if (refund.status !== 'pending')
    throw invalidRequest(`Refund ${refund.id} is not pending: its status is ${refund.status}.`);
  refund.status = 'succeeded';
  emit('refund.updated', refund);
  return refund;
}

/** Returns the money of a refund, also of a succeeded one. Throws when the refund has already failed. */
export function failRefund({ emit }: Backend, refund: Refund): Refund {
  if (refund.status === 'failed') throw invalidRequest(`Refund ${refund.id} has already failed.`);
  refund.status = 'failed';
  emit('refund.failed', refund);
  emit('refund.updated', refund);
  return refund;
}
