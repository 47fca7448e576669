/** Temporary databases with the tables of the trigger service. */
import { randomBytes } from 'node:crypto';
import { testDatabases } from '@latchkey/testing/postgres';
import { until } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../src/db/database.ts';

const databases = testDatabases('triggers', openDatabase);
export const createTriggersDatabase = databases.create;
export const openTestDatabase = databases.open;
export type OpenTestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

/** Returns the settings of a trigger service on a database. */
export const settingsFor = ({ url }: { url: string }): Record<string, string> => ({
  DATABASE_URL: url,
  SEALING_KEYS: randomBytes(32).toString('base64'),
});

/** Resolves when a transaction of the database waits for a lock. */
export const waitForLock = (db: Database): Promise<unknown> =>
  until('a transaction waits for a lock', () =>
    db.$count(sql`pg_stat_activity`, sql`datname = current_database() and wait_event_type = 'Lock'`),
  );
