/** Builds charges and disputes with every field that Stripe's API returns. */
import type Stripe from 'stripe';
import type { Card, Decline } from './cards.ts';
import { newId, nowSec, randomText } from './ids.ts';
import { cardFingerprint } from './objects.ts';
import type { Charge, Dispute, PaymentIntent } from './state.ts';

const DISPUTE_DUE_SEC = 9 * 86_400;

export type Payment = {
  intent: PaymentIntent;
  method: Stripe.PaymentMethod & { card: Stripe.PaymentMethod.Card };
  card: Card;
  isAuthenticated: boolean;
};

/** Builds one attempt to charge the amount of an intent: succeeded, or failed with `decline`. */
export function newCharge(payment: Payment, decline?: Decline): Charge {
  const { intent, method } = payment;
  const id = newId('ch');
  const hasSucceeded = decline === undefined;
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: hasSucceeded ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'LATCHKEY',
    captured: hasSucceeded,
    created: nowSec(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: newOutcome(decline),
    paid: hasSucceeded,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: newCardDetails(payment, hasSucceeded),
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: hasSucceeded ? `https://pay.stripe.com/receipts/payment/${id}` : null,
    refunded: false,
    refunds: null,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: hasSucceeded ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  };
}

function newOutcome(decline: Decline | undefined): Stripe.Charge.Outcome {
  return {
    advice_code: decline ? 'try_again_later' : null,
    network_advice_code: null,
    network_decline_code: decline ? '05' : null,
    network_status: decline ? 'declined_by_network' : 'approved_by_network',
    reason: decline ? (decline.declineCode ?? decline.code) : null,
    risk_level: 'normal',
    risk_score: 30,
    seller_message: decline ? 'The bank did not return any further details.' : 'Payment complete.',
    type: decline ? 'issuer_declined' : 'authorized',
  };
}

function newCardDetails(
  { intent, method, card, isAuthenticated }: Payment,
  hasSucceeded: boolean,
): Stripe.Charge.PaymentMethodDetails {
  return {
    card: {
      amount_authorized: hasSucceeded ? intent.amount : null,
      authorization_code: hasSucceeded ? randomText(6) : null,
      brand: card.brand,
      checks: method.card.checks,
      country: 'US',
      electronic_commerce_indicator: isAuthenticated ? '05' : null,
      exp_month: method.card.exp_month,
      exp_year: method.card.exp_year,
      extended_authorization: { status: 'disabled' },
      fingerprint: cardFingerprint(card),
      funding: card.funding,
      incremental_authorization: { status: 'unavailable' },
      installments: null,
      last4: method.card.last4,
      mandate: null,
      multicapture: { status: 'unavailable' },
      network: card.brand,
      network_token: { used: false },
      network_transaction_id: hasSucceeded ? randomText(15) : null,
      overcapture: { maximum_amount_capturable: intent.amount, status: 'unavailable' },
      regulated_status: 'unregulated',
      three_d_secure: isAuthenticated
        ? {
            authentication_flow: 'challenge',
            electronic_commerce_indicator: '05',
            exemption_indicator: null,
            result: 'authenticated',
            result_reason: null,
            transaction_id: randomText(24),
            version: '2.2.0',
          }
        : null,
      transaction_link_id: null,
      wallet: null,
    },
    type: 'card',
  };
}

export type DisputeFields = {
  /** In the smallest unit of the charge's currency. */
  amount: number;
  reason: string;
  isInquiry: boolean;
};

export function newDispute(charge: Charge, { amount, reason, isInquiry }: DisputeFields): Dispute {
  const created = nowSec();
  const brand = charge.payment_method_details?.card?.brand ?? 'visa';
  const reasonCode = reason === 'fraudulent' ? '10.4' : '13.1';
  return {
    id: newId('du'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      access_activity_log: null,
      billing_address: null,
      cancellation_policy: null,
      cancellation_policy_disclosure: null,
      cancellation_rebuttal: null,
      customer_communication: null,
      customer_email_address: null,
      customer_name: null,
      customer_purchase_ip: null,
      customer_signature: null,
      duplicate_charge_documentation: null,
      duplicate_charge_explanation: null,
      duplicate_charge_id: null,
      enhanced_evidence: {},
      product_description: null,
      receipt: null,
      refund_policy: null,
      refund_policy_disclosure: null,
      refund_refusal_explanation: null,
      service_date: null,
      service_documentation: null,
      shipping_address: null,
      shipping_carrier: null,
      shipping_date: null,
      shipping_documentation: null,
      shipping_tracking_number: null,
      uncategorized_file: null,
      uncategorized_text: null,
    },
    evidence_details: {
      due_by: created + DISPUTE_DUE_SEC,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    network_reason_code: reasonCode,
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand,
        case_type: isInquiry ? 'inquiry' : 'chargeback',
        network: brand,
        network_reason_code: reasonCode,
      },
      type: 'card',
    },
    reason,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  };
}
