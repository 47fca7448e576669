import { fileURLToPath } from 'node:url';
import {
  type DatabaseOf,
  type OpenDatabase as Open,
  openDatabase as open,
  type Where,
  whereOf,
} from '@latchkey/database';
import { eq, sql } from 'drizzle-orm';
import type { Config } from '../config.ts';
import * as schema from './schema.ts';

export type Database = DatabaseOf<typeof schema>;
export type OpenDatabase = Open<typeof schema>;

export function openDatabase(where: Where): Promise<OpenDatabase> {
  return open(where, {
    schema,
    migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)),
    migrationsSchema: 'triggers_migrations',
    service: 'triggers',
    onOwned: async (db) => {
      await db.update(schema.runs).set({ leaseUntil: sql`now()` }).where(eq(schema.runs.status, 'running'));
    },
  });
}

/** The database that the settings name. */
export const databaseOf = (config: Pick<Config, 'secrets' | 'dataDir' | 'databasePoolSize'>) =>
  openDatabase(whereOf(config));
