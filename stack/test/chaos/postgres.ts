/** The PostgreSQL of the cluster, which can fail in the ways of a server. */
import { execFile } from 'node:child_process';
import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, type RunningPostgres, startPostgres, withClient } from '@latchkey/postgres';
import { setReadOnly } from '@latchkey/testing/postgres';
import { processTree } from '@latchkey/testing/process-tree';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';

const databases = ['relayer', 'triggers', 'indexer'] as const;
export type DatabaseName = (typeof databases)[number];

/** No space on the device, as PostgreSQL reports it. */
const FULL_FUNCTION = `create or replace function chaos_full() returns trigger language plpgsql as
  $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`;
const TABLES = `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;

/** Files can disappear under the copy: the WAL has what they had. */
const copyChanging = (from: string, to: string): Promise<unknown> =>
  promisify(execFile)('cp', ['-a', from, to]).catch((error: { code?: number; stderr?: string }) => {
    const others = error.stderr
      ?.split('\n')
      .filter((line) => line && !line.includes('No such file or directory'));
    if (error.code !== 1 || others?.length !== 0) throw error;
  });

/** Starts a durable server with a database per service. */
export async function startClusterPostgres() {
  await using started = new AsyncDisposableStack();
  const directory = started.use(temporaryDirectory(tmpdir())).path;
  const [data, backup] = [join(directory, 'data'), join(directory, 'backup')];
  const port = await freePort();
  const start = () => startPostgres({ directory, port });
  let server: RunningPostgres = await start();
  started.defer(() => server.stop());
  for (const name of databases) await createDatabase(server.url('postgres'), name);

  const query = <Row extends object>(name: DatabaseName | 'postgres', text: string, values: unknown[] = []) =>
    withClient(server.url(name), async (client) => (await client.query<Row>(text, values)).rows);
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of processTree([server.pid])) process.kill(pid, signal);
  };

  const kept = started.move();
  return {
    url: (name: DatabaseName) => server.url(name),
    query,
    setReadOnly: (name: DatabaseName, isReadOnly: boolean) => setReadOnly(server.url(name), isReadOnly),
    /**
     * Makes every insert and update fail as on a full disk (SQLSTATE 53100), by triggers: a file system of a few megabytes could not be
     * mounted without root.
     */
    setFull: (name: DatabaseName, isFull: boolean): Promise<void> =>
      withClient(server.url(name), async (client) => {
        await client.query(FULL_FUNCTION);
        const { rows } = await client.query<{ name: string }>(TABLES);
        for (const { name: table } of rows)
          await client.query(
            isFull
              ? `create trigger chaos_full before insert or update on ${table} execute function chaos_full()`
              : `drop trigger if exists chaos_full on ${table}`,
          );
      }),
    async kill(): Promise<void> {
      process.kill(server.pid, 'SIGKILL');
    },
    /** Starts the server after `kill`. It does not start before the last session has noticed the kill. */
    async restart(): Promise<void> {
      server = await until('PostgreSQL starts after its kill', start);
    },
    /** Copies the files of the server while it runs, as pg_basebackup does, with the WAL of the meantime. */
    async backUp(): Promise<void> {
      const { uid, gid } = await stat(data);
      await withClient(server.url('postgres'), async (client) => {
        await client.query(`select pg_backup_start('drill', true)`);
        await copyChanging(data, backup);
        const { rows } = await client.query<{ label: string }>(
          'select labelfile as label from pg_backup_stop(false)',
        );
        await writeFile(join(backup, 'backup_label'), rows[0]?.label ?? '');
        await chown(join(backup, 'backup_label'), uid, gid);
      });
      await copyChanging(`${data}/pg_wal/.`, join(backup, 'pg_wal'));
      await rm(join(backup, 'postmaster.pid'), { force: true });
    },
    /** Replaces the files of the server, which must be stopped, by those of the backup, and starts it. */
    async restore(): Promise<void> {
      await rm(data, { recursive: true });
      await rename(backup, data);
      server = await start();
    },
    stop: () => server.stop(),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
