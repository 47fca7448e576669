/** Setup of tests of chain-event triggers: a database, and a clock that they move to skip pauses after failures. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import type { Database } from '../src/db/database.ts';
import type { ChainFollower } from '../src/sources/chain-follower.ts';
import { clearChains } from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase } from './database.ts';
import { createStandInChain, type Faults, type NewLog, type StandInChain } from './stand-in-chain.ts';

/** Opens a database for the tests of a file. Each begins without triggers. */
export function useChainDatabase(): { readonly db: Database; readonly url: string } {
  let database: OpenTestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.dispose());
  beforeEach(async () => {
    await clearChains(database.db);
    vi.useFakeTimers({ toFake: ['Date'] });
    return () => vi.useRealTimers();
  });
  return {
    get db() {
      return database.db;
    },
    get url() {
      return database.url;
    },
  };
}

/** `CHAIN_RUNS` sets the number of runs, `CHAIN_SEED` the seed. */
export const runSettings = {
  numRuns: Number(process.env.CHAIN_RUNS ?? 12),
  ...(process.env.CHAIN_SEED !== undefined && { seed: Number(process.env.CHAIN_SEED) }),
};

export const anyFaults: fc.Arbitrary<Faults> = fc.record({
  lag: fc.constantFrom(0, 0.2),
  gap: fc.constantFrom(0, 0.02),
  noise: fc.constantFrom(0, 0.5),
  disconnect: fc.constantFrom(0, 0.02),
});
export const anyRandoms = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

/** Lets several processes read concurrently, whatever fails. */
export const tickAll = (followers: readonly ChainFollower[]): Promise<unknown> =>
  Promise.all(
    followers.map(async (follower) => {
      await follower.tick().catch(() => {});
      await follower.backfilled();
    }),
  );

/** A chain of an unreliable node, with at least `before` blocks. A node lags by up to three updates: less than 128 blocks. */
export function createUnreliableChain(
  first: readonly (readonly NewLog[])[],
  before: number,
  faults: Faults,
  randoms: fc.Stream<number>,
): StandInChain {
  const chain = createStandInChain({ maxRange: 50n, random: () => randoms.next().value });
  for (let mined = 0; mined < before; mined += 40)
    chain.mine(...Array.from({ length: 40 }, (_, index) => first[index % first.length] ?? []));
  chain.mine(...first);
  Object.assign(chain.faults, faults);
  return chain;
}
