/** Temporary databases with the tables of the trigger service. */
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type Migrate, type TestDatabase } from '@latchkey/testing/postgres';
import { type OpenDatabase, openDatabase } from '../src/db/database.ts';

const migrate: Migrate = async (url) => {
  const { close } = await openDatabase({ url, poolSize: 1 });
  await close();
};

/** Creates a database for a trigger service. */
export const createTriggersDatabase = (): Promise<TestDatabase> =>
  createTestDatabase({ name: 'template_triggers', migrate });

export type OpenTestDatabase = OpenDatabase & { url: string; dispose: () => Promise<void> };

/** Creates a database and opens it for the test itself. */
export async function openTestDatabase(): Promise<OpenTestDatabase> {
  const created = await createTriggersDatabase();
  const database = await openDatabase({ url: created.url, poolSize: 10 });
  return {
    ...database,
    url: created.url,
    async dispose() {
      await database.close();
      await created[Symbol.asyncDispose]();
    },
  };
}

/** Returns the settings of a trigger service on a database. */
export const settingsFor = ({ url }: { url: string }): Record<string, string> => ({
  DATABASE_URL: url,
  SEALING_KEYS: randomBytes(32).toString('base64'),
});
