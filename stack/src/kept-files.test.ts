import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '@latchkey/service/files';
import { expect, onTestFinished, test } from 'vitest';
import { startChain } from './chain.ts';
import { loadSecret } from './database.ts';
import { loadSeeds } from './key-nodes.ts';
import type { Parts } from './parts.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

const noParts = { start: () => Promise.reject(new Error('started')) } as unknown as Parts;
const startOn = (file: string) =>
  startChain(noParts, { directory: join(file, '..'), port: 1, env: {}, isTemporary: false });

async function openDirectory(): Promise<string> {
  const directory = await temporaryDataDir();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test.each([
  ['sealing-key', loadSecret],
  ['seeds.json', loadSeeds],
])('%s is created once, by concurrent starts too, without other files', async (name, load) => {
  const directory = await openDirectory();
  const path = join(directory, name);
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => load(path)));
  for (const other of others) expect(other).toEqual(first);
  expect(await readdir(directory)).toEqual([name]);
  expect(await load(path)).toEqual(first);
});

test.each([
  ['sealing-key', loadSecret, ''],
  ['sealing-key', loadSecret, 'dG9ybg=='],
  ['seeds.json', loadSeeds, '{"runner":"'],
  ['seeds.json', loadSeeds, '{"runner":"00"}'],
  ['state.json', startOn, '{"blocks":['],
  ['state.json', startOn, ''],
])('a damaged %s is reported with its path, and kept', async (name, load, content) => {
  const path = join(await openDirectory(), name);
  await writeFile(path, content);
  await expect(load(path)).rejects.toThrow(FileError);
  await expect(load(path)).rejects.toThrow(
    `${path} is damaged or of another version: restore a copy, or start with --fresh`,
  );
  expect(await readFile(path, 'utf8')).toBe(content);
});
