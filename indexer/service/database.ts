import pg from 'pg';
import type { Config } from './config.ts';

/** One connection; the row type is the caller's claim about its own statement. */
export type Sql = {
  query<Row extends pg.QueryResultRow>(text: string, params?: unknown[]): Promise<{ rows: Row[] }>;
};

/** Names the session lock of the indexer of a chain; PostgreSQL frees it as soon as the process is gone. */
const LOCK_NAMESPACE = 0x1a7c4;
const LOCK_TIMEOUT = '30s';

/**
 * Connects, and takes the lock that keeps a second indexer of the chain away for the life of this process. `onLost` is called when the
 * connection, and with it the lock, is gone.
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
