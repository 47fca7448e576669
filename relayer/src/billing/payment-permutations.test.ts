import { expect, test } from 'vitest';
import { checkPermutations } from '../../test/payment-permutations.ts';

test('whatever happens to payments, and however one learns of it, the ledger is what a model says', async () => {
  const { looks, movedCents } = await checkPermutations(60, Date.now() % 1_000_000);
  expect(looks).toBeGreaterThan(400);
  expect(movedCents).toBeGreaterThan(10_000);
}, 180_000);
