import { sql } from 'drizzle-orm';
import {
  bigint,
  index,
  integer,
  jsonb,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Address, Hex } from 'viem';

const instant = (name: string) => timestamp(name, { withTimezone: true });

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
    blockHash: text('block_hash'),
    /** When a reorg dropped it after it had succeeded. Its request can have been answered, so it must succeed again. */
    droppedAt: instant('dropped_at'),
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
    index('transactions_block_number').on(table.blockNumber),
  ],
);

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
export type Signed = { raw: Hex; hash: Hex };
export type Unsigned = Fees & { payer: Address; nonce: number; data: Hex; gas: bigint };

export type StoredTransaction = Unsigned & {
  id: string;
  raw: Hex;
  hashes: Hex[];
  status: TransactionStatus;
  minedHash: Hex | null;
  blockNumber: bigint | null;
  droppedAt: Date | null;
  /** Master hash of the account that the call writes to. */
  account: bigint;
};

/** The account key or usage key that pays when the transaction succeeds. */
export type Payment = { key: bigint; amountMicros: bigint; reason: string };

export type NewTransaction = Fees & {
  data: Hex;
  gas: bigint;
  account: bigint;
  idempotencyId: string | undefined;
  payment: Payment | undefined;
  /** Caps that take effect with the transaction, as `change_caps` takes them. */
  capsChange: object | undefined;
  sign: (nonce: number) => Promise<Signed>;
};

/** The part of a database, or of a transaction on it, that the outbox uses. */
export type Database = Pick<
  PgDatabase<PgQueryResultHKT>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'execute'
>;
