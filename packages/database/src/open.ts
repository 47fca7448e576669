/** A service's database: PGlite in a directory of its own, or PostgreSQL by its URL, with the same SQL and migrations. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { migrate as migratePg } from 'drizzle-orm/node-postgres/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import pg from 'pg';
import { lockDirectory } from './directory-lock.ts';
import { closeToOthers } from './private-directory.ts';

type Schema = Record<string, unknown>;

/** A database or a transaction of it. */
export type DatabaseOf<S extends Schema> = PgDatabase<PgQueryResultHKT, S>;

export type OpenDatabase<S extends Schema> = {
  db: DatabaseOf<S>;
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/** PostgreSQL, shared by many processes, or PGlite in a directory that this process alone uses. */
export type Where = { url: string; poolSize: number } | { directory: string };

/** The database that the settings of a service name. */
export const whereOf = (settings: {
  secrets: { databaseUrl: string | undefined };
  databasePoolSize: number;
  dataDir: string;
}): Where => {
  const { databaseUrl: url } = settings.secrets;
  return url === undefined
    ? { directory: join(settings.dataDir, 'database') }
    : { url, poolSize: settings.databasePoolSize };
};

export type OpenOptions<S extends Schema> = {
  schema: S;
  migrationsFolder: string;
  /** Where it is written which migrations were made: of the service alone, so that several may share a database. */
  migrationsSchema: string;
  /** Names the service: in PostgreSQL's list of sessions, and for the lock under which it migrates. */
  service: string;
  /** Runs once when no other process can work on the database: what an earlier one was about is nobody's. */
  onOwned?: (db: DatabaseOf<S>) => Promise<void>;
};

/** Opens the database and brings its tables up to date. `DirectoryInUseError` when another process has the directory. */
export async function openDatabase<S extends Schema>(
  where: Where,
  options: OpenOptions<S>,
): Promise<OpenDatabase<S>> {
  return 'url' in where ? openPostgres(where, options) : openPglite(where.directory, options);
}

async function openPostgres<S extends Schema>(
  { url, poolSize }: { url: string; poolSize: number },
  { schema, migrationsFolder, migrationsSchema, service }: OpenOptions<S>,
): Promise<OpenDatabase<S>> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    application_name: `latchkey-${service}`,
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => {});
  try {
    const client = await pool.connect();
    try {
      await client.query('set statement_timeout = 0');
      await client.query('select pg_advisory_lock(hashtext($1))', [`latchkey-${service}`]);
      await migratePg(drizzlePg(client), { migrationsFolder, migrationsSchema });
    } finally {
      // Ending the session ends its lock.
      client.release(true);
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  const db = drizzlePg(pool, { schema });
  return { db, ping: () => ping(db), close: () => pool.end() };
}

async function openPglite<S extends Schema>(
  directory: string,
  { schema, migrationsFolder, migrationsSchema, onOwned }: OpenOptions<S>,
): Promise<OpenDatabase<S>> {
  await mkdir(dirname(directory), { recursive: true });
  const unlock = lockDirectory(directory);
  let client: PGlite | undefined;
  const close = async () => {
    await client?.close();
    unlock();
  };
  try {
    client = await PGlite.create(directory);
    // It gives its files modes of its own, whatever the umask.
    closeToOthers(directory);
    const db = drizzlePglite(client, { schema });
    await migratePglite(db, { migrationsFolder, migrationsSchema });
    await onOwned?.(db);
    return { db, ping: () => ping(db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ping(db: DatabaseOf<Schema>): Promise<void> {
  await db.execute(sql`select 1`);
}
