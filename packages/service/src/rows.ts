import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** Returns the rows of a statement. */
export const rowsOf = async <Row>(
  db: Pick<PgDatabase<PgQueryResultHKT>, 'execute'>,
  query: SQL,
): Promise<Row[]> => ((await db.execute(query)) as unknown as { rows: Row[] }).rows;
