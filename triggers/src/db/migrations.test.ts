import { testMigrations } from '@latchkey/testing/migrations';
import { openTestDatabase } from '../../test/database.ts';

testMigrations(new URL('migrations', import.meta.url), 'triggers', openTestDatabase);
