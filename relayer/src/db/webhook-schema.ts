/** Webhooks of accounts. */
import { deliveryColumns, endpointColumns, isFailed, isWaiting } from '@latchkey/webhooks/tables';
import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { EventType } from '../webhooks/event-types.ts';
import { instant } from './columns.ts';

/** Where the events of an account are sent. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Master hash, 0x and 64 hex digits. */
    account: text('account').notNull(),
    /** Hash of the account key, or identity of the admin wallet, that set it last. Null in rows of earlier versions. */
    ownerHash: text('owner_hash'),
    types: text('types').array().$type<EventType[]>().notNull(),
    /** Threshold of `credit.low`. */
    creditLowMicros: bigint('credit_low_micros', { mode: 'bigint' }),
    ...endpointColumns(),
  },
  (table) => [index('webhook_endpoints_account').on(table.account)],
);

/** An event per endpoint. `queue_webhook` and `tell_credit_low` add the rows, in the transaction of the change. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    endpointId: uuid('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: 'cascade' }),
    ...deliveryColumns(),
  },
  (table) => [
    index('webhook_deliveries_waiting').on(table.endpointId, table.dueAt).where(isWaiting(table)),
    index('webhook_deliveries_failed').on(table.endpointId, table.createdAt, table.id).where(isFailed(table)),
    index('webhook_deliveries_endpoint').on(table.endpointId, table.createdAt, table.id),
    index('webhook_deliveries_created_at').on(table.createdAt),
  ],
);

/** Blocks whose logs were read. One relayer at a time reads on, under a lease. */
export const chainCursors = pgTable('chain_cursors', {
  name: text('name').primaryKey(),
  block: bigint('block', { mode: 'bigint' }),
  leaseUntil: instant('lease_until').notNull().defaultNow(),
});
