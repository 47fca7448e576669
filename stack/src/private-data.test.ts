/**
 * Starts on data that every user of the machine can read, and on a new directory: afterwards no other user can read it.
 */
import { chmod, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PrivateDirectoryError } from '@latchkey/service/private-directory';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ownRelayer } from '../../relayer/test/own-relayer.ts';
import type { OutputLine } from './output.ts';
import { startStack } from './stack.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

const _shared = inject('stack');

/** Returns the paths in a directory, itself included, on which other users have rights. */
async function openToOthers(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  const paths = [directory, ...names.map((name) => join(directory, name))];
  const found = await Promise.all(
    paths.map(async (path) => {
      // Temporary files of a database may be deleted meanwhile.
      const { mode } = await lstat(path).catch(() => ({ mode: 0 }));
      return mode & 0o077 ? [`${path} ${(mode & 0o777).toString(8)}`] : [];
    }),
  );
  return found.flat();
}

/** Sets modes like those of an earlier version. */
async function makeOpen(directory: string): Promise<void> {
  await mkdir(join(directory, 'earlier'), { recursive: true });
  await writeFile(join(directory, 'earlier', 'file'), '');
  const names = await readdir(directory, { recursive: true });
  for (const path of [directory, ...names.map((name) => join(directory, name))])
    await chmod(path, (await lstat(path)).isDirectory() ? 0o755 : 0o666);
}

let directory: string;
const umask = process.umask();
beforeAll(async () => {
  directory = await temporaryDataDir();
});
afterAll(async () => {
  process.umask(umask);
  await rm(directory, { recursive: true, force: true });
});

test('the relayer', { timeout: 600_000 }, async () => {
  const dataDir = join(directory, 'relayer');
  process.umask(0o022);
  await makeOpen(dataDir);
  expect(await openToOthers(dataDir)).toHaveLength(3);
  {
    await using _relayer = await ownRelayer({ DATA_DIR: dataDir });
    expect(await openToOthers(dataDir)).toEqual([]);
  }
  await makeOpen(dataDir);
  await using _again = await ownRelayer({ DATA_DIR: dataDir });
  expect(await openToOthers(dataDir)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'the relayer refuses a data directory that it cannot close to other users',
  async () => {
    await expect(ownRelayer({ DATA_DIR: '/proc/sys/kernel' })).rejects.toThrow(PrivateDirectoryError);
  },
);

test('the local stack', { timeout: 300_000 }, async () => {
  const dataDir = join(directory, 'stack');
  process.umask(0o022);
  await makeOpen(dataDir);
  await makeOpen(join(dataDir, 'chain'));
  const output: OutputLine[] = [];
  await using _stack = await startStack({ dataDir, onOutput: (line) => output.push(line) });
  expect(await openToOthers(dataDir)).toEqual([]);
  expect((await readdir(dataDir)).sort()).toEqual(
    expect.arrayContaining(['chain', 'postgres', 'relayer', 'triggers']),
  );
  expect(output).toContainEqual({
    part: 'stack',
    line: expect.stringMatching(/^removed the rights of other users on data: \d+, /),
  });
});
