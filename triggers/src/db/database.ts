import { type DatabaseOf, openerOf } from '@latchkey/service/database';
import * as schema from './schema.ts';

export type Database = DatabaseOf<typeof schema>;

export const openDatabase = openerOf(import.meta.url, {
  schema,
  migrationsSchema: 'triggers_migrations',
  service: 'triggers',
});
