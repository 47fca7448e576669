import { and, isNotNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { idempotency, requestSeeds, runs, transactions } from './schema.ts';

const RETENTION_HOURS = 25;
const TRANSACTION_RETENTION_HOURS = 30 * 24;

const hoursAgo = (hours: number) => sql`now() - make_interval(hours => ${hours}::int)`;

/**
 * Deletes idempotent outcomes, including those of runs, after more than the documented 24 hours, and settled
 * transactions after 30 days.
 */
export async function sweep(db: Database): Promise<void> {
  const expired = hoursAgo(RETENTION_HOURS);
  await db
    .delete(idempotency)
    .where(
      and(
        lt(idempotency.createdAt, expired),
        or(isNotNull(idempotency.reply), lt(idempotency.leaseUntil, sql`now()`)),
      ),
    );
  await db.delete(runs).where(lt(runs.endedAt, expired));
  await db.delete(requestSeeds).where(lt(requestSeeds.createdAt, expired));
  await db
    .update(transactions)
    .set({ idempotencyId: null })
    .where(and(lt(transactions.createdAt, expired), ne(transactions.status, 'pending')));
  await db
    .delete(transactions)
    .where(
      and(
        lt(transactions.createdAt, hoursAgo(TRANSACTION_RETENTION_HOURS)),
        ne(transactions.status, 'pending'),
      ),
    );
}
