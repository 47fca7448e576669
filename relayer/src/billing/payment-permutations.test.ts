import { expect, test } from 'vitest';
import { checkPermutations } from '../../test/payment-permutations.ts';

test('the ledger equals the model for any order of payment events and deliveries', async () => {
  const { looks, movedCents } = await checkPermutations(25, Date.now() % 1_000_000);
  expect(looks).toBeGreaterThan(160);
  expect(movedCents).toBeGreaterThan(4_000);
}, 600_000);
