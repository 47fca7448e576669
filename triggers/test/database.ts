/** Databases with the tables of the trigger service, each thrown away after its test. */
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type Migrate, type TestDatabase } from '@latchkey/testing/postgres';
import { type OpenDatabase, openDatabase } from '../src/db/database.ts';

const migrate: Migrate = async (url) => {
  const { close } = await openDatabase({ url, poolSize: 1 });
  await close();
};

/** A database for a trigger service that a test starts; the service gets its URL. */
export const createTriggersDatabase = (): Promise<TestDatabase> =>
  createTestDatabase({ name: 'template_triggers', migrate });

export type OpenTestDatabase = OpenDatabase & { url: string; dispose: () => Promise<void> };

/** A database that the test itself uses. */
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

/** What a trigger service needs to work on a database. */
export const settingsFor = ({ url }: { url: string }): Record<string, string> => ({
  DATABASE_URL: url,
  SEALING_KEYS: randomBytes(32).toString('base64'),
});
