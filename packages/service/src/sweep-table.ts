import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core';
import { inBatches } from './in-batches.ts';
import { rowsOf } from './rows.ts';

/**
 * Deletes the rows of a table that are old, in the order of an indexed column, or changes them so that they no longer are. In batches, until
 * `signal` is aborted. Rows that another process changes are left to it. Resolves to the number of rows.
 */
export function sweepTable(
  db: Pick<PgDatabase<PgQueryResultHKT>, 'execute'>,
  table: PgTable,
  { by, isOld, set }: { by: PgColumn; isOld: SQL | undefined; set?: SQL },
  signal?: AbortSignal,
): Promise<number> {
  const change = set ? sql`update ${table} set ${set}` : sql`delete from ${table}`;
  return inBatches(async (rows) => {
    const old = sql`select ctid from ${table} where ${isOld} order by ${by} limit ${rows} for update skip locked`;
    // As an array, by which PostgreSQL finds the rows directly, whatever it expects of their number.
    return (await rowsOf(db, sql`${change} where ctid = any(array(${old})) returning 1`)).length;
  }, signal);
}
