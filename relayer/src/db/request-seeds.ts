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
  /** True when the request had a seed before. */
  has: (idempotencyId: string) => Promise<boolean>;
  /**
   * Returns the value of `make` for the request. With an idempotency id, whose seed must exist, the value is stored, sealed, before
   * it is returned, so that a retry gets a value that cannot be made again.
   */
  once: (idempotencyId: string | undefined, make: () => Promise<string>) => Promise<string>;
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
    has: async (idempotencyId) => (await db.$count(requestSeeds, eq(requestSeeds.id, idempotencyId))) > 0,
    async once(idempotencyId, make) {
      if (idempotencyId === undefined) return make();
      const ofRequest = eq(requestSeeds.id, idempotencyId);
      const [row] = await db.select({ made: requestSeeds.made }).from(requestSeeds).where(ofRequest);
      if (!row) throw new Error('the seed of a request disappeared from the database');
      const context = `${idempotencyId} made`;
      if (row.made !== null) return sealer.openText(row.made, context);
      const made = await make();
      await db
        .update(requestSeeds)
        .set({ made: sealer.seal(made, context) })
        .where(ofRequest);
      return made;
    },
  };
}
