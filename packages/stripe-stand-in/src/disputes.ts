/**
 * Disputes (the money is withdrawn immediately) and inquiries (it stays until the inquiry is escalated):
 * needs_response → under_review → won | lost, and warning_needs_response → warning_under_review → warning_closed.
 */

import type { Backend } from './backend.ts';
import { type DisputeFields, newDispute } from './charge-objects.ts';
import { invalidRequest } from './errors.ts';
import { newBalanceTransaction, newFee } from './objects.ts';
import type { UpdateDisputeParams } from './params.ts';
import type { Charge, Dispute } from './state.ts';

/** Stripe's fee for a dispute, in the smallest unit of the currency. */
const DISPUTE_FEE = 1_500;

export type DisputeOutcome = 'lost' | 'warning_closed' | 'won';

/** Opens a dispute. Throws when the charge did not succeed or is already disputed. */
export function openDispute(backend: Backend, charge: Charge, fields: DisputeFields): Dispute {
  const { state, emit } = backend;
  if (charge.status !== 'succeeded') throw invalidRequest(`Charge ${charge.id} has not succeeded.`);
  if (fields.amount < 1 || fields.amount > charge.amount)
    throw invalidRequest(`Charge ${charge.id} has only ${charge.amount}.`, { param: 'amount' });
  if (listOpenDisputes(backend, charge).length > 0)
    throw invalidRequest(`Charge ${charge.id} is already disputed.`, { code: 'charge_disputed' });
  const dispute = newDispute(charge, fields);
  state.disputes.set(dispute.id, dispute);
  charge.disputed = true;
  if (!fields.isInquiry) withdraw(backend, dispute);
  emit('charge.dispute.created', dispute);
  if (!fields.isInquiry) emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/**
 * Stores the evidence and, unless `submit` is false, submits it to the bank, which decides immediately on the texts of
 * Stripe's test mode: `winning_evidence`, `losing_evidence`, `escalate_inquiry_evidence`.
 */
export function updateDispute(backend: Backend, dispute: Dispute, params: UpdateDisputeParams): Dispute {
  requireResponse(dispute);
  const { evidence, metadata, submit = evidence !== undefined } = params;
  const { status } = dispute;
  Object.assign(dispute.evidence, evidence);
  dispute.metadata = { ...dispute.metadata, ...metadata };
  dispute.evidence_details.has_evidence = Object.entries(dispute.evidence).some(
    ([name, value]) => name !== 'enhanced_evidence' && value !== null,
  );
  if (submit) {
    dispute.evidence_details.submission_count++;
    dispute.evidence_details.submission_method = 'manual';
    dispute.status = isInquiry(dispute) ? 'warning_under_review' : 'under_review';
  }
  backend.emit('charge.dispute.updated', dispute, { status });
  if (!submit) return dispute;
  switch (dispute.evidence.uncategorized_text) {
    case 'winning_evidence':
      return resolveDispute(backend, dispute, isInquiry(dispute) ? 'warning_closed' : 'won');
    case 'losing_evidence':
      return resolveDispute(backend, dispute, isInquiry(dispute) ? 'warning_closed' : 'lost');
    case 'escalate_inquiry_evidence':
      return escalateInquiry(backend, dispute);
    default:
      return dispute;
  }
}

/** Accepts the dispute: lost, or the end of an inquiry. */
export function closeDispute(backend: Backend, dispute: Dispute): Dispute {
  requireResponse(dispute);
  return resolveDispute(backend, dispute, isInquiry(dispute) ? 'warning_closed' : 'lost');
}

/** Applies the bank's decision. Throws when the dispute has one, or when it does not apply to this kind of dispute. */
export function resolveDispute(backend: Backend, dispute: Dispute, outcome: DisputeOutcome): Dispute {
  if (isClosed(dispute)) throw invalidRequest(`Dispute ${dispute.id} is already closed.`);
  if (isInquiry(dispute) !== (outcome === 'warning_closed'))
    throw invalidRequest(`Dispute ${dispute.id} cannot end as ${outcome}: its status is ${dispute.status}.`);
  const { status } = dispute;
  dispute.status = outcome;
  if (outcome === 'won') book(backend, dispute, dispute.amount, -DISPUTE_FEE);
  backend.emit('charge.dispute.closed', dispute, { status });
  if (outcome === 'won') backend.emit('charge.dispute.funds_reinstated', dispute);
  return dispute;
}

/** Turns an inquiry into a dispute: the money is withdrawn and a response is required again. */
export function escalateInquiry(backend: Backend, dispute: Dispute): Dispute {
  if (!isInquiry(dispute) || isClosed(dispute))
    throw invalidRequest(`Dispute ${dispute.id} is not an open inquiry: its status is ${dispute.status}.`);
  const { status } = dispute;
  dispute.status = 'needs_response';
  dispute.is_charge_refundable = false;
  if (dispute.payment_method_details?.card) dispute.payment_method_details.card.case_type = 'chargeback';
  withdraw(backend, dispute);
  backend.emit('charge.dispute.updated', dispute, { status });
  backend.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Closes an inquiry after a full refund. */
export function closeRefundedInquiry(backend: Backend, charge: Charge): void {
  if (charge.refunded)
    for (const inquiry of listOpenDisputes(backend, charge))
      resolveDispute(backend, inquiry, 'warning_closed');
}

function listOpenDisputes({ state }: Backend, charge: Charge): Dispute[] {
  return [...state.disputes.values()].filter((dispute) => dispute.charge === charge.id && !isClosed(dispute));
}

function isInquiry({ status }: Dispute): boolean {
  return status.startsWith('warning_');
}

function isClosed({ status }: Dispute): boolean {
  return status === 'won' || status === 'lost' || status === 'warning_closed';
}

function requireResponse(dispute: Dispute): void {
  if (isClosed(dispute)) throw invalidRequest('This dispute is already closed.');
  if (dispute.evidence_details.submission_count > 0 && dispute.status.endsWith('under_review'))
    throw invalidRequest('Evidence for this dispute has already been submitted.');
}

function withdraw(backend: Backend, dispute: Dispute): void {
  book(backend, dispute, -dispute.amount, DISPUTE_FEE);
}

/** Books a dispute; a negative `fee` is returned. */
function book({ state }: Backend, dispute: Dispute, amount: number, fee: number): void {
  const booked = newBalanceTransaction({
    amount,
    currency: dispute.currency,
    description: `Chargeback ${amount < 0 ? 'withdrawal' : 'reversal'} for ${dispute.charge}`,
    fee_details: [newFee(fee, dispute.currency, 'Dispute fee')],
    reporting_category: amount < 0 ? 'dispute' : 'dispute_reversal',
    source: dispute.id,
    type: 'adjustment',
  });
  state.balanceTransactions.set(booked.id, booked);
  dispute.balance_transactions.push(booked);
}
