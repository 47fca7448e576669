import { setTimeout } from 'node:timers/promises';
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';

const PAUSE_MS = 50;
const MAX_ATTEMPTS = 60;

/**
 * Does one work of a name at a time, also of several relayers, so that it can count what is there first. Resolves to `busy` when others of
 * the name have taken three seconds. Works do not wait in a transaction, where each would hold a connection.
 */
export async function inTurn<Result>(
  db: Database,
  name: string,
  work: (tx: Database) => Promise<Result>,
): Promise<Result | 'busy'> {
  for (let i = 1; i < MAX_ATTEMPTS; i++) {
    const done = await db.transaction(async (tx) => {
      const [taken] = await rowsOf<{ is_locked: boolean }>(
        tx,
        sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_locked`,
      );
      return taken?.is_locked ? { result: await work(tx) } : undefined;
    });
    if (done) return done.result;
    await setTimeout(PAUSE_MS * (0.5 + Math.random()));
  }
  return 'busy';
}
