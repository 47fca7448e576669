/** Temporary databases with the tables of the trigger service. */
import { randomBytes } from 'node:crypto';
import { testDatabases } from '@latchkey/testing/postgres';
import { openDatabase } from '../src/db/database.ts';

const databases = testDatabases('triggers', openDatabase);
export const createTriggersDatabase = databases.create;
export const openTestDatabase = databases.open;
export type OpenTestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

/** Returns the settings of a trigger service on a database. */
export const settingsFor = ({ url }: { url: string }): Record<string, string> => ({
  DATABASE_URL: url,
  SEALING_KEYS: randomBytes(32).toString('base64'),
});
