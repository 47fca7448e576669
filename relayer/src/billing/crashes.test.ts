import { describe, expect, test } from 'vitest';
import { killAtPoints, killUnderLoad } from '../../test/crashes.ts';

const seed = Date.now() % 1_000;

describe(`seed ${seed}`, () => {
  test('keeps all invariants when killed at a message of every flow', async () => {
    const { killed } = await killAtPoints({ stride: 17, offset: seed });
    expect(killed).toBeGreaterThan(2);
  }, 300_000);

  test('keeps all invariants when killed under load', async () => {
    expect((await killUnderLoad(2, seed)).acknowledged).toBeGreaterThan(10);
  }, 300_000);
});
