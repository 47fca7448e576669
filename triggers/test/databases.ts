/** Where a service can keep its data: each kind of database, empty and thrown away. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { postgresBin, startPostgres, temporaryDirectory } from '../../indexer/test/processes.ts';
import { loadConfig } from '../src/config.ts';
import { databaseOf, type OpenDatabase } from '../src/db/database.ts';

type Place = { settings: Record<string, string>; dispose: () => Promise<void> };
type OpenPlace = () => Promise<Place>;

async function pglite(): Promise<Place> {
  const directory = temporaryDirectory(tmpdir());
  return {
    settings: { DATA_DIR: directory.path },
    dispose: async () => directory[Symbol.dispose](),
  };
}

async function postgres(): Promise<Place> {
  const cluster = await startPostgres();
  return {
    settings: { DATABASE_URL: cluster.url, SEALING_KEYS: randomBytes(32).toString('base64') },
    dispose: async () => cluster[Symbol.asyncDispose](),
  };
}

/** Settings that name a database of each kind; PostgreSQL only where it is installed. */
export const places: [name: string, open: OpenPlace][] = [
  ['PGlite', pglite],
  ...(postgresBin === undefined ? [] : ([['PostgreSQL', postgres]] as [string, OpenPlace][])),
];

/** For tests to which the kind does not matter. */
export const anyPlace: OpenPlace = postgresBin === undefined ? pglite : postgres;

type Opened = OpenDatabase & { dispose: () => Promise<void> };

/** The same, opened. */
export const databases = places.map(([name, openPlace]): [name: string, open: () => Promise<Opened>] => [
  name,
  async () => {
    const place = await openPlace();
    const database = await databaseOf(loadConfig(place.settings));
    const dispose = async () => {
      await database.close();
      await place.dispose();
    };
    return { ...database, dispose };
  },
]);
