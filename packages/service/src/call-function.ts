import type { SQL } from 'drizzle-orm';
import { PgDialect, type PgSession } from 'drizzle-orm/pg-core';

type Database = { _: { session: Pick<PgSession, 'prepareQuery'> } };
type Columns = Record<string, unknown>;

const dialect = new PgDialect();

/**
 * Returns the rows of a statement that selects from a function. The statement is named after the function and the number of its
 * parameters, and each connection parses it once: a function must have one text for each number of parameters.
 */
export async function callFunction<Row extends Columns>(db: Database, statement: SQL): Promise<Row[]> {
  const query = dialect.sqlToQuery(statement);
  const [called] = /\w+(?=\()/.exec(query.sql) as RegExpExecArray;
  const name = `${called}_${query.params.length}`;
  const { rows } = (await db._.session.prepareQuery(query, undefined, name, false).execute()) as {
    rows: Row[];
  };
  return rows;
}

/** Returns the first row of `callFunction`. Rejects when there is none. */
export async function callForRow<Row extends Columns>(db: Database, statement: SQL): Promise<Row> {
  const [row] = await callFunction<Row>(db, statement);
  if (!row) throw new Error('the statement returned no row');
  return row;
}
