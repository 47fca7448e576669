/** A service's PostgreSQL database: a pool of connections, and its tables brought up to date. */
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import pg from 'pg';

type Schema = Record<string, unknown>;

/** A database or a transaction of it. */
export type DatabaseOf<S extends Schema> = PgDatabase<PgQueryResultHKT, S>;

export type OpenDatabase<S extends Schema> = {
  db: DatabaseOf<S>;
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/** The database that a service's settings name. */
export type DatabaseAddress = { url: string; poolSize: number };

export type OpenOptions<S extends Schema> = {
  schema: S;
  migrationsFolder: string;
  /** The PostgreSQL schema that records applied migrations: one per service, so that services can share a database. */
  migrationsSchema: string;
  /** Names the service in PostgreSQL's list of sessions, and the lock under which it migrates. */
  service: string;
};

/** Opens the database and migrates it. Processes that start at once migrate one after the other. */
export async function openDatabase<S extends Schema>(
  { url, poolSize }: DatabaseAddress,
  { schema, migrationsFolder, migrationsSchema, service }: OpenOptions<S>,
): Promise<OpenDatabase<S>> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    application_name: `latchkey-${service}`,
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', () => {});
  try {
    const client = await pool.connect();
    try {
      await client.query('set statement_timeout = 0');
      await client.query('select pg_advisory_lock(hashtext($1))', [`latchkey-${service}`]);
      await migrate(drizzle(client), { migrationsFolder, migrationsSchema });
    } finally {
      // Ending the session ends its lock.
      client.release(true);
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  const db = drizzle(pool, { schema });
  return {
    db,
    async ping() {
      await db.execute(sql`select 1`);
    },
    close: () => pool.end(),
  };
}
