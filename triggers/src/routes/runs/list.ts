/** Lists of runs, newest first. */
import { desc, eq, inArray, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../db/database.ts';
import { runs, triggers } from '../../db/schema.ts';
import { nextOffset, pageQuery, readPage } from '../page.ts';
import { runColumns, runRecord, runStatus, toRunRecord } from './record.ts';

export const runListQuery = z.object({ ...pageQuery(50), status: runStatus.optional() });
export const runList = z.object({ runs: z.array(runRecord), next_offset: nextOffset });

/** Reads a page of the runs that fulfil a condition. */
export async function readRuns(
  db: Database,
  page: { limit: number; offset: number },
  where: SQL | undefined,
): Promise<z.output<typeof runList>> {
  const { items, ...rest } = await readPage(page, {
    ids: (limit, offset) =>
      db
        .select({ id: runs.id })
        .from(runs)
        .where(where)
        .orderBy(desc(runs.createdAt), desc(runs.id))
        .limit(limit)
        .offset(offset),
    rows: (ids) =>
      db
        .select(runColumns)
        .from(runs)
        .innerJoin(triggers, eq(triggers.id, runs.triggerId))
        .where(inArray(runs.id, ids)),
    toItem: toRunRecord,
  });
  return { runs: items, ...rest };
}
