import { payerNonces, transactions, walletNonces, walletTransactions } from '@latchkey/outbox/tables';
import type { RunUsage } from '@latchkey/runner-protocol';
import { idempotencyTable } from '@latchkey/service/idempotency-table';
import { sql } from 'drizzle-orm';
import {
  bigint,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { SignedReceipt } from '../runners/receipts.ts';
import { bytes, instant } from './columns.ts';

export * from './approval-schema.ts';
export * from './ledger-schema.ts';
export * from './request-schema.ts';
export * from './stored-code-schema.ts';
export * from './top-up-schema.ts';
export * from './webhook-schema.ts';
export { payerNonces, transactions, walletNonces, walletTransactions };

/** The contract that this database is bound to. */
export const deployments = pgTable(
  'deployments',
  { chainId: integer('chain_id').notNull(), address: text('address').notNull() },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);

export const idempotency = idempotencyTable();

/** Sealed random bytes per idempotent request: every retry derives the same keys and paths from them. */
export const requestSeeds = pgTable(
  'request_seeds',
  {
    id: text('id').primaryKey(),
    seed: text('seed').notNull(),
    /** A value that was made once for the request, sealed. */
    made: text('made'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('request_seeds_created_at').on(table.createdAt)],
);

/** Code of actions with paid runs, by the CID text under which it runs. */
export const actionCodes = pgTable('action_codes', {
  cid: text('cid').primaryKey(),
  /** UTF-8 bytes: a text column cannot store NUL. */
  code: bytes('code').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

/** Certificate of the public key of each action that has run with key nodes. A certificate never expires and proves itself. */
export const actionKeys = pgTable('action_keys', {
  cid: text('cid').primaryKey(),
  certificate: text('certificate').notNull(),
});

/** Accounts that run a code. The code counts towards the quota of each, and is deleted without a row here. */
export const actionCodeUses = pgTable(
  'action_code_uses',
  {
    account: text('account').notNull(),
    cid: text('cid')
      .notNull()
      .references(() => actionCodes.cid, { onDelete: 'cascade' }),
    /** Last paid run, written once per day. */
    lastUsedAt: instant('last_used_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.cid] }),
    index('action_code_uses_cid').on(table.cid, table.lastUsedAt),
  ],
);

/** The spending limits of a usage key, in addition to its permissions; null is unlimited. */
export type Caps = {
  spendCapCents: number | null;
  /**
   * Length of a spending window. A window begins with the first spending after the previous one ended; null is one
   * window without end.
   */
  spendWindowSec: number | null;
  maxRunsPerMinute: number | null;
  maxConcurrency: number | null;
  /** Longest run, in seconds. */
  maxRunSec: number | null;
};

/**
 * New caps of a usage key (0x and 64 hex digits); null removes them. With `from`, `key` takes over the caps, the spending and the
 * recording of that key. With `isRemoved`, the caps and the recording end with the key.
 */
export type CapsChange =
  | { key: string; caps: Caps | null }
  | { key: string; from: string }
  | { key: string; isRemoved: true };

/** The relayers on this database. A process that has not renewed its row for ten seconds is gone. */
export const relayerProcesses = pgTable('relayer_processes', {
  id: text('id').primaryKey(),
  seenAt: instant('seen_at').notNull(),
});

/** Block of the last write to each account through this relayer, by master hash. */
export const accountHeads = pgTable('account_heads', {
  account: text('account').primaryKey(),
  block: bigint('block', { mode: 'bigint' }).notNull(),
});

/** Caps per usage key hash. The row is locked while the key spends. */
export const usageKeyCaps = pgTable('usage_key_caps', {
  key: text('key').primaryKey(),
  spendCapCents: integer('spend_cap_cents'),
  spendWindowSec: integer('spend_window_sec'),
  maxRunsPerMinute: integer('max_runs_per_minute'),
  maxConcurrency: integer('max_concurrency'),
  maxRunSec: integer('max_run_sec'),
  /** Amount reserved and not released since the window began. */
  spentMicros: bigint('spent_micros', { mode: 'bigint' }).notNull().default(sql`0`),
  windowStartedAt: instant('window_started_at'),
});

/** The last change of each usage key's caps on the chain: an earlier one that arrives later has no effect. */
export const capsChanges = pgTable('caps_changes', {
  key: text('key').primaryKey(),
  block: bigint('block', { mode: 'bigint' }).notNull(),
  transactionIndex: integer('transaction_index').notNull(),
  /** The key that replaced it. A change that arrives for a rotated key was made before the rotation, and applies to the new key. */
  rotatedTo: text('rotated_to'),
});

/** Usage keys whose runs keep their output, by choice of the account. */
export const outputRecordings = pgTable('output_recordings', {
  key: text('key').primaryKey(),
  /** The account that made the choice. */
  account: text('account').notNull(),
});

/** Every run, from the reserve of its first second. The row is the record of the run and never has its code, parameters or keys. */
export const runs = pgTable(
  'runs',
  {
    /** The request id. */
    id: text('id').primaryKey(),
    account: text('account').notNull(),
    key: text('key').notNull(),
    /** CID of its code. Null in rows of earlier versions. */
    cid: text('cid'),
    idempotencyId: text('idempotency_id'),
    startedAt: instant('started_at').notNull().defaultNow(),
    /** A run whose lease expired before it ended has lost its process. */
    leaseUntil: instant('lease_until').notNull(),
    endedAt: instant('ended_at'),
    /** Numbers of its ledger entries, one per second. */
    reserves: bigint('reserves', { mode: 'bigint' }).array().notNull(),
    /** Sum of the captured reserves; null before the end. */
    chargedMicros: bigint('charged_micros', { mode: 'bigint' }),
    /** Null before the end, and for a run that was released. */
    durationMs: integer('duration_ms'),
    /** Name of the error that ended it; null for a success. */
    errorName: text('error_name'),
    usage: jsonb('usage').$type<RunUsage>(),
    receipt: jsonb('receipt').$type<SignedReceipt>(),
    /** Set by any relayer on this database to end the run. */
    stopRequestedAt: instant('stop_requested_at'),
    /** Sealed outcome of an idempotent run: a repeated request gets it as its reply. */
    outcome: text('outcome'),
    /** Sealed output, when the account records the output of the key. */
    output: text('output'),
  },
  (table) => [
    uniqueIndex('runs_idempotency_id').on(table.idempotencyId).where(sql`${table.outcome} is not null`),
    index('runs_key_started_at').on(table.key, table.startedAt),
    index('runs_open_lease').on(table.leaseUntil).where(sql`${table.endedAt} is null`),
    index('runs_ended_at').on(table.endedAt),
    index('runs_recorded').on(table.key).where(sql`${table.output} is not null`),
    index('runs_account_started_at').on(table.account, table.startedAt, table.id),
  ],
);

/** Versions of the secrets of accounts. Only runs that may use the wallet can decrypt them. */
export const secrets = pgTable(
  'secrets',
  {
    account: text('account').notNull(),
    name: text('name').notNull(),
    /** Unix milliseconds. */
    version: bigint('version', { mode: 'number' }).notNull(),
    /** Address of the wallet that it is encrypted to. */
    wallet: text('wallet').notNull(),
    /** Uncompressed, in hex. Null when the client did not send it. */
    walletPublicKey: text('wallet_public_key'),
    ciphertext: bytes('ciphertext').notNull(),
    setAt: instant('set_at').notNull().defaultNow(),
    /** Exact to a minute. */
    lastReadAt: instant('last_read_at'),
  },
  (table) => [primaryKey({ columns: [table.account, table.name, table.version] })],
);

/** Changes and reads of secrets. A read is what a run asked for, before the key nodes decided. */
export const secretEvents = pgTable(
  'secret_events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    account: text('account').notNull(),
    name: text('name').notNull(),
    event: text('event').$type<'set' | 'read' | 'delete'>().notNull(),
    /** Null for all versions. */
    version: bigint('version', { mode: 'number' }),
    /** Hash of the key or admin wallet. */
    caller: text('caller').notNull(),
    cid: text('cid'),
    runId: text('run_id'),
    at: instant('at').notNull().defaultNow(),
  },
  (table) => [
    index('secret_events_account_name').on(table.account, table.name, table.id),
    index('secret_events_at').on(table.at),
  ],
);

/** Limits of actions: a counter per account, CID, wallet and name. Written by `take_allowance` only. */
export const allowanceCounters = pgTable(
  'allowance_counters',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    account: bytes('account').notNull(),
    cid: text('cid').notNull(),
    wallet: bytes('wallet').notNull(),
    name: text('name').notNull(),
    windowSec: integer('window_sec').notNull(),
    /** Number and time of the last use, and the sum of all uses. */
    sequence: bigint('sequence', { mode: 'bigint' }).notNull().default(sql`0`),
    lastAt: instant('last_at').notNull().default(sql`'-infinity'`),
    total: numeric('total').notNull().default('0'),
    /** `total` after the last use that was deleted. */
    deletedTotal: numeric('deleted_total').notNull().default('0'),
  },
  (table) => [unique('allowance_counters_name').on(table.account, table.cid, table.wallet, table.name)],
);

/** Uses of limits. The sum of a window is the difference of two totals. */
export const allowanceUses = pgTable(
  'allowance_uses',
  {
    counter: bigint('counter', { mode: 'bigint' })
      .notNull()
      .references(() => allowanceCounters.id),
    at: instant('at').notNull(),
    sequence: bigint('sequence', { mode: 'bigint' }).notNull(),
    amount: numeric('amount').notNull(),
    sum: numeric('sum').notNull(),
    /** Of the counter after the use. */
    total: numeric('total').notNull(),
    run: text('run').notNull(),
    number: integer('number').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.counter, table.at] }),
    uniqueIndex('allowance_uses_run').on(table.run, table.number),
    index('allowance_uses_expires_at').on(table.expiresAt),
    index('allowance_uses_total').on(table.counter, table.total),
  ],
);

/** Gas of new accounts per clock hour, for all processes: from receipts, and estimates for openings without a receipt. */
export const newAccountGas = pgTable('new_account_gas', {
  hour: instant('hour').primaryKey(),
  gas: bigint('gas', { mode: 'bigint' }).notNull(),
});

/** The card processor's customer per account. */
export const processorCustomers = pgTable('processor_customers', {
  account: text('account').primaryKey(),
  customer: text('customer').notNull(),
});
