import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Config } from './config.ts';

/** One connection. The caller asserts the row type of its statement. */
export type Sql = {
  query<Row extends pg.QueryResultRow>(text: string, params?: unknown[]): Promise<{ rows: Row[] }>;
};

/** Namespace of the session lock per chain; PostgreSQL releases it when the process ends. */
const LOCK_NAMESPACE = 0x1a7c4;
const LOCK_POLL_MS = 250;

/**
 * Connects, and takes the lock that excludes a second indexer of the chain for the lifetime of this process. While another indexer has it, this
 * one is its standby, and `onStandby` is called. `onLost` is called when the connection, and with it the lock, is lost.
 */
export async function connectAlone(
  config: Config,
  { onLost, onStandby }: { onLost: (error: Error) => void; onStandby: () => void },
): Promise<Sql> {
  const client = new pg.Client({
    connectionString: config.databaseUrl,
    application_name: 'latchkey-indexer',
    keepAlive: true,
  });
  client.on('error', onLost);
  await client.connect();
  const lock = [LOCK_NAMESPACE, config.deployment.chainId % 2 ** 31];
  // A statement that waited for the lock would keep PostgreSQL from removing dead rows.
  const take = async (): Promise<boolean> =>
    (await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', lock)).rows[0]
      ?.taken ?? false;
  if (await take()) return client;
  onStandby();
  do await setTimeout(LOCK_POLL_MS);
  while (!(await take()));
  return client;
}
