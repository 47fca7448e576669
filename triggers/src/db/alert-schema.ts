/** Tables of alerts. */
import { index, integer, json, text, uuid } from 'drizzle-orm/pg-core';
import { users } from './account-schema.ts';
import { createdAt, instant, table } from './columns.schema.ts';

/** Webhooks to which the service sends the alerts of an account. */
export const alertWebhooks = table('alert_webhooks', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id),
  url: text('url').notNull(),
  /** Sealed, with the user's id as context. */
  secret: text('secret').notNull(),
  /** Failed runs of a trigger in a row after which the alert is sent. */
  afterFailures: integer('after_failures').notNull(),
  createdAt: createdAt(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});

export type Alert = { type: string; timestamp: string; data: Record<string, unknown> };

/** Alerts that were not delivered yet. */
export const alertDeliveries = table(
  'alert_deliveries',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => alertWebhooks.userId, { onDelete: 'cascade' }),
    alert: json('alert').$type<Alert>().notNull(),
    attempt: integer('attempt').notNull().default(0),
    /** Next attempt. A process that makes an attempt first sets it to the end of its lease. */
    dueAt: instant('due_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [index('alert_deliveries_due').on(t.dueAt), index('alert_deliveries_user').on(t.userId, t.dueAt)],
);
