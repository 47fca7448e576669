import { expect, test } from 'vitest';
import { withChain } from './chain.ts';
import { differential, unreached } from './differential.ts';
import { createReplay } from './replay.ts';

/** A multiple of the turns, so that every initial state is used. */
const SEQUENCES = 480;

test('model and contract agree, and the sequences reach everything', { timeout: 600_000 }, async () => {
  const counts = await differential({
    seed: 1,
    from: 0,
    sequences: SEQUENCES,
    batch: 240,
    execute: await createReplay(),
  });
  expect(counts.sequences).toBe(SEQUENCES);
  expect(unreached(counts)).toEqual([]);
});

test('model and contract agree when every call is a separate transaction', { timeout: 600_000 }, async () => {
  const counts = await withChain((execute) =>
    differential({ seed: 2, from: 0, sequences: 24, batch: 24, execute }),
  );
  expect(counts.sequences).toBe(24);
});
