/** A database of the version before positions of chains keeps the cursors of its triggers. */
import { createTestDatabase } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openVersionBefore } from '../../test/version-before.ts';
import { openDatabase } from './database.ts';
import { chainCursors } from './schema.ts';

const CHANGED_BY = 11;

test('cursors stay as they are, and are read by the process that follows the chain', async () => {
  await using database = await createTestDatabase();
  const address = { url: database.url, poolSize: 1 };
  const before = await openVersionBefore(address, CHANGED_BY);
  await before.db.execute(sql.raw(`insert into triggers.users (account) values ('0x1')`));
  for (const name of ['read', 'new'])
    await before.db.execute(
      sql.raw(`insert into triggers.triggers (user_id, name, kind, default_params, usage_api_key, max_runs_per_minute,
        max_queued_runs, max_concurrent_runs, config)
      select id, '${name}', 'chain_event', '{}', '', 1, 1, 1, '{"chain":"service","chain_id":1,"start_block":5}' from triggers.users`),
    );
  await before.db.execute(
    sql.raw(`insert into triggers.chain_cursors (trigger_id, next_block, silent_below, unread, head_block)
    select id, 70, 60, '[[1,9]]', 80 from triggers.triggers where name = 'read'`),
  );
  await before.close();
  const { db, close } = await openDatabase(address);
  try {
    expect(await db.select().from(chainCursors).orderBy(chainCursors.nextBlock)).toMatchObject([
      { nextBlock: 5n, silentBelow: 0n, unread: [], headBlock: 0n, isLive: false },
      { nextBlock: 70n, silentBelow: 60n, unread: [[1, 9]], headBlock: 80n, isLive: false },
    ]);
  } finally {
    await close();
  }
});
