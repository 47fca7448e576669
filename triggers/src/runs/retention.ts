import { inArray, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';

const BATCH = 500;

/**
 * Deletes runs that ended more than `retentionDays` ago, with their attempts, until none is left or `signal` is aborted. Resolves
 * to the number of deleted runs.
 */
export async function removeOldRuns(
  db: Database,
  retentionDays: number,
  signal?: AbortSignal,
): Promise<number> {
  const isOld = sql`${runs.finishedAt} < now() - make_interval(days => ${retentionDays})`;
  let removed = 0;
  while (!signal?.aborted) {
    const batch = db.select({ id: runs.id }).from(runs).where(isOld).orderBy(runs.finishedAt).limit(BATCH);
    const gone = await db.delete(runs).where(inArray(runs.id, batch)).returning({ id: runs.id });
    removed += gone.length;
    if (gone.length < BATCH) break;
  }
  return removed;
}
