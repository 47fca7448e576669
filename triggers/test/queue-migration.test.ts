import { rowsOf } from '@latchkey/service/rows';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../src/db/database.ts';
import { claim, settle } from '../src/runs/claim.ts';
import { addRuns, addUser } from './fixtures.ts';
import { findDifferences, readState } from './queue-reference.ts';
import { openVersionBefore } from './version-before.ts';

/** The version without a ready list has the migrations before this one. */
const CHANGED_BY = 6;
const PER_USER = 3;

/** Adds a trigger with the columns of that version. */
async function addTriggerBefore(db: Database, userId: string, { enabled = true, isHeld = false } = {}) {
  const [trigger] = await rowsOf<{ id: string; userId: string }>(
    db,
    sql`
    insert into triggers.triggers (user_id, name, kind, action_code, default_params, usage_api_key, max_runs_per_minute, max_queued_runs,
      max_concurrent_runs, config, enabled, held_until)
    values (${userId}, 'a trigger', 'webhook', 'code', '{}', '', 1000000, 1000000, 100, '{}', ${enabled},
      case when ${isHeld} then now() + interval '1 hour' end)
    returning id, user_id as "userId"`,
  );
  if (!trigger) throw new Error('insert returned no trigger');
  return trigger;
}

test('the queue of the version before is claimed, and its processes go on', async () => {
  await using created = await createTestDatabase();
  const address = { url: created.url, poolSize: 4 };
  const old = await openVersionBefore(address, CHANGED_BY);
  const { db } = old;
  const claimAsBefore = async (limit: number) => {
    const { rows } = (await db.execute(
      sql`select run_id as id from triggers.claim_runs(${limit}::int, ${PER_USER}::int, '', 256, 30)`,
    )) as unknown as { rows: { id: string }[] };
    return rows.map(({ id }) => id);
  };
  const [a, b] = [await addUser(db), await addUser(db)];
  const busy = await addTriggerBefore(db, a);
  await addRuns(db, busy, 5);
  expect(await claimAsBefore(2)).toHaveLength(2);
  const paused = await addTriggerBefore(db, b, { enabled: false });
  for (const trigger of [
    paused,
    await addTriggerBefore(db, b, { isHeld: true }),
    await addTriggerBefore(db, b),
  ])
    await addRuns(db, trigger, 1);
  await addTriggerBefore(db, b);

  const current = await openDatabase(address);
  await settle(current.db);
  expect(findDifferences(await readState(current.db), PER_USER)).toEqual([]);
  // One of each user: `a` has two of three running, `b` one that is neither paused nor held.
  const claimed = await claim(current.db, { limit: 10, perUser: PER_USER });
  expect(claimed.map(({ userId }) => userId).toSorted()).toEqual([a, b].toSorted());

  expect(await claimAsBefore(10)).toEqual([]);
  await db.execute(sql`update triggers.triggers set enabled = true where id = ${paused.id}::uuid`);
  expect(await claimAsBefore(10)).toHaveLength(1);
  await addRuns(db, paused, 2);
  expect(await claim(current.db, { limit: 10, perUser: PER_USER })).toMatchObject([{ triggerId: paused.id }]);
  await current.close();
  await old.close();
});
