/** Tables of alerts. */
import { deliveryColumns, endpointColumns, type Message } from '@latchkey/webhooks/tables';
import { index, integer, json, text, uuid } from 'drizzle-orm/pg-core';
import { users } from './account-schema.ts';
import { table } from './columns.schema.ts';

/** Webhooks to which the service sends the alerts of an account. */
export const alertWebhooks = table('alert_webhooks', {
  /** The account has one: its user's id. */
  id: uuid('user_id')
    .primaryKey()
    .references(() => users.id),
  /** Failed runs of a trigger in a row after which the alert is sent. */
  afterFailures: integer('after_failures').notNull(),
  /** Mode, admin and key of the account of the caller who set the webhook. Null in rows of earlier versions. */
  authority: text('authority'),
  ...endpointColumns(),
});

/** Alerts that wait, were delivered or were given up. */
export const alertDeliveries = table(
  'alert_deliveries',
  {
    endpointId: uuid('user_id')
      .notNull()
      .references(() => alertWebhooks.id, { onDelete: 'cascade' }),
    ...deliveryColumns(),
    message: json('alert').$type<Message>().notNull(),
  },
  (t) => [
    index('alert_deliveries_due').on(t.dueAt),
    index('alert_deliveries_user').on(t.endpointId, t.dueAt),
  ],
);

export const alertTables = { endpoints: alertWebhooks, deliveries: alertDeliveries };
