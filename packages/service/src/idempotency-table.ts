import { index, type PgTableFn, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/**
 * Defines the table of outcomes of requests with an `Idempotency-Key`, by default in the PostgreSQL schema `public`. `reply` is
 * sealed: it can contain a key that is shown once.
 */
export const idempotencyTable = <Schema extends string | undefined = undefined>(
  table: PgTableFn<Schema> = pgTable as never,
) =>
  table(
    'idempotency',
    {
      id: text('id').primaryKey(),
      requestHash: text('request_hash').notNull(),
      holder: text('holder').notNull(),
      /** A running record can be taken over when its lease has expired. */
      leaseUntil: instant('lease_until').notNull(),
      /** Absent while the request runs. */
      reply: text('reply'),
      createdAt: instant('created_at').notNull().defaultNow(),
    },
    (columns) => [index('idempotency_created_at').on(columns.createdAt)],
  );

export type IdempotencyTable = ReturnType<typeof idempotencyTable<string | undefined>>;
