/** The PostgreSQL database of a service: a connection pool and the migrations of its tables. */
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { type DatabaseOf, databaseOf } from './transactions.ts';

export type { DatabaseOf };

/** A request fails when it gets no connection within this time. */
const CONNECTION_TIMEOUT_MS = 5_000;
/** The same for a start: the server can be busy with the starts of others. */
const START_TIMEOUT_MS = 60_000;
/** The server cancels a statement after this time. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A server that is silent for longer is gone, and its connection is closed. */
const QUERY_TIMEOUT_MS = 20_000;

type Schema = Record<string, unknown>;

export type OpenDatabase<S extends Schema> = {
  db: DatabaseOf<S>;
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/** The database in the settings of a service. */
export type DatabaseAddress = { url: string; poolSize: number };

export type OpenOptions<S extends Schema> = {
  schema: S;
  migrationsFolder: string;
  /** The PostgreSQL schema that records applied migrations: one per service, so that services can share a database. */
  migrationsSchema: string;
  /** The application name of PostgreSQL's sessions, and the name of the migration lock. */
  service: string;
  /** Called when another process migrates the database, for which this one waits. */
  onWait?: (() => void) | undefined;
};

/** Opens the database and migrates it. Concurrent starts migrate one after another. */
export async function openDatabase<S extends Schema>(
  { url, poolSize }: DatabaseAddress,
  { schema, migrationsFolder, migrationsSchema, service, onWait }: OpenOptions<S>,
): Promise<OpenDatabase<S>> {
  const name = `latchkey-${service}`;
  const connection = { connectionString: url, application_name: name };
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: START_TIMEOUT_MS });
  await client.connect();
  try {
    // A migration has no time limit, whatever the database's default is.
    await client.query('set statement_timeout = 0');
    const { rows } = await client.query('select pg_try_advisory_lock(hashtext($1)) as is_locked', [name]);
    if (!rows[0]?.is_locked) {
      onWait?.();
      await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    }
    await migrate(drizzle(client), { migrationsFolder, migrationsSchema });
  } finally {
    // Ending the session releases its lock.
    await client.end();
  }
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // The pool replaces a broken idle connection; without a listener the error would end the process.
  pool.on('error', () => {});
  const db = databaseOf(pool, schema);
  return {
    db,
    async ping() {
      await db.execute(sql`select 1`);
    },
    close: () => pool.end(),
  };
}
