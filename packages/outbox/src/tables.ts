import { sql } from 'drizzle-orm';
import {
  bigint,
  index,
  integer,
  jsonb,
  numeric,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  primaryKey,
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
 * another transaction used its nonce, and it is not sent again.
 */
export type TransactionStatus = 'pending' | 'mined' | 'reverted' | 'replaced';

/** Columns of the transactions of every kind of sender. */
const columns = () => ({
  id: text('id').primaryKey(),
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
  /** When a transfer of nothing was signed that takes its nonce. */
  cancelRequestedAt: instant('cancel_requested_at'),
  /** Master hash of the account that it belongs to, 0x and 64 hex digits. */
  account: text('account').notNull(),
  idempotencyId: text('idempotency_id'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});

/** Every transaction of a payer, stored before it is broadcast. */
export const transactions = pgTable(
  'transactions',
  {
    ...columns(),
    payer: text('payer').notNull(),
    /** Number of the ledger entry of its price; absent for a free transaction. */
    reserve: bigint('reserve', { mode: 'bigint' }),
    /** Caps that take effect with the transaction. */
    capsChange: jsonb('caps_change').$type<object>(),
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

/** The next nonce per wallet and chain, and the process that signs with it. The row is locked while nonces are assigned. */
export const walletNonces = pgTable(
  'wallet_nonces',
  {
    chainId: bigint('chain_id', { mode: 'number' }).notNull(),
    wallet: text('wallet').notNull(),
    next: integer('next').notNull(),
    /** The next nonce by the chain at the last send, and since when it has been the same. */
    inChain: integer('in_chain').notNull(),
    inChainAt: instant('in_chain_at').notNull().defaultNow(),
    settledAt: instant('settled_at').notNull().defaultNow(),
    turnOf: text('turn_of'),
    turnUntil: instant('turn_until'),
    /** The process that has the next turn, while it goes on to ask. */
    waitsOf: text('waits_of'),
    waitsUntil: instant('waits_until'),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.wallet] })],
);

/**
 * Every transaction of a wallet, stored before it is broadcast, with all forms that its run has signed. `pending` with a hash of a mined form:
 * in a block that does not count yet. `mined`: in one that counts. `replaced` with a hash of a mined form: cancelled.
 */
export const walletTransactions = pgTable(
  'wallet_transactions',
  {
    ...columns(),
    chainId: bigint('chain_id', { mode: 'number' }).notNull(),
    payer: text('wallet').notNull(),
    /** Null creates a contract. */
    to: text('receiver'),
    value: numeric('value', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    /** Hash of the usage key of the run that signed it, and the run. */
    usageKey: text('usage_key').notNull(),
    runId: text('run_id').notNull(),
    cid: text('cid').notNull(),
    /** The signed forms of the call in the order of their fees. */
    forms: text('forms').array().notNull(),
    /** A signed transfer of nothing with the same nonce, which can replace every form. */
    cancelRaw: text('cancel_raw').notNull(),
    cancelHash: text('cancel_hash').notNull(),
    /** When a node accepted it first. */
    broadcastAt: instant('broadcast_at'),
    /** Why it reverted. */
    reason: text('reason'),
    /** The last time at which a caller could see a change. */
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('wallet_transactions_pending_nonce')
      .on(table.chainId, table.payer, table.nonce)
      .where(sql`${table.status} = 'pending'`),
    uniqueIndex('wallet_transactions_idempotency_id').on(table.idempotencyId),
    index('wallet_transactions_created_at').on(table.createdAt),
    index('wallet_transactions_block').on(table.chainId, table.blockNumber),
    index('wallet_transactions_account').on(table.account, table.createdAt, table.id),
    index('wallet_transactions_usage_key').on(table.usageKey, table.createdAt, table.id),
    index('wallet_transactions_wallet').on(table.account, table.payer, table.createdAt, table.id),
    index('wallet_transactions_status').on(table.account, table.status, table.createdAt, table.id),
    index('wallet_transactions_changed_at').on(table.account, table.changedAt),
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
  cancelRequestedAt: Date | null;
  /** Master hash of the account that the call writes to. */
  account: bigint;
};

/** The state of a new transaction. */
export const fresh = {
  status: 'pending',
  minedHash: null,
  blockNumber: null,
  droppedAt: null,
  cancelRequestedAt: null,
} as const;

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
