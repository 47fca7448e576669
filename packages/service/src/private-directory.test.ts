import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPrivateDirectory, PrivateDirectoryError } from './private-directory.ts';

let parent: string;
let directory: string;
let warnings: unknown[];
const umask = process.umask();
const open = (path = directory) => openPrivateDirectory(path, (...warning) => warnings.push(warning));
const readMode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
beforeEach(async () => {
  process.umask(0o022);
  warnings = [];
  parent = await mkdtemp(join(tmpdir(), 'private-'));
  directory = join(parent, 'missing', 'data');
});
afterEach(async () => {
  process.umask(umask);
  await rm(parent, { recursive: true, force: true });
});

test('creates a private directory, and later files in it are private too', async () => {
  open();
  expect(await readMode(directory)).toBe('700');
  await writeFile(join(directory, 'file'), '');
  await mkdir(join(directory, 'sub'));
  expect([await readMode(join(directory, 'file')), await readMode(join(directory, 'sub'))]).toEqual([
    '600',
    '700',
  ]);
  open();
  expect(warnings).toEqual([]);
});

test('removes the rights of other users on all content, with one warning', async () => {
  await mkdir(join(directory, 'sub/deep'), { recursive: true });
  const modes = { '.': 0o755, sub: 0o777, 'sub/deep': 0o701, file: 0o666, 'sub/script': 0o755, own: 0o600 };
  for (const name of ['file', 'sub/script', 'own']) await writeFile(join(directory, name), '');
  for (const [name, mode] of Object.entries(modes)) await chmod(join(directory, name), mode);
  open();
  const after = await Promise.all(Object.keys(modes).map((name) => readMode(join(directory, name))));
  expect(after).toEqual(['700', '700', '700', '600', '700', '600']);
  expect(warnings).toEqual([[expect.any(String), { directory, count: 5, example: directory }]]);
});

test('follows a link to the directory, but no link in it', async () => {
  await mkdir(directory, { recursive: true });
  const elsewhere = join(parent, 'elsewhere');
  await writeFile(elsewhere, '');
  await symlink(elsewhere, join(directory, 'link'));
  await symlink(directory, join(parent, 'data-link'));
  open(join(parent, 'data-link'));
  expect([await readMode(directory), await readMode(elsewhere)]).toEqual(['700', '644']);
});

test('refuses a path that is not a directory', async () => {
  await writeFile(join(parent, 'file'), 'kept');
  expect(() => open(join(parent, 'file', 'data'))).toThrow(PrivateDirectoryError);
  expect(await readFile(join(parent, 'file'), 'utf8')).toBe('kept');
});

test.runIf(process.platform === 'linux')('refuses a directory whose mode it cannot change', () => {
  expect(() => open('/proc/sys/kernel')).toThrow(/other users can read \/proc\/sys\/kernel/);
});
