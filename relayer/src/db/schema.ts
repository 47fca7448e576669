import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
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

/** Code of actions whose runs were paid, by the CID text under which it runs. */
export const actionCodes = pgTable('action_codes', {
  cid: text('cid').primaryKey(),
  /** UTF-8; a text column could not keep a NUL. */
  code: bytes('code').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

/** The accounts that run a code: it counts in the quota of each. Code that no row names any more is deleted. */
export const actionCodeUses = pgTable(
  'action_code_uses',
  {
    account: text('account').notNull(),
    cid: text('cid')
      .notNull()
      .references(() => actionCodes.cid, { onDelete: 'cascade' }),
    /** Of a paid run; written once a day. */
    lastUsedAt: instant('last_used_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.cid] }),
    index('action_code_uses_cid').on(table.cid, table.lastUsedAt),
  ],
);

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

/** What an owner allows a usage key beside its permissions; null is no limit. */
export type Caps = {
  spendCapCents: number | null;
  /** The cap holds for windows of this length, each beginning with the first spending after the one before; null is for ever. */
  spendWindowSec: number | null;
  maxRunsPerMinute: number | null;
  maxConcurrency: number | null;
};

/** The caps that a usage key (0x and 64 hex digits) has from now on; null takes them away. */
export type CapsChange = { key: string; caps: Caps | null };

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
    /** Number of the ledger entry that holds its price; absent where it is free. */
    reserve: bigint('reserve', { mode: 'bigint' }),
    /** Takes effect with the transaction. */
    capsChange: jsonb('caps_change').$type<CapsChange>(),
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

/** Micro-credits of each account, by master hash. The trigger of `ledger_entries` keeps it; nothing else may write it. */
export const creditBalances = pgTable(
  'credit_balances',
  {
    account: text('account').primaryKey(),
    available: bigint('available', { mode: 'bigint' }).notNull(),
    reserved: bigint('reserved', { mode: 'bigint' }).notNull(),
    /** Sums of all entries of these kinds. */
    credited: bigint('credited', { mode: 'bigint' }).notNull(),
    captured: bigint('captured', { mode: 'bigint' }).notNull(),
    reversed: bigint('reversed', { mode: 'bigint' }).notNull(),
    /** Number of the last entry. Its row is locked while an entry is made, so that numbers are in the order of time. */
    entries: bigint('entries', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    check('credit_balances_reserved', sql`${table.reserved} >= 0`),
    check(
      'credit_balances_sum',
      sql`${table.available} + ${table.reserved} = ${table.credited} - ${table.captured} - ${table.reversed}`,
    ),
  ],
);

/**
 * How credit moves between the books of an account (`available`, `reserved`) and ours (`funding`, `revenue`).
 * `credit`: funding → available; `reserve`: available → reserved; `capture`: reserved → revenue;
 * `release`: reserved → available; `reverse`: available → funding, below zero where it was spent.
 */
export type EntryKind = 'credit' | 'reserve' | 'capture' | 'release' | 'reverse';

const bookOf = (books: Record<EntryKind, string>) => {
  const cases = Object.entries(books).map(([kind, book]) => `when '${kind}' then '${book}'`);
  return sql.raw(`case kind ${cases.join(' ')} end`);
};

/** Append-only, double entry: each row takes its amount from one book to another. */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    account: text('account').notNull(),
    /** 1, 2, 3, … in each account. */
    number: bigint('number', { mode: 'bigint' }).notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    fromBook: text('from_book').generatedAlwaysAs(
      bookOf({
        credit: 'funding',
        reserve: 'available',
        capture: 'reserved',
        release: 'reserved',
        reverse: 'available',
      }),
    ),
    toBook: text('to_book').generatedAlwaysAs(
      bookOf({
        credit: 'available',
        reserve: 'reserved',
        capture: 'revenue',
        release: 'available',
        reverse: 'funding',
      }),
    ),
    amountMicros: bigint('amount_micros', { mode: 'bigint' }).notNull(),
    /** Of a capture or release: the reserve that it ends, which has the same account and amount. */
    reserve: bigint('reserve', { mode: 'bigint' }),
    reserveKind: text('reserve_kind').generatedAlwaysAs(
      sql`case when reserve is null then null else 'reserve' end`,
    ),
    /** Hash of the key for which it was reserved. */
    keyHash: text('key_hash'),
    /** What happened elsewhere, once: an event of the card processor, a decision of an operator. */
    externalId: text('external_id').unique('ledger_entries_external_id'),
    /** For whom and why, in words; never a secret. */
    reason: text('reason').notNull(),
    /** After this entry. */
    availableAfter: bigint('available_after', { mode: 'bigint' }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.number] }),
    check('ledger_entries_amount', sql`${table.amountMicros} > 0`),
    check('ledger_entries_kind', sql`${table.fromBook} is not null`),
    check(
      'ledger_entries_reserve',
      sql`(${table.reserve} is not null) = (${table.kind} in ('capture', 'release'))`,
    ),
    unique('ledger_entries_identity').on(table.account, table.number, table.kind, table.amountMicros),
    foreignKey({
      name: 'ledger_entries_ended_reserve',
      columns: [table.account, table.reserve, table.reserveKind, table.amountMicros],
      foreignColumns: [table.account, table.number, table.kind, table.amountMicros],
    }),
    unique('ledger_entries_ended_once').on(table.account, table.reserve),
    // What came from elsewhere is looked through by its time; of the others there are far more.
    index('ledger_entries_external_created_at')
      .on(table.createdAt)
      .where(sql`${table.externalId} is not null`),
  ],
);

/** Caps of usage keys, by hash. Its row is locked while the key spends. */
export const usageKeyCaps = pgTable('usage_key_caps', {
  key: text('key').primaryKey(),
  spendCapCents: integer('spend_cap_cents'),
  spendWindowSec: integer('spend_window_sec'),
  maxRunsPerMinute: integer('max_runs_per_minute'),
  maxConcurrency: integer('max_concurrency'),
  /** Reserved and not released since the window began. */
  spentMicros: bigint('spent_micros', { mode: 'bigint' }).notNull().default(sql`0`),
  windowStartedAt: instant('window_started_at'),
});

/** Every run, from the reserve of its first second on. */
export const runs = pgTable(
  'runs',
  {
    /** The id of its request. */
    id: text('id').primaryKey(),
    account: text('account').notNull(),
    key: text('key').notNull(),
    idempotencyId: text('idempotency_id'),
    startedAt: instant('started_at').notNull().defaultNow(),
    /** A run whose lease has ended without it has lost its process. */
    leaseUntil: instant('lease_until').notNull(),
    endedAt: instant('ended_at'),
    /** Numbers of its ledger entries, one a second. */
    reserves: bigint('reserves', { mode: 'bigint' }).array().notNull(),
    /** What an idempotent run gave, sealed: a repeated request is answered with it. */
    outcome: text('outcome'),
  },
  (table) => [
    uniqueIndex('runs_idempotency_id').on(table.idempotencyId).where(sql`${table.outcome} is not null`),
    index('runs_key_started_at').on(table.key, table.startedAt),
    index('runs_open_lease').on(table.leaseUntil).where(sql`${table.endedAt} is null`),
    index('runs_ended_at').on(table.endedAt),
  ],
);

/** The card processor's customer of each account. */
export const processorCustomers = pgTable('processor_customers', {
  account: text('account').primaryKey(),
  customer: text('customer').notNull(),
});
