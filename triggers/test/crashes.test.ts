import { describe, expect, test } from 'vitest';
import { killUnderLoad, loseReplies } from './crashes.ts';

const options = { rate: 50, seed: Date.now() % 1_000 };

// Most of the time they wait: for leases that end, and for retries.
describe.concurrent(`seed ${options.seed}`, () => {
  test('killed under load: every accepted webhook is run once', async () => {
    expect((await killUnderLoad(4, options)).accepted).toBeGreaterThan(50);
  }, 300_000);

  test('replies of the relayer are lost: every run has one effect', async () => {
    expect((await loseReplies(60, options)).requests).toBeGreaterThan(80);
  }, 300_000);
});
