import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { isDatabaseUnavailable } from './database-errors.ts';

type Schema = Record<string, unknown>;

/** A database, or a transaction on it. */
export type DatabaseOf<S extends Schema> = PgDatabase<PgQueryResultHKT, S>;

/**
 * Returns the database of a pool. A transaction whose connection broke or timed out closes its connection: the server can
 * still be inside the transaction, and the next user of the connection would be inside it too.
 */
export function databaseOf<S extends Schema>(pool: pg.Pool, schema: S): DatabaseOf<S> {
  const db = drizzle(pool, { schema });
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    // The pool listens only while the connection is idle. The running statement rejects with the same error.
    const ignore = () => {};
    client.on('error', ignore);
    let isBroken = false;
    try {
      return await drizzle(client, { schema }).transaction(work as never, config);
    } catch (error) {
      isBroken = isDatabaseUnavailable(error);
      throw error;
    } finally {
      client.release(isBroken);
      // A closed connection can report further errors.
      if (!isBroken) client.off('error', ignore);
    }
  };
  return db;
}
