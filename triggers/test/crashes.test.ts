import { describe, expect, test } from 'vitest';
import { killUnderLoad, loseReplies } from './crashes.ts';

const options = { rate: 25, seed: Date.now() % 1_000 };

// Concurrent, because they mostly wait for leases and retries.
describe.concurrent(`seed ${options.seed}`, () => {
  test('every accepted webhook runs once under kill -9', async () => {
    expect((await killUnderLoad(4, options)).accepted).toBeGreaterThan(50);
  }, 300_000);

  test('every run has one effect when replies of the relayer are lost', async () => {
    expect((await loseReplies(60, options)).requests).toBeGreaterThan(70);
  }, 300_000);
});
