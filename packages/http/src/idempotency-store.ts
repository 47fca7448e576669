import type { DatabaseOf } from '@latchkey/service/database';
import type { IdempotencyTable } from '@latchkey/service/idempotency-table';
import type { Sealer } from '@latchkey/service/sealer';
import { and, eq, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { IdempotencyStore, StoredReply } from './idempotency.ts';

/** One hour more than documented. */
const RETENTION_HOURS = 25;

type Options = {
  db: Pick<DatabaseOf<Record<string, unknown>>, 'insert' | 'select' | 'update' | 'delete'>;
  table: IdempotencyTable;
  sealer: Pick<Sealer, 'seal' | 'openText'>;
};

const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / 1000}::double precision)`;

/** Stores outcomes in the database, so that every process returns the same one. Replies are sealed. */
export function createIdempotencyStore({ db, table, sealer }: Options): IdempotencyStore {
  const heldBy = (id: string, holder: string) =>
    and(eq(table.id, id), eq(table.holder, holder), isNull(table.reply));

  return {
    async claim(id, { requestHash, holder, leaseMs }) {
      for (;;) {
        const leaseUntil = inMs(leaseMs);
        const claimed = await db
          .insert(table)
          .values({ id, requestHash, holder, leaseUntil })
          .onConflictDoUpdate({
            target: table.id,
            set: { holder, leaseUntil },
            setWhere: sql`${table.reply} is null and ${table.requestHash} = ${requestHash}
              and ${table.leaseUntil} < now()`,
          })
          .returning({ id: table.id });
        if (claimed.length > 0) return { state: 'claimed' };
        const [row] = await db.select().from(table).where(eq(table.id, id));
        // A record that was released in between can be claimed.
        if (!row) continue;
        if (row.reply === null) return { state: 'running', requestHash: row.requestHash };
        const reply = JSON.parse(sealer.openText(row.reply, id)) as StoredReply;
        return { state: 'done', requestHash: row.requestHash, reply };
      }
    },
    async renew(id, holder, leaseMs) {
      await db
        .update(table)
        .set({ leaseUntil: inMs(leaseMs) })
        .where(heldBy(id, holder));
    },
    async complete(id, holder, reply) {
      const sealed = sealer.seal(JSON.stringify(reply), id);
      await db.update(table).set({ reply: sealed }).where(heldBy(id, holder));
    },
    async release(id, holder) {
      await db.delete(table).where(heldBy(id, holder));
    },
  };
}

/** Selects the records that the store no longer needs: finished or abandoned, and created over 24 hours ago. */
export const isExpiredRecord = (table: IdempotencyTable): SQL | undefined =>
  and(
    lt(table.createdAt, sql`now() - make_interval(hours => ${RETENTION_HOURS}::int)`),
    or(isNotNull(table.reply), lt(table.leaseUntil, sql`now()`)),
  );
