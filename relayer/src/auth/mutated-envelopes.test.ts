import { expect, test } from 'vitest';
import { changeNames, checkMutatedEnvelopes } from '../../test/mutated-envelopes.ts';

test('of thousands of changed proofs those that mean the same are accepted, and no others', async () => {
  const seed = Date.now() % 1_000_000;
  const { accepted, refused, byChange } = await checkMutatedEnvelopes(4_000, seed);
  expect(accepted).toBeGreaterThan(800);
  expect(refused).toBeGreaterThan(1_600);
  expect([...byChange.keys()].sort()).toEqual([...changeNames].sort());
}, 120_000);
