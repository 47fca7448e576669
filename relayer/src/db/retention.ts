import { isExpiredRecord } from '@latchkey/http/idempotency-store';
import { and, eq, isNotNull, lt, ne, notExists, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { idempotency, newAccountGas, requestSeeds, runs, transactions } from './schema.ts';

const RETENTION_HOURS = 25;
const OUTCOME_RETENTION_HOURS = 7 * 24 + 1;
const TRANSACTION_RETENTION_HOURS = 30 * 24;

const hoursAgo = (hours: number) => sql`now() - make_interval(hours => ${hours}::int)`;

/**
 * Deletes idempotent outcomes and the gas of new accounts after more than the documented 24 hours, outcomes of runs after 7 days, records of
 * runs after `runRecordDays`, and settled transactions after 30 days.
 */
export async function sweep(db: Database, runRecordDays: number): Promise<void> {
  const expired = hoursAgo(RETENTION_HOURS);
  await db.delete(runs).where(lt(runs.endedAt, hoursAgo(24 * runRecordDays)));
  // Before the idempotency records, which expire with the outcomes of their runs.
  await db
    .update(runs)
    .set({ outcome: null })
    .where(and(isNotNull(runs.outcome), lt(runs.endedAt, hoursAgo(OUTCOME_RETENTION_HOURS))));
  // While the run has its outcome, the record refuses the Idempotency-Key for another request.
  const isOutcomeOf = and(eq(runs.idempotencyId, idempotency.id), isNotNull(runs.outcome));
  await db
    .delete(idempotency)
    .where(
      and(isExpiredRecord(idempotency), notExists(db.select({ one: sql`1` }).from(runs).where(isOutcomeOf))),
    );
  await db.delete(newAccountGas).where(lt(newAccountGas.hour, expired));
  await db.delete(requestSeeds).where(lt(requestSeeds.createdAt, expired));
  await db
    .update(transactions)
    .set({ idempotencyId: null })
    .where(
      and(
        isNotNull(transactions.idempotencyId),
        lt(transactions.createdAt, expired),
        ne(transactions.status, 'pending'),
      ),
    );
  await db
    .delete(transactions)
    .where(
      and(
        lt(transactions.createdAt, hoursAgo(TRANSACTION_RETENTION_HOURS)),
        ne(transactions.status, 'pending'),
      ),
    );
}
