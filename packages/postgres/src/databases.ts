import pg from 'pg';

const DUPLICATE_DATABASE = '42P04';

const quote = (name: string) => pg.escapeIdentifier(name);

/** Runs `work` on one connection. Rejects when the connection is lost. */
export async function withClient<T>(serverUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl });
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  // Without a listener the event would end the process.
  client.on('error', lost.reject);
  await client.connect();
  try {
    return await Promise.race([work(client), lost.promise]);
  } finally {
    await client.end();
  }
}

/**
 * Creates a database on the server: empty, or a copy of `template`, which must have no open session. Copying files takes half the time of
 * the default, which writes a copy to the log.
 */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<void> {
  const copied = template === undefined ? '' : ` template ${quote(template)} strategy file_copy`;
  await withClient(serverUrl, (client) => client.query(`create database ${quote(name)}${copied}`));
}

/** Creates an empty database if it does not exist. Returns true when it was created. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<boolean> {
  try {
    await createDatabase(serverUrl, name);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === DUPLICATE_DATABASE) return false;
    throw error;
  }
}

/** Ends the sessions on a database and drops it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, (client) =>
    client.query(`drop database if exists ${quote(name)} with (force)`),
  );
}

/** Runs `work` under a lock: one process per server and name at a time. */
export function withLock<T>(serverUrl: string, name: string, work: () => Promise<T>): Promise<T> {
  return withClient(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    return work();
  });
}
