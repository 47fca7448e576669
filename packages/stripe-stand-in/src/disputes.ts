/**
 * Disputes (the money is withdrawn immediately) and inquiries (it stays until the inquiry is escalated):
 * needs_response → won | lost, and warning_needs_response → warning_closed.
 */
import { invalidRequest } from './errors.ts';
import { newId, nowSec } from './ids.ts';
import type { Backend, Dispute, PaymentIntent } from './state.ts';

export type DisputeOutcome = 'lost' | 'warning_closed' | 'won';

/** Opens a dispute. Throws when the payment did not succeed or is already disputed. */
export function openDispute(
  { state, emit }: Backend,
  intent: PaymentIntent,
  { amount, isInquiry }: { amount: number; isInquiry: boolean },
): Dispute {
  if (intent.status !== 'succeeded') throw invalidRequest(`Payment ${intent.id} has not succeeded.`);
  if (amount < 1 || amount > intent.amount)
    throw invalidRequest(`Payment ${intent.id} has only ${intent.amount} cents.`, { param: 'amount' });
  if ([...state.disputes.values()].some((other) => other.payment_intent === intent.id && !isClosed(other)))
    throw invalidRequest(`Payment ${intent.id} is already disputed.`, { code: 'charge_disputed' });
  const dispute: Dispute = {
    id: newId('du'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    created: nowSec(),
    currency: intent.currency,
    is_charge_refundable: isInquiry,
    payment_intent: intent.id,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  };
  state.disputes.set(dispute.id, dispute);
  if (!isInquiry) book(dispute, -amount);
  emit('charge.dispute.created', dispute);
  return dispute;
}

/** Applies the bank's decision. Throws when the dispute has one, or when it does not apply to this kind of dispute. */
export function resolveDispute({ emit }: Backend, dispute: Dispute, outcome: DisputeOutcome): Dispute {
  if (isClosed(dispute)) throw invalidRequest(`Dispute ${dispute.id} is already closed.`);
  if (isInquiry(dispute) !== (outcome === 'warning_closed'))
    throw invalidRequest(`Dispute ${dispute.id} cannot end as ${outcome}: its status is ${dispute.status}.`);
  dispute.status = outcome;
  if (outcome === 'won') book(dispute, dispute.amount);
  emit('charge.dispute.closed', dispute);
  return dispute;
}

/** Turns an inquiry into a dispute: the money is withdrawn. */
export function escalateInquiry({ emit }: Backend, dispute: Dispute): Dispute {
  if (!isInquiry(dispute) || isClosed(dispute))
    throw invalidRequest(`Dispute ${dispute.id} is not an open inquiry: its status is ${dispute.status}.`);
  dispute.status = 'needs_response';
  dispute.is_charge_refundable = false;
  book(dispute, -dispute.amount);
  emit('charge.dispute.updated', dispute);
  return dispute;
}

const isInquiry = ({ status }: Dispute): boolean => status.startsWith('warning_');

const isClosed = ({ status }: Dispute): boolean =>
  status === 'won' || status === 'lost' || status === 'warning_closed';

function book(dispute: Dispute, amount: number): void {
  const { currency } = dispute;
  dispute.balance_transactions.push({ id: newId('txn'), object: 'balance_transaction', amount, currency });
}
