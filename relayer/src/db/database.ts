import { fileURLToPath } from 'node:url';
import {
  type DatabaseAddress,
  type DatabaseOf,
  type OpenDatabase as Open,
  openDatabase as open,
} from '@latchkey/service/database';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import * as schema from './schema.ts';

export type Database = DatabaseOf<typeof schema>;
export type OpenDatabase = Open<typeof schema>;

const dialect = new PgDialect();

/**
 * Returns the first row of a statement that selects the value of a function. Rejects when there is none. The statement has the name
 * of the function, by which each connection parses it once: a function has one text.
 */
export async function callFunction<Row extends Record<string, unknown>>(
  db: Database,
  statement: SQL,
): Promise<Row> {
  const query = dialect.sqlToQuery(statement);
  const [, name] = /(\w+)\(/.exec(query.sql) ?? [];
  const { rows } = (await db._.session.prepareQuery(query, undefined, name, false).execute()) as {
    rows: Row[];
  };
  const [row] = rows;
  if (!row) throw new Error('the statement returned no row');
  return row;
}

export function openDatabase(address: DatabaseAddress, onWait?: () => void): Promise<OpenDatabase> {
  return open(address, {
    schema,
    migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)),
    migrationsSchema: 'drizzle',
    service: 'relayer',
    onWait,
  });
}
