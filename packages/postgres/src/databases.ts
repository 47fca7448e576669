import pg from 'pg';

const DUPLICATE_DATABASE = '42P04';

const quote = (name: string) => pg.escapeIdentifier(name);

async function withClient<T>(serverUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates a database on the server: a copy of `template`, to which nobody may be connected, or an empty one. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<void> {
  const copied = template === undefined ? '' : ` template ${quote(template)}`;
  await withClient(serverUrl, (client) => client.query(`create database ${quote(name)}${copied}`));
}

/** Creates an empty database unless it exists. Returns true when it was created. */
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

/** Runs `work` while no other process is in `work` under this name on the server. */
export function withLock<T>(serverUrl: string, name: string, work: () => Promise<T>): Promise<T> {
  return withClient(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    return work();
  });
}
