import { expect, test } from 'vitest';
import { changeNames, checkMutatedEnvelopes } from '../../test/mutated-envelopes.ts';

test('accepts only mutated proofs that keep the signed meaning', async () => {
  const seed = Date.now() % 1_000_000;
  const { accepted, refused, byChange } = await checkMutatedEnvelopes(4_000, seed);
  expect(accepted).toBeGreaterThan(800);
  expect(refused).toBeGreaterThan(1_600);
  expect([...byChange.keys()].sort()).toEqual([...changeNames].sort());
}, 600_000);
