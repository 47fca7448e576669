/** Bounds the inputs of the runs of each account that have not ended. */
import { inBatches } from '@latchkey/service/in-batches';
import { repeat } from '@latchkey/service/repeat';
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { inputChanges, waitingInputs } from '../db/schema.ts';

/** Interval in which changes are summed: an account can exceed its limit by what it adds meanwhile. */
const SUM_MS = 1_000;

export type WaitingInputs = AsyncDisposable & {
  /** Returns whether the inputs of the account reached the limit when it was last read. */
  isFull: (userId: string) => boolean;
};

export function startWaitingInputs({
  db,
  log,
  maxBytes,
}: {
  db: Database;
  log: Logger;
  maxBytes: number;
}): WaitingInputs {
  let full = new Set<string>();
  const summing = repeat({
    intervalMs: SUM_MS,
    async task(signal) {
      await inBatches((limit) => sumChanges(db, maxBytes, limit), signal);
      const found = await db
        .select({ userId: waitingInputs.userId })
        .from(waitingInputs)
        .where(sql`${waitingInputs.isFull}`);
      full = new Set(found.map(({ userId }) => userId));
    },
    onError: (err) => log.error({ err }, 'failed to sum the inputs of waiting runs'),
  });
  return {
    isFull: (userId) => full.has(userId),
    [Symbol.asyncDispose]: () => summing[Symbol.asyncDispose](),
  };
}

/** Adds at most `limit` changes to the sizes of their accounts. Resolves to the number of changes. */
export async function sumChanges(db: Database, maxBytes: number, limit: number): Promise<number> {
  const [summed] = await rowsOf<{ count: number }>(
    db,
    sql`
    with changes as (
      delete from ${inputChanges} where id = any (array(
        select id from ${inputChanges} order by id limit ${limit} for update skip locked
      )) returning user_id, bytes
    ), stored as (
      insert into ${waitingInputs} as w (user_id, bytes, is_full)
      select user_id, sum(bytes), sum(bytes) >= ${maxBytes} from changes group by user_id order by user_id
      on conflict (user_id) do update
        set bytes = w.bytes + excluded.bytes, is_full = w.bytes + excluded.bytes >= ${maxBytes}
    )
    select count(*)::integer as count from changes`,
  );
  return summed?.count ?? 0;
}
