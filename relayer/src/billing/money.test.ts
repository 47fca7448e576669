import { expect, test } from 'vitest';
import { displayCredit } from './money.ts';

test.each([
  [5_000_000n, '$5.00 credit'],
  [1_234_569_999n, '$1234.56 credit'],
  [10_000n, '$0.01 credit'],
  [9_999n, 'No credits'],
  [0n, 'No credits'],
  [-5_000_000n, 'No credits'],
])('%i micro-credits are displayed as %s', (micros, text) => {
  expect(displayCredit(micros)).toBe(text);
});
