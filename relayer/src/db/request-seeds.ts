import { randomBytes } from 'node:crypto';
import type { Sealer } from '@latchkey/service/sealer';
import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { requestSeeds } from './schema.ts';

const SEED_BYTES = 32;

export type RequestSeeds = {
  /**
   * Returns the 32 random bytes from which a request derives its key or path. With an idempotency id they are stored,
   * sealed, before they are returned, so that a retry after a crash gets the same bytes.
   */
  seedFor: (idempotencyId: string | undefined) => Promise<Uint8Array>;
};

export function createRequestSeeds(db: Database, sealer: Sealer): RequestSeeds {
  return {
    async seedFor(idempotencyId) {
      const fresh = new Uint8Array(randomBytes(SEED_BYTES));
      if (idempotencyId === undefined) return fresh;
      await db
        .insert(requestSeeds)
        .values({ id: idempotencyId, seed: sealer.seal(fresh, idempotencyId) })
        .onConflictDoNothing();
      const [row] = await db
        .select({ seed: requestSeeds.seed })
        .from(requestSeeds)
        .where(eq(requestSeeds.id, idempotencyId));
      if (!row) throw new Error('the seed of a request disappeared from the database');
      return sealer.open(row.seed, idempotencyId);
    },
  };
}
