import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/** The next nonce per payer. The row is locked while a nonce is assigned. */
export const payerNonces = pgTable('payer_nonces', {
  payer: text('payer').primaryKey(),
  next: integer('next').notNull(),
});

/**
 * `pending`: stored, possibly broadcast, not settled. `mined`: succeeded. `reverted`: mined without effect. `replaced`:
 * another transaction used its nonce, so it can never take effect.
 */
export type TransactionStatus = 'pending' | 'mined' | 'reverted' | 'replaced';

/** Every transaction of a payer, stored before it is broadcast. */
export const transactions = pgTable(
  'transactions',
  {
    id: text('id').primaryKey(),
    payer: text('payer').notNull(),
    nonce: integer('nonce').notNull(),
    data: text('data').notNull(),
    gas: bigint('gas', { mode: 'bigint' }).notNull(),
    maxFeePerGas: bigint('max_fee_per_gas', { mode: 'bigint' }).notNull(),
    maxPriorityFeePerGas: bigint('max_priority_fee_per_gas', { mode: 'bigint' }).notNull(),
    /** The latest signed form. */
    raw: text('raw').notNull(),
    /** Hashes of every signed form, the latest last. A repriced transaction can be mined in any of them. */
    hashes: text('hashes').array().notNull(),
    status: text('status').$type<TransactionStatus>().notNull().default('pending'),
    /** Hash of the mined form, and its block. */
    minedHash: text('mined_hash'),
    blockNumber: bigint('block_number', { mode: 'bigint' }),
    /** Master hash of the account it writes to, 0x and 64 hex digits. */
    account: text('account').notNull(),
    idempotencyId: text('idempotency_id'),
    /** Number of the ledger entry of its price; absent for a free transaction. */
    reserve: bigint('reserve', { mode: 'bigint' }),
    /** Caps that take effect with the transaction. */
    capsChange: jsonb('caps_change').$type<object>(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('transactions_pending_nonce')
      .on(table.payer, table.nonce)
      .where(sql`${table.status} = 'pending'`),
    uniqueIndex('transactions_idempotency_id')
      .on(table.idempotencyId)
      .where(sql`${table.status} in ('pending', 'mined')`),
    index('transactions_created_at').on(table.createdAt),
  ],
);
