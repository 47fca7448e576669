import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Code of actions that accounts store to read it again. No account reads that of another one. */
export const storedCodes = pgTable(
  'stored_codes',
  {
    account: text('account').notNull(),
    cid: text('cid').notNull(),
    /** Sealed. */
    code: text('code').notNull(),
    /** Of the code before it was sealed. */
    bytes: integer('bytes').notNull(),
    /** Hash of the CID of the version that it replaces. */
    replaces: text('replaces'),
    storedAt: instant('stored_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.account, table.cid] })],
);
