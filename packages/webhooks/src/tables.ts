/** Columns of the tables of webhooks. A service adds the ids, and the columns of its own. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import {
  boolean,
  integer,
  json,
  type PgColumn,
  type PgTable,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/** The body that a receiver gets. */
export type Message = { type: string; timestamp: string; data: Record<string, unknown> };

export const endpointColumns = () => ({
  url: text('url').notNull(),
  /** Sealed, with the id of the endpoint as context. */
  secret: text('secret').notNull(),
  isEnabled: boolean('is_enabled').notNull().default(true),
  /** Why the service disabled it. Null when its owner did. */
  disabledReason: text('disabled_reason'),
  /** First failed attempt since the last delivery. */
  failingSince: instant('failing_since'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});

export const deliveryColumns = () => ({
  /** The `webhook-id` of all attempts. */
  id: uuid('id').primaryKey().defaultRandom(),
  message: json('message').$type<Message>().notNull(),
  /** Number of attempts. */
  attempt: integer('attempt').notNull().default(0),
  /**
   * Next attempt; `infinity` when it has ended. A process that makes an attempt first sets it to the end of its lease.
   * NOTE A Date cannot be infinite: do not select it.
   */
  dueAt: instant('due_at').notNull().defaultNow(),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** Start of its retries: its creation, or its last replay. */
  queuedAt: instant('queued_at').notNull().defaultNow(),
  attemptedAt: instant('attempted_at'),
  deliveredAt: instant('delivered_at'),
  /** Status of the last reply; null without one. */
  responseStatus: integer('response_status'),
  /** Why the last attempt failed. */
  error: text('error'),
});

/** The two tables of a service. An endpoint is deleted with its deliveries. */
export type WebhookTables = {
  endpoints: PgTable & Record<'id' | keyof ReturnType<typeof endpointColumns>, PgColumn>;
  deliveries: PgTable & Record<'endpointId' | keyof ReturnType<typeof deliveryColumns>, PgColumn>;
};

/** True for a delivery that has not ended. */
export const isWaiting = ({ dueAt }: { dueAt: SQLWrapper }): SQL => sql`${dueAt} < 'infinity'`;
/** True for a delivery that was given up. */
export const isFailed = ({ dueAt, deliveredAt }: Record<'dueAt' | 'deliveredAt', SQLWrapper>): SQL =>
  sql`${dueAt} = 'infinity' and ${deliveredAt} is null`;
