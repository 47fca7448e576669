/**
 * The credit of the account. In API mode the account key has access; a usage key reads the balance only. In
 * ChainSecured mode the wallet signs an envelope, which the client reuses for 240 seconds.
 */
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { type GetReplyOf, get } from './http.ts';
import { type Page, type PageParameters, pageQuery, toPage } from './pages.ts';
import type { WriteOptions } from './write-definition.ts';

/** The values that the card processor's browser library needs. */
export interface ProcessorConfig {
  publishableKey: string;
}

/**
 * Returns the values that the card processor's browser library needs. Rejects with `not_found` when the relayer accepts
 * no payments.
 */
export async function getProcessorConfig(
  client: BareClient,
  options?: CallOptions,
): Promise<ProcessorConfig> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/billing/processor_config', { deadline });
  return { publishableKey: json.publishable_key };
}

/** The credit that the account can spend. */
export interface Balance {
  /** Whole cents, NEGATIVE while the account has credit, as in a clearing account; positive when it owes. */
  balanceCents: number;
  /** `$5.00 credit` or `No credits`. */
  balanceDisplay: string;
  /** Micro-credits: 10,000 are one cent. Negative when the account owes. */
  creditMicros: bigint;
}

/** Returns the credit that the account can spend, without credit reserved for in-flight writes and runs. */
export async function getBalance(client: BareClient, options?: CallOptions): Promise<Balance> {
  const { json } = await getAsOwner(client, options, '/core/v1/billing/balance');
  return {
    balanceCents: json.balance_cents,
    balanceDisplay: json.balance_display,
    creditMicros: BigInt(json.credit_micros),
  };
}

/** The receipt of a payment. */
export interface PaymentReceipt {
  paymentIntentId: string;
  /** Master hash of the account. */
  account: bigint;
  /** US cents. */
  amountCents: number;
  /** When the payment was credited. */
  paidAt: Date;
  /** The card processor's receipt, which shows the last digits of the card. Absent for a payment of a former owner. */
  receiptUrl?: string | undefined;
}

export interface GetPaymentReceiptParameters {
  paymentIntentId: string;
}

/** Returns the receipt of a payment that was credited. Rejects with `not_found` when the account does not have it. */
export async function getPaymentReceipt(
  client: BareClient,
  { paymentIntentId }: GetPaymentReceiptParameters,
  options?: CallOptions,
): Promise<PaymentReceipt> {
  const { json } = await getAsOwner(client, options, '/core/v1/billing/receipt', {
    query: { payment_intent_id: paymentIntentId },
  });
  return {
    paymentIntentId: json.payment_intent_id,
    account: BigInt(json.account),
    amountCents: json.amount_cents,
    paidAt: new Date(json.paid_at),
    receiptUrl: json.receipt_url ?? undefined,
  };
}

type WireEntry = GetReplyOf<'/core/v1/billing/ledger'>[number];

/** A ledger entry. */
export interface LedgerEntry {
  /** 1, 2, 3, … in the order of time. */
  number: number;
  /**
   * `credit`: paid in. `reserve`: set aside for a write or a second of a run, which is then charged (`capture`) or
   * returned (`release`). `reverse`: taken back, for example by a refund.
   */
  kind: WireEntry['kind'];
  /** Never negative. */
  amountMicros: bigint;
  /** Available micro-credits after this entry; negative when the account owes. */
  availableMicrosAfter: bigint;
  reason: string;
  /** Number of the reserve that this entry ends. */
  reserve?: number | undefined;
  /** Hash of the account key or usage key that spent it. */
  keyHash?: bigint | undefined;
  createdAt: Date;
}

const toEntry = (entry: WireEntry): LedgerEntry => ({
  number: entry.number,
  kind: entry.kind,
  amountMicros: BigInt(entry.amount_micros),
  availableMicrosAfter: BigInt(entry.available_micros_after),
  reason: entry.reason,
  reserve: entry.reserve ?? undefined,
  keyHash: entry.api_key_hash === null ? undefined : BigInt(entry.api_key_hash),
  createdAt: new Date(entry.created_at),
});

/** A page of the ledger. */
export interface LedgerPage extends Page<LedgerEntry> {
  /**
   * Number of the last archived entry; absent when there is none. Reserves, captures and releases up to it are in archives of the operator
   * instead of in pages.
   */
  archivedEntries?: number | undefined;
}

/** Lists all ledger entries that are not archived, latest first. Pages shift when new entries are added. */
export async function listLedger(
  client: BareClient,
  parameters: PageParameters = {},
  options?: CallOptions,
): Promise<LedgerPage> {
  const query = pageQuery(parameters);
  const reply = await getAsOwner(client, options, '/core/v1/billing/ledger', {
    query,
  });
  const archived = reply.headers.get('x-archived-entries');
  return {
    ...toPage(reply, parameters, toEntry),
    archivedEntries: archived === null ? undefined : Number(archived),
  };
}

export interface CreatePaymentIntentParameters {
  /** At least 500. */
  amountCents: number;
}

/** A created payment. */
export interface PaymentIntent {
  paymentIntentId: string;
  /**
   * The secret with which the card processor's browser library completes this payment. It gives access to this payment
   * only.
   */
  clientSecret: string;
}

/** Creates a card payment. Once it has succeeded at the card processor, {@link confirmPayment} credits it. */
export async function createPaymentIntent(
  client: BareClient,
  { amountCents }: CreatePaymentIntentParameters,
  options: WriteOptions = {},
): Promise<PaymentIntent> {
  const { json } = await postAsOwner(client, options, '/core/v1/billing/create_payment_intent', {
    amount_cents: amountCents,
  });
  return { paymentIntentId: json.payment_intent_id, clientSecret: json.client_secret };
}

export interface ConfirmPaymentParameters {
  paymentIntentId: string;
}

/**
 * Credits a successful payment once, regardless of repeated calls and webhooks. Rejects with `conflict` when the
 * payment has not succeeded, and with `not_found` when it does not belong to this account.
 */
export async function confirmPayment(
  client: BareClient,
  { paymentIntentId }: ConfirmPaymentParameters,
  options?: CallOptions,
): Promise<void> {
  await postAsOwner(client, options, '/core/v1/billing/confirm_payment', {
    payment_intent_id: paymentIntentId,
  });
}
