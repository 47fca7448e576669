import { describe, expect, test } from 'vitest';
import { postgresBin } from '../../../indexer/test/processes.ts';
import { killAtPoints, killUnderLoad } from '../../test/crashes.ts';

const seed = Date.now() % 1_000;

describe.skipIf(postgresBin === undefined)('PostgreSQL', () => {
  test('killed at some of the messages of every flow', async () => {
    const { killed } = await killAtPoints('PostgreSQL', { stride: 23, offset: seed });
    expect(killed).toBeGreaterThan(4);
  }, 300_000);

  test('killed under load', async () => {
    expect((await killUnderLoad('PostgreSQL', 3, seed)).acknowledged).toBeGreaterThan(10);
  }, 300_000);
});

test('PGlite: killed under load', async () => {
  expect((await killUnderLoad('PGlite', 3, seed)).acknowledged).toBeGreaterThan(10);
}, 300_000);
