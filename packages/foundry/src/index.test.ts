import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withForgeCache } from './index.ts';

const FILE = 'solidity-files-cache.json';

async function cacheWith(content?: string) {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-cache-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  if (content !== undefined) await writeFile(join(directory, FILE), content);
  return { directory, read: () => readFile(join(directory, FILE), 'utf8') };
}

/** Runs a command that finds a content of the cache and writes another one in two parts. Returns what it found. */
const rewrite = (directory: string, parts: string[], between: () => Promise<void> = async () => {}) =>
  withForgeCache(async ({ FOUNDRY_CACHE_PATH }) => {
    const file = join(FOUNDRY_CACHE_PATH, FILE);
    const found = await readFile(file, 'utf8').catch(() => undefined);
    await writeFile(file, parts[0] ?? '');
    await between();
    await writeFile(file, parts.join(''));
    return found;
  }, directory);

test('a command changes the cache at its end', async () => {
  const { directory, read } = await cacheWith();
  expect(await rewrite(directory, ['{"files', '":1}'])).toBe(undefined);
  const between = async () => expect(await read()).toBe('{"files":1}');
  expect(await rewrite(directory, ['{"files', '":2}'], between)).toBe('{"files":1}');
  expect(await read()).toBe('{"files":2}');
});

test('a killed command leaves the cache as it was', async () => {
  const { directory, read } = await cacheWith('{"files":1}');
  await rewrite(directory, ['{"files']);
  expect(await read()).toBe('{"files":1}');
  expect(await readdir(directory)).toEqual([FILE]);
});

test.each([true, false])('deletes the records of a command, which has ended well: %s', async (endsWell) => {
  const { directory } = await cacheWith('{}');
  let records = '';
  const command = withForgeCache(async ({ FOUNDRY_CACHE_PATH }) => {
    records = FOUNDRY_CACHE_PATH;
    await writeFile(join(records, 'run-latest.json'), '{"rpc":"https://node.example/a-key"}');
    if (!endsWell) throw new Error('the script reverts');
  }, directory);
  if (endsWell) await command;
  else await expect(command).rejects.toThrow('the script reverts');
  await expect(readdir(records)).rejects.toThrow('ENOENT');
});

test('removes what killed processes left, and nothing of those that live', async () => {
  const { directory } = await cacheWith('{}');
  const { pid: dead } = spawnSync('true');
  for (const pid of [dead, process.pid, process.ppid]) await mkdir(join(directory, `copy-${pid}-abc`));
  await rewrite(directory, ['{}']);
  expect((await readdir(directory)).sort()).toEqual(
    [`copy-${process.pid}-abc`, `copy-${process.ppid}-abc`, FILE].sort(),
  );
});

test('concurrent commands of a process leave a whole cache', async () => {
  const { directory, read } = await cacheWith('{}');
  const contents = Array.from({ length: 8 }, (_, index) => `{"${index}":"${'x'.repeat(1_000_000)}"}`);
  await Promise.all(contents.map((content) => rewrite(directory, [content])));
  expect(contents).toContain(await read());
  expect(await readdir(directory)).toEqual([FILE]);
});
