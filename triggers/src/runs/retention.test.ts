import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser } from '../../test/fixtures.ts';
import { runs } from '../db/schema.ts';
import { removeOldRuns } from './retention.ts';

test('deletes only runs that ended before the retention limit, in batches', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const trigger = await addTrigger(db, await addUser(db));
  const endedDaysAgo = (days: number) => sql`now() - make_interval(days => ${days})`;
  await addRuns(db, trigger, 1_100);
  await db.update(runs).set({ status: 'success', finishedAt: endedDaysAgo(31) });
  await addRuns(db, trigger, 2);
  await db
    .update(runs)
    .set({ status: 'failed', finishedAt: endedDaysAgo(29) })
    .where(sql`${runs.id} in (select id from ${runs} where status = 'queued' limit 1)`);
  // A run that has not ended is kept, however old it is.
  await db.update(runs).set({ createdAt: endedDaysAgo(1_000) });
  expect(await removeOldRuns(db, 30)).toBe(1_100);
  expect((await db.select().from(runs)).map(({ status }) => status).sort()).toEqual(['failed', 'queued']);
});
