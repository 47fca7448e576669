import type { SQL } from 'drizzle-orm';
import { type PgDatabase, PgDialect, type PgQueryResultHKT } from 'drizzle-orm/pg-core';

type Database = Pick<PgDatabase<PgQueryResultHKT>, 'select'>;
type Columns = Record<string, SQL>;
export type RowOf<C extends Columns> = {
  [Name in keyof C]: C[Name] extends SQL<infer Value> ? Value : never;
};

const dialect = new PgDialect();

/**
 * Returns columns of the rows of a function. The statement is named after the function and the number of its parameters, and each
 * connection parses it once: calls of a function must agree in their text and columns.
 */
export async function callFunction<C extends Columns>(
  db: Database,
  columns: C,
  call: SQL,
): Promise<RowOf<C>[]> {
  const { sql, params } = dialect.sqlToQuery(call);
  const name = `${sql.slice(0, sql.indexOf('('))}_${params.length}`;
  return (await db.select(columns).from(call).prepare(name).execute()) as RowOf<C>[];
}

/** Returns the first row of `callFunction`. Rejects when there is none. */
export async function callForRow<C extends Columns>(db: Database, columns: C, call: SQL): Promise<RowOf<C>> {
  const [row] = await callFunction(db, columns, call);
  if (!row) throw new Error('the function returned no row');
  return row;
}
