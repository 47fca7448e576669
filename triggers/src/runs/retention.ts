import { inBatches } from '@latchkey/service/in-batches';
import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';

/**
 * Deletes runs that ended more than `retentionDays` ago, with their attempts, until none is left or `signal` is aborted. Resolves
 * to the number of deleted runs.
 */
export function removeOldRuns(db: Database, retentionDays: number, signal?: AbortSignal): Promise<number> {
  const isOld = sql`${runs.finishedAt} < now() - make_interval(days => ${retentionDays})`;
  return inBatches(async (rows) => {
    const batch = db
      .select({ id: runs.id })
      .from(runs)
      .where(isOld)
      .orderBy(runs.finishedAt)
      .limit(rows)
      .for('update', { skipLocked: true });
    return (await db.delete(runs).where(sql`${runs.id} = any(array(${batch}))`).returning({ id: runs.id }))
      .length;
  }, signal);
}
