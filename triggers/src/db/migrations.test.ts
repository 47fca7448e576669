import { testMigrations } from '@latchkey/testing/migrations';
import { openTestDatabase } from '../../test/database.ts';

testMigrations(new URL('migrations', import.meta.url), {
  schema: 'triggers',
  long: ['0006_queue', '0007_note_change', '0011_note_chain_change', '0020_note_input'],
  open: openTestDatabase,
});
