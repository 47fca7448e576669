import { readFile } from 'node:fs/promises';
import { asc, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser } from '../../test/fixtures.ts';
import { runs } from './schema.ts';

test('0013 numbers the stored runs of each trigger in their order', async () => {
  const { db, dispose } = await openTestDatabase();
  await using _ = { [Symbol.asyncDispose]: dispose };
  const stored: string[][] = [];
  for (const count of [3, 2]) stored.push(await addRuns(db, await addTrigger(db, await addUser(db)), count));
  // The newest first.
  for (const id of stored.flat())
    await db.execute(
      sql`update ${runs} set created_at = '2026-01-01'::timestamptz - number * interval '1 s' where id = ${id}`,
    );
  await db.execute(sql`alter table ${runs} drop column number`);

  const migration = await readFile(new URL('migrations/0013_numbered_runs.sql', import.meta.url), 'utf8');
  for (const statement of migration.split('--> statement-breakpoint').slice(0, 3))
    await db.execute(sql.raw(statement));

  for (const ids of stored) {
    const found = await db.select().from(runs).orderBy(asc(runs.createdAt));
    const own = found.filter(({ id }) => ids.includes(id));
    expect(own.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(own.map(({ number }) => number)).toEqual(ids.map((_, index) => index + 1));
  }
});
