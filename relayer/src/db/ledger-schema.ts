/** The ledger: balances, and the entries that make them. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Micro-credits per account, by master hash. Written only by the triggers of the ledger. */
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
    /**
     * Number of the last entry. The row is locked while an entry is added, so that numbers follow the order of time.
     */
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
 * How credit moves between the books of an account (`available`, `reserved`) and the operator's (`funding`, `revenue`).
 * `credit`: funding → available; `reserve`: available → reserved; `capture`: reserved → revenue; `release`: reserved →
 * available; `reverse`: available → funding, which can make `available` negative.
 */
export type EntryKind = 'credit' | 'reserve' | 'capture' | 'release' | 'reverse';

const caseOfKind = (books: Record<EntryKind, string>) => {
  const cases = Object.entries(books).map(([kind, book]) => `when '${kind}' then '${book}'`);
  return sql.raw(`case kind ${cases.join(' ')} end`);
};

/**
 * Append-only double-entry ledger: each row moves its amount from one book to another. Reserves and their ends are in `ledger_reserves`
 * and `ledger_ends` (migrations/0019_ledger_storage.sql), except those of versions before these tables.
 */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    account: text('account').notNull(),
    /** 1, 2, 3, … per account. */
    number: bigint('number', { mode: 'bigint' }).notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    fromBook: text('from_book').generatedAlwaysAs(
      caseOfKind({
        credit: 'funding',
        reserve: 'available',
        capture: 'reserved',
        release: 'reserved',
        reverse: 'available',
      }),
    ),
    toBook: text('to_book').generatedAlwaysAs(
      caseOfKind({
        credit: 'available',
        reserve: 'reserved',
        capture: 'revenue',
        release: 'available',
        reverse: 'funding',
      }),
    ),
    amountMicros: bigint('amount_micros', { mode: 'bigint' }).notNull(),
    /** The reserve that a capture or release ends. Both have the same account and amount. */
    reserve: bigint('reserve', { mode: 'bigint' }),
    reserveKind: text('reserve_kind').generatedAlwaysAs(
      sql`case when reserve is null then null else 'reserve' end`,
    ),
    /** Hash of the key for which it was reserved. */
    keyHash: text('key_hash'),
    /** Unique reference of the cause: a card processor event or an operator's decision. */
    externalId: text('external_id').unique('ledger_entries_external_id'),
    /** Human-readable reason; never a secret. */
    reason: text('reason').notNull(),
    /** Balance after this entry. */
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
    // Partial, so that PostgreSQL cannot use it to check the foreign key: a plan that it made without statistics of the table would read
    // all entries of the account by this index.
    uniqueIndex('ledger_entries_ended_once')
      .on(table.account, table.reserve)
      .where(sql`${table.reserve} is not null`),
    // Entries with an external cause are searched by time; all other entries are far more numerous.
    index('ledger_entries_external_created_at')
      .on(table.createdAt)
      .where(sql`${table.externalId} is not null`),
  ],
);
