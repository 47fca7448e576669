import { testMigrations } from '@latchkey/testing/migrations';
import { openTestDatabase } from '../../test/database.ts';

testMigrations(new URL('migrations', import.meta.url), {
  schema: 'public',
  long: ['0013_charged_micros'],
  open: openTestDatabase,
});
