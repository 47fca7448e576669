import type { SQL } from 'drizzle-orm';
import type { Database } from './database.ts';

/** Returns the rows of a statement. */
export const rowsOf = async <Row>(db: Pick<Database, 'execute'>, query: SQL): Promise<Row[]> =>
  ((await db.execute(query)) as unknown as { rows: Row[] }).rows;
