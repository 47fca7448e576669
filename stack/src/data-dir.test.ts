import { chmod, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkDataDir, markDataDir } from './data-dir.ts';
import { root, StackError } from './root.ts';
import { startStack } from './stack.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

async function directoryWith(...files: string[]): Promise<string> {
  const directory = await temporaryDataDir();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const file of files) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), '');
  }
  return directory;
}

test('accepts a missing and an empty directory, data of a stack, and .data of the repository', async () => {
  const empty = await directoryWith();
  checkDataDir(empty);
  checkDataDir(join(empty, 'missing'));
  checkDataDir(join(root, '.data'));
  checkDataDir(await directoryWith('postgres/password', 'chain/state.json'));
  checkDataDir(await directoryWith('stack.lock'));
  const marked = await directoryWith('notes');
  markDataDir(marked);
  checkDataDir(marked);
});

test('refuses the repository, its ancestors, a folder of sources, a link to one, and a file', async () => {
  const directory = await directoryWith('file');
  await symlink(root, join(directory, 'link'));
  for (const path of [root, dirname(root), '/', join(directory, 'link')])
    expect(() => checkDataDir(path)).toThrow('it contains the sources of this repository');
  for (const path of [join(root, 'relayer'), directory])
    expect(() => checkDataDir(path)).toThrow('files that are not of a stack');
  expect(() => checkDataDir(join(directory, 'file'))).toThrow('ENOTDIR');
});

test('a stack leaves a refused directory as it is', async () => {
  const directory = await directoryWith('relayer/main.ts');
  await chmod(directory, 0o755);
  const starting = startStack({ dataDir: directory, isFresh: true });
  await expect(starting).rejects.toThrow(StackError);
  expect((await stat(directory)).mode & 0o777).toBe(0o755);
  await stat(join(directory, 'relayer/main.ts'));
});
