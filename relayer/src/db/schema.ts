import { sql } from 'drizzle-orm';
import {
  bigint,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** The one contract that this database belongs to. */
export const deployments = pgTable(
  'deployments',
  { chainId: integer('chain_id').notNull(), address: text('address').notNull() },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);

/** Outcomes of requests with an `Idempotency-Key`. `reply` is sealed: it may hold a key that is shown once. */
export const idempotency = pgTable(
  'idempotency',
  {
    id: text('id').primaryKey(),
    requestHash: text('request_hash').notNull(),
    holder: text('holder').notNull(),
    /** A running record whose lease has ended may be taken over. */
    leaseUntil: instant('lease_until').notNull(),
    /** Absent while the request runs. */
    reply: text('reply'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('idempotency_created_at').on(table.createdAt)],
);

/** Sealed random bytes of one idempotent request: every attempt makes the same keys and paths from them. */
export const requestSeeds = pgTable(
  'request_seeds',
  {
    id: text('id').primaryKey(),
    seed: text('seed').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('request_seeds_created_at').on(table.createdAt)],
);

/** Action code that this service has been given, by the CID text under which it runs. */
export const actionCodes = pgTable('action_codes', {
  cid: text('cid').primaryKey(),
  /** UTF-8; a text column could not keep a NUL. */
  code: bytes('code').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

/** The next nonce of each payer. Its row is locked while a nonce is given out. */
export const payerNonces = pgTable('payer_nonces', {
  payer: text('payer').primaryKey(),
  next: integer('next').notNull(),
});

/**
 * `pending`: stored, perhaps broadcast, not settled. `mined`: succeeded. `reverted`: mined without effect.
 * `replaced`: another transaction took its nonce, so that it never takes effect.
 */
export type TransactionStatus = 'pending' | 'mined' | 'reverted' | 'replaced';

/** Every transaction of a payer, written before it is broadcast. */
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
    /** Hashes of every signed form, the latest last: a repriced transaction may be mined in any of them. */
    hashes: text('hashes').array().notNull(),
    status: text('status').$type<TransactionStatus>().notNull().default('pending'),
    /** Hash of the form that was mined, and its block. */
    minedHash: text('mined_hash'),
    blockNumber: bigint('block_number', { mode: 'bigint' }),
    /** The account that is written, 0x and 64 hex digits. */
    account: text('account').notNull(),
    idempotencyId: text('idempotency_id'),
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

/** Block of the last write to each account that went through this service, by master hash. */
export const accountHeads = pgTable('account_heads', {
  account: text('account').primaryKey(),
  block: bigint('block', { mode: 'bigint' }).notNull(),
});
