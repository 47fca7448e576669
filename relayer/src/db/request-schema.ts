import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** `refused`: a status of 4xx, `failed`: of 5xx, `aborted`: the client left before the reply. */
export const requestOutcomes = ['success', 'refused', 'failed', 'aborted'] as const;

/** Requests of accounts, for seven days. They have nothing that the client wrote. */
export const accountRequests = pgTable(
  'account_requests',
  {
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    account: text('account').notNull(),
    /** The run of the request has the same id. */
    requestId: text('request_id').notNull(),
    /** Hash of the key or wallet that sent it. */
    key: text('key').notNull(),
    method: text('method').notNull(),
    /** Declared path of the route. */
    route: text('route').notNull(),
    outcome: text('outcome', { enum: requestOutcomes }).notNull(),
    /** Null for an aborted request. */
    status: integer('status'),
    error: text('error'),
    durationMs: integer('duration_ms').notNull(),
    chargedMicros: bigint('charged_micros', { mode: 'number' }).notNull(),
    at: instant('at').notNull(),
    /** Later requests of the account in the same second that are not stored. */
    omitted: integer('omitted').notNull(),
  },
  // The lists have theirs in indexes.sql. An index by the id alone would let a list read the rows of other accounts.
  (table) => [index('account_requests_at').on(table.at)],
);
