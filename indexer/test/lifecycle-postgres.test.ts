import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { deepReorg, freshChain, lostBlocks, restarts, setUp } from './lifecycle.ts';
import { postgresBin, startPostgres } from './processes.ts';

// Each starts the indexer several times.
vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(postgresBin === undefined)(
  'PostgreSQL (skipped where initdb is not in /usr/lib/postgresql)',
  () => {
    let cluster: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      cluster = await startPostgres();
    });
    afterAll(() => cluster[Symbol.asyncDispose]());

    // One database and chain id for all: each test starts on the tables of another chain.
    test('a restart continues, after a clean stop and after kill -9', async () => {
      await using world = await setUp({ DATABASE_URL: cluster.url });
      await restarts(world);
    });

    test('a fresh chain while the indexer is stopped', async () => {
      await using world = await setUp({ DATABASE_URL: cluster.url });
      await freshChain(world, false);
    });

    test('a deep reorg under the running indexer', async () => {
      await using world = await setUp({ DATABASE_URL: cluster.url });
      await deepReorg(world, true);
    });

    test('a chain that lost its last blocks while the indexer was stopped', async () => {
      await using world = await setUp({ DATABASE_URL: cluster.url });
      await lostBlocks(world);
    });
  },
);
