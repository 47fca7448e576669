import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryInUseError, lockDirectory } from './directory-lock.ts';
import { openDatabase } from './open.ts';

let parent: string;
let directory: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lock-'));
  directory = join(parent, 'database');
});
const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(parent, { recursive: true, force: true });
});

/** A process that takes the directory when `atMs` has come, and keeps it; resolves to what it says. */
async function taker(atMs = 0): Promise<{ child: ChildProcess; says: string }> {
  const script = `
    const { lockDirectory } = await import(${JSON.stringify(new URL('./directory-lock.ts', import.meta.url).href)});
    while (Date.now() < ${atMs});
    try { lockDirectory(${JSON.stringify(directory)}); console.log('held'); } catch ({ name }) { console.log(name); }
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const [chunk] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, says: String(chunk).trim() };
}

test('is held until it is given back; a second holder in this process is refused', () => {
  const unlock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(DirectoryInUseError);
  expect(() => lockDirectory(directory)).toThrow(
    `The database ${directory} is in use by another process. Stop it first, or use DATABASE_URL.`,
  );
  unlock();
  lockDirectory(directory)();
});

test('another directory beside it is free', () => {
  const unlock = lockDirectory(directory);
  lockDirectory(join(parent, 'other'))();
  unlock();
});

test('another process is refused, and holds it itself afterwards', async () => {
  const unlock = lockDirectory(directory);
  expect((await taker()).says).toBe('DirectoryInUseError');
  unlock();
  expect((await taker()).says).toBe('held');
  expect(() => lockDirectory(directory)).toThrow(DirectoryInUseError);
});

test('of processes that want what a killed one held, all at once, one gets it', async () => {
  for (let round = 0; round < 2; round++) {
    const atMs = Date.now() + 700;
    const takers = await Promise.all(Array.from({ length: 4 }, () => taker(atMs)));
    expect(takers.map(({ says }) => says).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'DirectoryInUseError'),
      'held',
    ]);
    for (const { child } of takers) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  lockDirectory(directory)();
});

test('a place that cannot be written is an error of its own', () => {
  expect(() => lockDirectory(join(parent, 'missing', 'database'))).toThrow(/unable to open/);
});

test('a PGlite database is opened by one at a time', async () => {
  const migrationsFolder = join(parent, 'migrations');
  await mkdir(join(migrationsFolder, 'meta'), { recursive: true });
  await writeFile(join(migrationsFolder, 'meta/_journal.json'), JSON.stringify({ entries: [] }));
  const open = () =>
    openDatabase(
      { directory },
      { schema: {}, migrationsFolder, migrationsSchema: 'drizzle', service: 'test' },
    );

  const first = await open();
  await expect(open()).rejects.toBeInstanceOf(DirectoryInUseError);
  await first.ping();
  await first.close();
  await (await open()).close();
});
