import { describe, expect, test } from 'vitest';
import { postgresBin } from '../../indexer/test/processes.ts';
import { killUnderLoad, loseReplies } from './crashes.ts';

const options = { rate: 50, seed: Date.now() % 1_000 };

// Most of the time they wait: for leases that end, and for retries.
describe.concurrent.each(['PostgreSQL', 'PGlite'] as const)('%s', (database) => {
  const isHere = database === 'PGlite' || postgresBin !== undefined;

  test.runIf(isHere)(
    'killed under load: every accepted webhook is run once',
    async () => {
      expect((await killUnderLoad(database, 4, options)).accepted).toBeGreaterThan(50);
    },
    600_000,
  );

  test.runIf(isHere)(
    'replies of the core service are lost: every run has one effect',
    async () => {
      expect((await loseReplies(database, 60, options)).requests).toBeGreaterThan(80);
    },
    600_000,
  );
});
