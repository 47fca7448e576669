/** Both kinds of database, each empty and thrown away. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresBin, startPostgres } from '../../indexer/test/processes.ts';
import { type OpenDatabase, openDatabase } from '../src/db/database.ts';

type Opened = OpenDatabase & { dispose: () => Promise<void> };

async function pglite(): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'database-'));
  const database = await openDatabase({ directory: join(directory, 'database') });
  const dispose = async () => {
    await database.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { ...database, dispose };
}

async function postgres(): Promise<Opened> {
  const cluster = await startPostgres();
  const database = await openDatabase({ url: cluster.url, poolSize: 10 });
  const dispose = async () => {
    await database.close();
    await cluster[Symbol.asyncDispose]();
  };
  return { ...database, dispose };
}

/** PostgreSQL only where it is installed. */
export const databases: [name: string, open: () => Promise<Opened>][] = [
  ['PGlite', pglite],
  ...(postgresBin === undefined ? [] : ([['PostgreSQL', postgres]] as [string, typeof postgres][])),
];
