import { testMigrations } from '@latchkey/testing/migrations';
import { sql } from 'drizzle-orm';
import { openTestDatabase } from '../../test/database.ts';

testMigrations(new URL('migrations', import.meta.url), async () => {
  const { db, dispose } = await openTestDatabase();
  await using _ = { [Symbol.asyncDispose]: dispose };
  const { rows } = (await db.execute(
    sql`select proname as name, prosrc as body from pg_proc where pronamespace = 'public'::regnamespace`,
  )) as unknown as { rows: { name: string; body: string }[] };
  return rows;
});
