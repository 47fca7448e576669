/** A database of the version before positions of chains keeps the cursors of its triggers. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase as openWith } from '@latchkey/service/database';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { chainCursors } from './schema.ts';

const CHANGED_BY = 11;

/** Copies the migrations before the given one. */
async function migrationsBefore(number: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-migrations-'));
  cpSync(fileURLToPath(new URL('migrations', import.meta.url)), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8'));
  for (const { idx, tag } of journal.entries) if (idx >= number) rmSync(join(folder, `${tag}.sql`));
  const entries = journal.entries.filter(({ idx }: { idx: number }) => idx < number);
  writeFileSync(path, JSON.stringify({ ...journal, entries }));
  return folder;
}

test('cursors stay as they are, and are read by the process that follows the chain', async () => {
  await using database = await createTestDatabase();
  const migrationsFolder = await migrationsBefore(CHANGED_BY);
  const address = { url: database.url, poolSize: 1 };
  const names = { migrationsSchema: 'triggers_migrations', service: 'triggers', schema: {} };
  const before = await openWith(address, { ...names, migrationsFolder });
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
  await rm(migrationsFolder, { recursive: true });
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
