import type { ApprovalRequest } from '@latchkey/runner-protocol';
import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { Hex } from 'viem';
import { instant } from './columns.ts';

/** The version before stored requests without passkeys. */
export type StoredRequest = Omit<ApprovalRequest, 'passkeyApprovers'> &
  Partial<Pick<ApprovalRequest, 'passkeyApprovers'>>;

/** Approvals that runs asked for. */
export const approvals = pgTable(
  'approvals',
  {
    id: text('id').primaryKey(),
    account: text('account').notNull(),
    /** Hash of the usage key that goes on with the run. */
    key: text('key').notNull(),
    cid: text('cid').notNull(),
    /** The run that asked. */
    runId: text('run_id').notNull(),
    request: jsonb('request').$type<StoredRequest>().notNull(),
    /** By approver. */
    signatures: jsonb('signatures').$type<Record<Hex, Hex>>().notNull().default(sql`'{}'`),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
    /** The approver who refused it. */
    refusedBy: text('refused_by'),
    /** The run that went on with it. */
    usedBy: text('used_by'),
    /** Sealed parameters of the run, until it goes on, or no longer can. */
    input: text('input'),
  },
  (table) => [
    index('approvals_account_created_at').on(table.account, table.createdAt, table.id),
    index('approvals_key_created_at').on(table.key, table.createdAt, table.id),
    index('approvals_open').on(table.account).where(sql`${table.input} is not null`),
    index('approvals_open_expires_at').on(table.expiresAt).where(sql`${table.input} is not null`),
    index('approvals_expires_at').on(table.expiresAt),
  ],
);
