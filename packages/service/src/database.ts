/** The PostgreSQL database of a service: a connection pool and the migrations of its tables. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { onceUnlocked } from './database-errors.ts';
import { UnhealthyError } from './health.ts';
import { buildIndexes } from './indexes.ts';
import { ConfigError } from './settings.ts';
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
const LOCK_POLL_MS = 100;

const OTHER_VERSION =
  'DATABASE_URL: another version of this service made the tables of this database, and this version cannot use them. ' +
  'Give an empty database. For a local stack, start with `npm run up -- --fresh`, which deletes all of its data.';

type Schema = Record<string, unknown>;

export type OpenDatabase<S extends Schema> = {
  db: DatabaseOf<S>;
  /** Rejects when the database does not answer, or takes no writes. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/** The database in the settings of a service. */
export type DatabaseAddress = { url: string; poolSize: number };

export type OpenOptions<S extends Schema> = {
  schema: S;
  migrationsFolder: string;
  /** File of the indexes that are built beside the work of other processes. */
  indexesFile?: string | undefined;
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
  { schema, migrationsFolder, indexesFile, migrationsSchema, service, onWait }: OpenOptions<S>,
): Promise<OpenDatabase<S>> {
  const name = `latchkey-${service}`;
  const connection = { connectionString: url, application_name: name };
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: START_TIMEOUT_MS });
  await client.connect();
  try {
    // A migration has no time limit, whatever the database's default is.
    await client.query('set statement_timeout = 0');
    await lock(client, name, onWait);
    const folder = { migrationsFolder, migrationsSchema };
    const altered = await findAltered(client, await readPending(client, folder));
    await migrateWithoutBlocking(client, altered, () => migrate(drizzle(client), folder));
    if (indexesFile !== undefined) await buildIndexes(client, indexesFile);
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
      // On for a standby, which a failover can leave behind the same address.
      const { rows } = await pool.query(
        `select current_setting('transaction_read_only')::boolean as is_read_only`,
      );
      if (rows[0]?.is_read_only) throw new UnhealthyError('takes no writes');
    },
    close: () => pool.end(),
  };
}

/**
 * By attempt, the last for all further ones. Two sessions that wait for each other for a second (`deadlock_timeout`) are a deadlock, which
 * ends a statement of one: the first attempts give up before. After the same second an automatic VACUUM ends for a session that it holds up.
 */
const LOCK_TIMEOUTS_MS = [250, 500, 2_000];

/**
 * Migrates in one transaction, which gives up and begins again when it waits for a lock, for example of a dump. First it locks the tables
 * that it alters. A weaker lock, as for a trigger or index, would let others read a table and then wait to write it, and `ALTER TABLE`
 * would wait for them: a deadlock.
 */
async function migrateWithoutBlocking(
  client: pg.Client,
  altered: string[],
  run: () => Promise<void>,
): Promise<void> {
  await onceUnlocked(async (attempt) => {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUTS_MS[attempt] ?? LOCK_TIMEOUTS_MS.at(-1)}`);
    await client.query('begin');
    try {
      if (altered.length > 0) await client.query(`lock table ${altered.join()} in access exclusive mode`);
      // In this transaction: its own BEGIN only warns. Its COMMIT ends it.
      await run();
    } catch (thrown) {
      await client.query('rollback');
      throw thrown;
    }
  });
  await client.query('set lock_timeout = 0');
}

const ALTERS = /^\s*ALTER TABLE (?:IF EXISTS )?(?:ONLY )?([\w".]+)/gim;

/** Resolves to the existing tables that the migrations alter, in their order. */
async function findAltered(client: pg.Client, migrations: MigrationMeta[]): Promise<string[]> {
  const text = migrations.flatMap(({ sql }) => sql).join('\n');
  const names = [...text.matchAll(ALTERS)].map(([, name]) => name);
  const { rows } = await client.query<{ name: string }>(
    'select distinct to_regclass(name)::text as name from unnest($1::text[]) name where to_regclass(name) is not null order by 1',
    [names],
  );
  return rows.map(({ name }) => name);
}

/** Takes the lock of the session. Asks again and again: a statement that waited would hold up the building of an index, which waits for it. */
async function lock(client: pg.Client, name: string, onWait: (() => void) | undefined): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtext($1)) as is_locked', [name]);
    if (rows[0]?.is_locked) return;
    if (isFirst) onWait?.();
    await delay(LOCK_POLL_MS);
  }
}

/**
 * Returns the function that opens the database of a service, whose module is at `url` and has its migrations in a folder beside it, and
 * possibly `indexes.sql`.
 */
export const openerOf =
  <S extends Schema>(url: string, options: Pick<OpenOptions<S>, 'schema' | 'migrationsSchema' | 'service'>) =>
  (address: DatabaseAddress, onWait?: () => void): Promise<OpenDatabase<S>> => {
    const indexesFile = fileURLToPath(new URL('indexes.sql', url));
    return openDatabase(address, {
      ...options,
      migrationsFolder: fileURLToPath(new URL('migrations', url)),
      indexesFile: existsSync(indexesFile) ? indexesFile : undefined,
      onWait,
    });
  };

/** Resolves to the migrations to apply. Throws when the database was made by other ones: drizzle only looks at the time of the last one. */
async function readPending(
  client: pg.Client,
  { migrationsFolder, migrationsSchema }: Pick<OpenOptions<Schema>, 'migrationsFolder' | 'migrationsSchema'>,
): Promise<MigrationMeta[]> {
  const migrations = readMigrationFiles({ migrationsFolder });
  const table = `${migrationsSchema}.__drizzle_migrations`;
  const { rows: found } = await client.query('select to_regclass($1) is not null as exists', [table]);
  if (!found[0]?.exists) return migrations;
  const { rows } = await client.query<{ hash: string; created_at: string }>(
    `select hash, created_at from ${table}`,
  );
  if (rows.length === 0) return migrations;
  const applied = new Set(rows.map(({ hash }) => hash));
  const last = Math.max(...rows.map(({ created_at }) => Number(created_at)));
  const isMissing = migrations.some(
    ({ hash, folderMillis }, index) => !applied.has(hash) && (index === 0 || folderMillis <= last),
  );
  if (isMissing) throw new ConfigError(OTHER_VERSION);
  return migrations.filter(({ folderMillis }) => folderMillis > last);
}
