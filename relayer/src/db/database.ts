import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { isNull, sql } from 'drizzle-orm';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { migrate as migratePg } from 'drizzle-orm/node-postgres/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import pg from 'pg';
import type { Config } from '../config.ts';
import { lockDirectory } from './directory-lock.ts';
import * as schema from './schema.ts';

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

export type OpenDatabase = {
  db: Database;
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/** The driver's error under a thrown one: drizzle wraps it. `code` is an SQLSTATE, or the system's for a connection. */
export function driverError(thrown: unknown): { code?: string; message: string } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return thrown.cause instanceof Error ? driverError(thrown.cause) : thrown;
}

/** True when the database could not be reached, or has no connection left for this request. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const { code = '', message = '' } = driverError(thrown) ?? {};
  return (
    /^(08|53|57P)|^ECONN|^ETIMEDOUT$/.test(code) || /timeout exceeded when trying to connect/.test(message)
  );
}

const migrations = { migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)) };
/** Any fixed number; the same in every process that may migrate this schema. */
const MIGRATION_LOCK = 7_021_969;

/** PostgreSQL by its URL, else PGlite in a directory that this process alone uses. The schema is brought up to date. */
export async function openDatabase(
  where: { url: string; poolSize: number } | { directory: string },
): Promise<OpenDatabase> {
  return 'url' in where ? openPostgres(where) : openPglite(where.directory);
}

/** What an earlier process was about is nobody's, where no other process can work on it. */
async function freeLeases(db: Database): Promise<void> {
  await db.update(schema.idempotency).set({ leaseUntil: sql`now()` }).where(isNull(schema.idempotency.reply));
  await db.update(schema.runs).set({ leaseUntil: sql`now()` }).where(isNull(schema.runs.endedAt));
}

/** The database that the settings name. */
export function databaseOf({
  secrets,
  dataDir,
  databasePoolSize: poolSize,
}: Pick<Config, 'secrets' | 'dataDir' | 'databasePoolSize'>): Promise<OpenDatabase> {
  const { databaseUrl: url } = secrets;
  return openDatabase(url === undefined ? { directory: join(dataDir, 'database') } : { url, poolSize });
}

async function openPostgres({ url, poolSize }: { url: string; poolSize: number }): Promise<OpenDatabase> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    application_name: 'latchkey-relayer',
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => {});
  try {
    const client = await pool.connect();
    try {
      await client.query('set statement_timeout = 0');
      await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await migratePg(drizzlePg(client), migrations);
    } finally {
      // Ending the session ends its lock.
      client.release(true);
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  const db = drizzlePg(pool, { schema });
  return {
    db,
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    close: () => pool.end(),
  };
}

async function openPglite(directory: string): Promise<OpenDatabase> {
  await mkdir(dirname(directory), { recursive: true });
  const unlock = lockDirectory(directory);
  let client: PGlite | undefined;
  const close = async () => {
    await client?.close();
    unlock();
  };
  let db: Database;
  try {
    client = await PGlite.create(directory);
    const opened = drizzlePglite(client, { schema });
    await migratePglite(opened, migrations);
    await freeLeases(opened);
    db = opened;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    db,
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    close,
  };
}
