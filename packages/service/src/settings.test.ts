import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineSettings, digits, directory, hex32, integer } from './settings.ts';

const { load } = defineSettings({
  schema: z.object({
    COUNT: integer(0, 100_000, 7),
    LIMIT: digits(0, 10).optional(),
    DIR: directory('deployments'),
    SEED: hex32.optional(),
  }),
  configFrom: (env) => env,
});

test('an integer has decimal digits only, and is within its bounds', () => {
  expect(load({ COUNT: '8080', LIMIT: '0' })).toMatchObject({ COUNT: 8_080, LIMIT: 0 });
  expect(load({ COUNT: '' })).toMatchObject({ COUNT: 7 });
  for (const text of [' ', '0x1F90', '1e3', '8.0', '-1', '+1', ' 1', '1\n'])
    expect(() => load({ COUNT: text })).toThrow('COUNT: expected a whole number in decimal digits');
  expect(() => load({ COUNT: '100001', LIMIT: '11' })).toThrow(/^COUNT: .*\nLIMIT: /);
});

test('a relative directory is relative to the repository', () => {
  const { DIR } = load({});
  expect(isAbsolute(DIR)).toBe(true);
  expect(DIR).toBe(join(import.meta.dirname, '../../../deployments'));
  expect(load({ DIR: '/elsewhere' }).DIR).toBe('/elsewhere');
});

test('a seed is 64 hex digits', () => {
  expect(load({ SEED: '0f'.repeat(32) }).SEED).toBe('0f'.repeat(32));
  expect(() => load({ SEED: '0F'.repeat(32) })).toThrow('SEED: expected 64 hex digits');
});

test('a secret is read from the file that NAME_FILE names', async () => {
  const { load } = defineSettings({
    schema: z.object({ TOKEN: z.string().optional(), OTHER: z.string().optional() }),
    secrets: ['TOKEN'],
    configFrom: (env) => env,
  });
  const folder = await mkdtemp(join(tmpdir(), 'settings-'));
  try {
    const path = join(folder, 'token');
    await writeFile(path, 'from a file\n');
    expect(load({ TOKEN_FILE: path, TOKEN: '' })).toEqual({ TOKEN: 'from a file' });
    expect(load({ TOKEN_FILE: '', TOKEN: 'plain' })).toEqual({ TOKEN: 'plain' });
    expect(load({ OTHER_FILE: path })).toEqual({});
    expect(() => load({ TOKEN_FILE: path, TOKEN: 'plain' })).toThrow('TOKEN, TOKEN_FILE: set one of them');
    expect(() => load({ TOKEN_FILE: join(folder, 'none') })).toThrow(/^TOKEN_FILE: ENOENT/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
