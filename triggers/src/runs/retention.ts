import { sweepTable } from '@latchkey/service/sweep-table';
import { lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';

/**
 * Deletes runs that ended more than `retentionDays` ago, with their attempts, until none is left or `signal` is aborted. Resolves
 * to the number of deleted runs.
 */
export function removeOldRuns(db: Database, retentionDays: number, signal?: AbortSignal): Promise<number> {
  const { finishedAt: by } = runs;
  return sweepTable(
    db,
    runs,
    { by, isOld: lt(by, sql`now() - make_interval(days => ${retentionDays})`) },
    signal,
  );
}
