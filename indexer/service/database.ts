import pg from 'pg';
import type { Config } from './config.ts';

/** One connection. The caller asserts the row type of its statement. */
export type Sql = {
  query<Row extends pg.QueryResultRow>(text: string, params?: unknown[]): Promise<{ rows: Row[] }>;
};

/** Namespace of the session lock per chain; PostgreSQL releases it when the process ends. */
const LOCK_NAMESPACE = 0x1a7c4;
const LOCK_TIMEOUT = '30s';

/**
 * Connects and takes the lock that excludes a second indexer of the chain for the lifetime of this process. `onLost` is
 * called when the connection, and with it the lock, is lost.
 */
export async function connectAlone(config: Config, onLost: (error: Error) => void): Promise<Sql> {
  const client = new pg.Client({
    connectionString: config.databaseUrl,
    application_name: 'latchkey-indexer',
    keepAlive: true,
  });
  client.on('error', onLost);
  await client.connect();
  await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query('SELECT pg_advisory_lock($1, $2)', [
    LOCK_NAMESPACE,
    config.deployment.chainId % 2 ** 31,
  ]);
  return client;
}
