/**
 * Builds objects with every field that Stripe's API returns. Amounts are in the currency's smallest unit, times in
 * Unix seconds.
 */
import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { Card } from './cards.ts';
import { newId, nowSec, randomText } from './ids.ts';
import type { PaymentIntent, Refund } from './state.ts';

export const NO_ADDRESS: Stripe.Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

type CustomerFields = Partial<Pick<Stripe.Customer, 'description' | 'email' | 'name' | 'phone'>> & {
  metadata: Stripe.Metadata;
};

export function newCustomer(fields: CustomerFields): Stripe.Customer {
  return {
    id: `cus_${randomText(14)}`,
    object: 'customer',
    address: null,
    balance: 0,
    created: nowSec(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
    ...fields,
  };
}

export type CardDetails = { exp_month: number; exp_year: number };

/** Returns the fingerprint that all payment methods of one card share. */
export function cardFingerprint(card: Card): string {
  return createHash('sha256').update(card.number).digest('base64url').slice(0, 16);
}

export function newPaymentMethod(
  card: Card,
  { exp_month, exp_year }: CardDetails,
  billing: Partial<Stripe.PaymentMethod.BillingDetails> = {},
): Stripe.PaymentMethod & { card: Stripe.PaymentMethod.Card } {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: NO_ADDRESS,
      email: null,
      name: null,
      phone: null,
      tax_id: null,
      ...billing,
    },
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: null },
      country: 'US',
      display_brand: card.brand,
      exp_month,
      exp_year,
      fingerprint: cardFingerprint(card),
      funding: card.funding,
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: nowSec(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

type PaymentIntentFields = Pick<PaymentIntent, 'amount' | 'currency' | 'metadata' | 'payment_method_types'> &
  Partial<
    Pick<
      PaymentIntent,
      | 'automatic_payment_methods'
      | 'customer'
      | 'description'
      | 'receipt_email'
      | 'setup_future_usage'
      | 'statement_descriptor'
      | 'statement_descriptor_suffix'
    >
  >;

export function newPaymentIntent(fields: PaymentIntentFields): PaymentIntent {
  const id = newId('pi');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic',
    created: nowSec(),
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: 'automatic',
      },
    },
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    ...fields,
  };
}

type RefundFields = Pick<
  Refund,
  'amount' | 'charge' | 'currency' | 'customer' | 'metadata' | 'payment_intent' | 'payment_method' | 'reason'
> & { status: 'pending' | 'succeeded' };

export function newRefund(fields: RefundFields): Refund {
  return {
    id: newId('re'),
    object: 'refund',
    balance_transaction: null,
    created: nowSec(),
    customer_account: null,
    destination_details: {
      card: {
        reference_status: 'pending',
        reference_type: 'acquirer_reference_number',
        type: 'refund',
      },
      type: 'card',
    },
    receipt_number: null,
    source_transfer_reversal: null,
    transfer_reversal: null,
    ...fields,
  };
}

type BalanceTransactionFields = Pick<
  Stripe.BalanceTransaction,
  'amount' | 'currency' | 'description' | 'fee_details' | 'reporting_category' | 'type'
> & { source: string };

export function newBalanceTransaction(fields: BalanceTransactionFields): Stripe.BalanceTransaction {
  const created = nowSec();
  const fee = fields.fee_details.reduce((total, { amount }) => total + amount, 0);
  return {
    id: newId('txn'),
    object: 'balance_transaction',
    available_on: created + 2 * 86_400,
    balance_type: 'payments',
    created,
    exchange_rate: null,
    fee,
    net: fields.amount - fee,
    status: 'pending',
    ...fields,
  };
}

export function newFee(
  amount: number,
  currency: string,
  description: string,
): Stripe.BalanceTransaction.FeeDetail {
  return { amount, application: null, currency, description, type: 'stripe_fee' };
}
