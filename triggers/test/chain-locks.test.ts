/** Lock order of the transactions that write the rows of a chain-event trigger. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainCursors, runs, triggers } from '../src/db/schema.ts';
import { addTrigger, createFollower, filled } from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase, waitForLock } from './database.ts';
import { createStandInChain } from './stand-in-chain.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());

test('DELETE does not deadlock with the transaction that fires logs', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1)]);
  const id = await addTrigger(db);
  const follower = createFollower(db, chain);
  await follower.tick();
  chain.mine([filled(2)]);
  let ticking: Promise<unknown> | undefined;
  // DELETE locks the trigger first, then the rows that refer to it.
  await db.transaction(async (tx) => {
    await tx.select({ id: triggers.id }).from(triggers).where(eq(triggers.id, id)).for('update');
    ticking = follower.tick();
    await waitForLock(database.db);
    await tx.delete(triggers).where(eq(triggers.id, id));
  });
  await ticking;
  expect(await db.$count(runs)).toBe(0);
  expect(await db.$count(chainCursors)).toBe(0);
});
