import { fileURLToPath } from 'node:url';
import {
  type DatabaseAddress,
  type DatabaseOf,
  type OpenDatabase as Open,
  openDatabase as open,
} from '@latchkey/service/database';
import * as schema from './schema.ts';

export type Database = DatabaseOf<typeof schema>;
export type OpenDatabase = Open<typeof schema>;

export function openDatabase(address: DatabaseAddress, onWait?: () => void): Promise<OpenDatabase> {
  return open(address, {
    schema,
    migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)),
    migrationsSchema: 'drizzle',
    service: 'relayer',
    onWait,
  });
}
