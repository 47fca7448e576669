/** Automatic top-ups by a stored card. */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Why no charge is made until the owner sets the top-up again or, for `authentication_required`, completes the payment. */
export const pauseReasons = ['authentication_required', 'card_declined', 'payment_taken_back'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** The settings of an account, with the card at Stripe. */
export const autoTopUps = pgTable('auto_top_ups', {
  /** Master hash, 0x and 64 hex digits. */
  account: text('account').primaryKey(),
  /** Hash of the account key, or identity of the admin wallet, that stored the card. The card is charged while it owns the account. */
  owner: text('owner').notNull(),
  customer: text('customer').notNull(),
  paymentMethod: text('payment_method').notNull(),
  brand: text('brand').notNull(),
  last4: text('last4').notNull(),
  expiryMonth: integer('expiry_month').notNull(),
  expiryYear: integer('expiry_year').notNull(),
  thresholdMicros: bigint('threshold_micros', { mode: 'bigint' }).notNull(),
  amountCents: integer('amount_cents').notNull(),
  monthlyLimitCents: integer('monthly_limit_cents').notNull(),
  pauseReason: text('pause_reason').$type<PauseReason>(),
  /** Stripe's code of a declined card. */
  declineCode: text('decline_code'),
  pausedAt: instant('paused_at'),
  /** When the owner was last compared with the chain. */
  checkedAt: instant('checked_at').notNull().defaultNow(),
  /** When to look whether a charge is due. Null: not before an entry of the ledger lowers the credit, which `mark_top_up` notices. */
  dueAt: instant('due_at').defaultNow(),
});

/**
 * `sending`: stored before it is sent, until the process that continues it knows its end and, when it was paid, has compared the owner again. `waiting`: for the authentication of the card holder. `closing`:
 * to be canceled at Stripe. `paid`, `failed`: final, except that a failed one that was paid after all becomes `paid`.
 */
export type ChargeStatus = 'sending' | 'waiting' | 'closing' | 'paid' | 'failed';

/** A charge of a stored card. Its id is the idempotency key at Stripe. */
export const topUpCharges = pgTable(
  'top_up_charges',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    account: text('account').notNull(),
    owner: text('owner').notNull(),
    customer: text('customer').notNull(),
    paymentMethod: text('payment_method').notNull(),
    amountCents: integer('amount_cents').notNull(),
    status: text('status').$type<ChargeStatus>().notNull().default('sending'),
    /** The payment intent, once it is known. */
    intent: text('intent').unique('top_up_charges_intent'),
    /** No other process continues the charge before. */
    leaseUntil: instant('lease_until').notNull().defaultNow(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    // One open charge per account, by all relayers together.
    uniqueIndex('top_up_charges_open')
      .on(table.account)
      .where(sql`${table.status} in ('sending', 'waiting', 'closing')`),
    index('top_up_charges_due').on(table.leaseUntil).where(sql`${table.status} in ('sending', 'closing')`),
    index('top_up_charges_account').on(table.account, table.createdAt),
  ],
);

/** Cards that are still to be detached at Stripe. */
export const cardDetachments = pgTable('card_detachments', {
  paymentMethod: text('payment_method').primaryKey(),
  dueAt: instant('due_at').notNull().defaultNow(),
});
