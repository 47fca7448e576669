/**
 * The credit of the account. In API mode the key opens it, a usage key only the balance. In ChainSecured mode the wallet
 * does: it signs an envelope, which the client sends for 240 seconds before it asks for another one.
 */
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { type GetReplyOf, get, post } from './http.ts';
import { type Page, type PageParameters, pageOf, pageQuery } from './pages.ts';
import { credentialOf } from './proof.ts';
import { defaultDeadline, type WriteOptions } from './write.ts';

/** What the card processor's library for browsers needs. */
export interface ProcessorConfig {
  publishableKey: string;
}

/** What the card processor's library for browsers needs. `not_found` says that the relayer takes no payments. */
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
  /** Whole cents, NEGATIVE while there is credit, as a clearing account has it; positive is owed. */
  balanceCents: number;
  /** `$5.00 credit` or `No credits`. */
  balanceDisplay: string;
  /** Credit in millionths: 10,000 are one cent. Below zero is owed. */
  creditMicros: bigint;
}

/** The credit that the account can spend; what is set aside for writes and runs under way is not in it. */
export async function getBalance(client: BareClient, options?: CallOptions): Promise<Balance> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/billing/balance', {
    ...(await credentialOf(client, deadline)),
    seesOwnWrites: true,
    deadline,
  });
  return {
    balanceCents: json.balance_cents,
    balanceDisplay: json.balance_display,
    creditMicros: BigInt(json.credit_micros),
  };
}

type WireEntry = GetReplyOf<'/core/v1/billing/ledger'>[number];

/** A movement of the credit. */
export interface LedgerEntry {
  /** 1, 2, 3, … in the order of time. */
  number: number;
  /**
   * `credit`: paid in. `reserve`: set aside for a write or a second of a run, which is then taken (`capture`) or given back
   * (`release`). `reverse`: taken back, by a refund for example.
   */
  kind: WireEntry['kind'];
  /** Never negative. */
  amountMicros: bigint;
  /** What could be spent after this entry; below zero is owed. */
  availableMicrosAfter: bigint;
  reason: string;
  /** Number of the reserve that this entry ends. */
  reserve?: number | undefined;
  /** The key that spent it. */
  apiKeyHash?: bigint | undefined;
  createdAt: Date;
}

const entryOf = (entry: WireEntry): LedgerEntry => ({
  number: entry.number,
  kind: entry.kind,
  amountMicros: BigInt(entry.amount_micros),
  availableMicrosAfter: BigInt(entry.available_micros_after),
  reason: entry.reason,
  reserve: entry.reserve ?? undefined,
  apiKeyHash: entry.api_key_hash === null ? undefined : BigInt(entry.api_key_hash),
  createdAt: new Date(entry.created_at),
});

/** Lists every movement of the credit, the latest first: pages shift while there are new ones. */
export async function listLedger(
  client: BareClient,
  parameters: PageParameters = {},
  options?: CallOptions,
): Promise<Page<LedgerEntry>> {
  const query = pageQuery(parameters);
  const deadline = defaultDeadline(client, options);
  const reply = await get(client, '/core/v1/billing/ledger', {
    query,
    ...(await credentialOf(client, deadline)),
    seesOwnWrites: true,
    deadline,
  });
  return pageOf(reply, query, entryOf);
}

export interface CreatePaymentIntentParameters {
  /** 500 at least. */
  amountCents: number;
}

/** A payment that has begun. */
export interface PaymentIntent {
  paymentIntentId: string;
  /** With it the card processor's library for browsers takes the card. It opens this payment alone. */
  clientSecret: string;
}

/** Begins a payment by card. Once the card processor has the money, {@link confirmPayment} credits it. */
export async function createPaymentIntent(
  client: BareClient,
  { amountCents }: CreatePaymentIntentParameters,
  options: WriteOptions = {},
): Promise<PaymentIntent> {
  const deadline = defaultDeadline(client, options);
  const { json } = await post(client, '/core/v1/billing/create_payment_intent', {
    body: { amount_cents: amountCents },
    ...(await credentialOf(client, deadline)),
    seesOwnWrites: true,
    idempotencyKey: options.idempotencyKey,
    deadline,
  });
  return { paymentIntentId: json.payment_intent_id, clientSecret: json.client_secret };
}

export interface ConfirmPaymentParameters {
  paymentIntentId: string;
}

/**
 * Credits a payment that succeeded: once, however often it is called, and though the card processor tells of it too. `conflict` says that it has not succeeded (yet),
 * `not_found` that it is none of this account.
 */
export async function confirmPayment(
  client: BareClient,
  { paymentIntentId }: ConfirmPaymentParameters,
  options?: CallOptions,
): Promise<void> {
  const deadline = defaultDeadline(client, options);
  await post(client, '/core/v1/billing/confirm_payment', {
    body: { payment_intent_id: paymentIntentId },
    ...(await credentialOf(client, deadline)),
    seesOwnWrites: true,
    deadline,
  });
}
