import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeToOthers, openPrivateDirectory } from '@latchkey/database/private-directory';
import pg from 'pg';
import type { Config } from './config.ts';
import { log } from './log.ts';

/** One connection; the row type is the caller's claim about its own statement. */
export type Sql = {
  query<Row>(text: string, params?: unknown[]): Promise<{ rows: Row[] }>;
};

type PGlite = Sql & { close(): Promise<void> };

/** Ponder's own PGlite: another version would not read its files. */
async function importPglite(): Promise<new (dataDir: string) => PGlite> {
  const require = createRequire(import.meta.resolve('ponder'));
  const { PGlite } = await import(pathToFileURL(require.resolve('@electric-sql/pglite')).href);
  return PGlite;
}

/** Names the session lock of the indexer of a chain; PostgreSQL frees it as soon as the process is gone. */
const LOCK_NAMESPACE = 0x1a7c4;
const LOCK_TIMEOUT = '30s';

/**
 * Runs `work` alone on the database, before Ponder opens it. PostgreSQL: the connection, and with it the lock that
 * keeps a second indexer of the chain away, stays open for the life of the process and is returned. Embedded: returns
 * undefined, as Ponder has to open the only connection; whoever listens on PORT is alone in DATA_DIR.
 */
export async function withDatabase(
  config: Config,
  work: (sql: Sql) => Promise<void>,
  onLost: (error: Error) => void,
): Promise<Sql | undefined> {
  if (config.databaseUrl === undefined) {
    openPrivateDirectory(config.dataDir, (message, fields) => log('warn', message, fields));
    const directory = join(config.dataDir, 'pglite');
    mkdirSync(directory, { recursive: true });
    const PGlite = await importPglite();
    const pglite = new PGlite(directory);
    try {
      await work(pglite);
    } finally {
      await pglite.close();
      // It gives its files modes of its own, whatever the umask.
      closeToOthers(directory);
    }
    return undefined;
  }
  const client = new pg.Client({
    connectionString: config.databaseUrl,
    application_name: 'latchkey_indexer',
    keepAlive: true,
  });
  client.on('error', onLost);
  await client.connect();
  const sql: Sql = { query: (text, params) => client.query(text, params) as never };
  await sql.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
  await sql.query('SELECT pg_advisory_lock($1, $2)', [LOCK_NAMESPACE, config.deployment.chainId % 2 ** 31]);
  await work(sql);
  return sql;
}
