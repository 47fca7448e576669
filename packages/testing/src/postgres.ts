/** Databases for tests: one server per test run, each database a copy of a migrated template. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  dropDatabase,
  ensureDatabase,
  startPostgres,
  withClient,
  withLock,
} from '@latchkey/postgres';
import { freePort } from './until.ts';

/** Environment variable with the URL of the server's maintenance database, set for all processes of the test run. */
export const SERVER_VARIABLE = 'TEST_POSTGRES_URL';

/** Starts a server whose files are deleted when it stops. Not durable by default: no test cuts the power. */
export async function startTestServer({
  isDurable = false,
} = {}): Promise<AsyncDisposable & { url: string }> {
  const parent = isDurable || !hasMemory() ? tmpdir() : MEMORY;
  if (parent === MEMORY) removeLeftovers();
  const directory = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  const server = await startPostgres({ directory, port: await freePort(), isDurable });
  return {
    url: server.url('postgres'),
    async [Symbol.asyncDispose]() {
      await server.stop();
      remove();
      process.off('exit', remove);
    },
  };
}

const PREFIX = 'latchkey-test-postgres-';
/** A file system in memory: making and deleting the hundreds of files of a database takes a disk several times as long. */
const MEMORY = '/dev/shm';
const MIN_MEMORY_BYTES = 3 * 1024 ** 3;

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Removes what processes that were killed left in memory. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

let ownServer: Promise<{ url: string }> | undefined;

/** Returns the server of the test run, or starts one that ends with this process. */
async function serverUrl(): Promise<string> {
  const shared = process.env[SERVER_VARIABLE];
  if (shared !== undefined) return shared;
  ownServer ??= startTestServer();
  return (await ownServer).url;
}

export type TestDatabase = AsyncDisposable & { url: string };

/** Brings the tables of the database at this URL up to date. */
type Migrate = (url: string) => Promise<void>;

const databaseUrl = (server: string, database: string) =>
  Object.assign(new URL(server), { pathname: `/${database}` }).href;

/** Ends the sessions of a database and lets new ones only read, as after a failover to a standby; or ends that state. */
export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const state = isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only';
  await withClient(databaseUrl(url, 'postgres'), async (client) => {
    await client.query(`alter database "${name}" ${state}`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  });
}

/**
 * Creates a database: empty, or a copy of the template. The first call on a server creates the template by `migrate`.
 */
export async function createTestDatabase(template?: {
  name: string;
  migrate: Migrate;
}): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `test_${randomUUID()}`;
  if (template === undefined) await createDatabase(server, name);
  else {
    // A template can be copied only while it has no open session.
    await withLock(server, template.name, async () => {
      if (await ensureDatabase(server, template.name))
        await template.migrate(databaseUrl(server, template.name)).catch(async (error: unknown) => {
          await dropDatabase(server, template.name);
          throw error;
        });
      await createDatabase(server, name, template.name);
    });
  }
  return { url: databaseUrl(server, name), [Symbol.asyncDispose]: () => dropDatabase(server, name) };
}

/** Returns functions that make databases of a service. `open` connects to one and makes its tables when they are missing. */
export function testDatabases<Opened extends { close: () => Promise<void> }>(
  service: string,
  open: (address: { url: string; poolSize: number }) => Promise<Opened>,
) {
  const migrate: Migrate = async (url) => {
    const { close } = await open({ url, poolSize: 1 });
    await close();
  };
  /** Creates a database for a service that a test starts; the service gets its URL. */
  const create = (): Promise<TestDatabase> => createTestDatabase({ name: `template_${service}`, migrate });
  return {
    create,
    /** Creates a database that the test itself uses. */
    async open(): Promise<Opened & TestDatabase & { dispose: () => Promise<void> }> {
      const created = await create();
      const database = await open({ url: created.url, poolSize: 10 });
      const dispose = async () => {
        await database.close();
        await created[Symbol.asyncDispose]();
      };
      return { ...database, url: created.url, dispose, [Symbol.asyncDispose]: dispose };
    },
  };
}
