import type { IdempotencyStore, StoredReply } from '@latchkey/http';
import type { Sealer } from '@latchkey/service/sealer';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { idempotency } from './schema.ts';

const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / 1000}::double precision)`;

/** Stores outcomes in the database, so that every process returns the same one. Replies are sealed. */
export function createIdempotencyStore(db: Database, sealer: Sealer): IdempotencyStore {
  const heldBy = (id: string, holder: string) =>
    and(eq(idempotency.id, id), eq(idempotency.holder, holder), isNull(idempotency.reply));

  return {
    async claim(id, { requestHash, holder, leaseMs }) {
      for (;;) {
        const leaseUntil = inMs(leaseMs);
        const claimed = await db
          .insert(idempotency)
          .values({ id, requestHash, holder, leaseUntil })
          .onConflictDoUpdate({
            target: idempotency.id,
            set: { holder, leaseUntil },
            setWhere: sql`${idempotency.reply} is null and ${idempotency.requestHash} = ${requestHash}
              and ${idempotency.leaseUntil} < now()`,
          })
          .returning({ id: idempotency.id });
        if (claimed.length > 0) return { state: 'claimed' };
        const [row] = await db.select().from(idempotency).where(eq(idempotency.id, id));
        // A record that was released in between can be claimed.
        if (!row) continue;
        if (row.reply === null) return { state: 'running', requestHash: row.requestHash };
        const reply = JSON.parse(sealer.openText(row.reply, id)) as StoredReply;
        return { state: 'done', requestHash: row.requestHash, reply };
      }
    },
    async renew(id, holder, leaseMs) {
      await db
        .update(idempotency)
        .set({ leaseUntil: inMs(leaseMs) })
        .where(heldBy(id, holder));
    },
    async complete(id, holder, reply) {
      const sealed = sealer.seal(JSON.stringify(reply), id);
      await db.update(idempotency).set({ reply: sealed }).where(heldBy(id, holder));
    },
    async release(id, holder) {
      await db.delete(idempotency).where(heldBy(id, holder));
    },
  };
}
