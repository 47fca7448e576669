/** Tables of what the trigger service reads of each chain. */
import { sql } from 'drizzle-orm';
import { bigint, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, table } from './columns.schema.ts';

/** How far the logs of each chain were read, for all triggers that are live, and the process that reads them. */
export const chainPositions = table(
  'chain_positions',
  {
    chain: text('chain').notNull(),
    chainId: bigint('chain_id', { mode: 'number' }).notNull(),
    /** Newest block that was processed. Its logs are read when it is confirmed for their trigger. */
    headBlock: bigint('head_block', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Null before the first block. */
    headHash: text('head_hash'),
    holder: uuid('holder'),
    leaseUntil: instant('lease_until').notNull().default(sql`'-infinity'`),
  },
  (t) => [primaryKey({ columns: [t.chain, t.chainId] })],
);

/** Triggers that were created, changed or deleted since the process that reads their chain last looked. Written by the database. */
export const chainChanges = table(
  'chain_changes',
  { chain: text('chain').notNull(), triggerId: uuid('trigger_id').notNull() },
  (t) => [primaryKey({ columns: [t.chain, t.triggerId] })],
);

/** First and last block. `again`: the blocks were read before, and are compared with the chain again. */
export type BlockRange = [first: number, last: number, again?: 'again'];

/** A block from which on a balance was beyond its threshold, or no longer. */
export type Side = { block: number; hash: string; is_beyond: boolean };
