import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeLock } from './lock.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

async function openDirectory(content?: string) {
  const directory = await temporaryDataDir();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'stack.lock');
  if (content !== undefined) await writeFile(path, content);
  const lines: string[] = [];
  // In place of a guard.
  const take = () => takeLock(path, process.pid, ({ line }) => lines.push(line));
  return { path, take, lines, files: () => readdir(directory) };
}

/** Starts a process that stays until the test ends, or until `end`. */
async function startProcess() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  const end = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(end);
  return { pid: child.pid as number, end };
}

const identity = (pid: number, startedAt?: string) => ({ pid, startedAt });
const lockOf = (owner: object, guard: object) => `${JSON.stringify({ owner, guard })}\n`;

test('is created, refuses another start, and leaves no file', async () => {
  const { take, files } = await openDirectory();
  const unlock = await take();
  await expect(take()).rejects.toThrow(`Another stack (process ${process.pid}) uses this data directory`);
  expect(await files()).toEqual(['stack.lock']);
  await unlock();
  expect(await files()).toEqual([]);
});

test.each([
  ['without a start', lockOf(identity(process.pid), identity(process.pid))],
  [
    'of a process that started at another time',
    lockOf(identity(process.pid, '1'), identity(process.ppid, '1')),
  ],
  ['that is malformed', '{"owner":'],
  ['that is empty', ''],
])('a lock with the id of this process %s is replaced', async (_, content) => {
  const { take, path, files } = await openDirectory(content);
  const unlock = await take();
  expect(JSON.parse(await readFile(path, 'utf8')).owner.pid).toBe(process.pid);
  expect(await files()).toEqual(['stack.lock']);
  await unlock();
});

test('a running stack whose start is unknown keeps its lock', async () => {
  const { pid } = await startProcess();
  const { take } = await openDirectory(lockOf(identity(pid), identity(pid)));
  await expect(take()).rejects.toThrow(`Another stack (process ${pid})`);
});

test('of concurrent starts over the lock of a killed stack, one succeeds', async () => {
  const { take } = await openDirectory(lockOf(identity(process.pid, '1'), identity(process.pid, '1')));
  const starts = await Promise.allSettled(Array.from({ length: 20 }, take));
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('waits for the guard of a killed stack', async () => {
  const guard = await startProcess();
  const { take, lines } = await openDirectory(lockOf(identity(process.pid), identity(guard.pid)));
  const taking = take();
  await expect.poll(() => lines).toEqual(['waiting for the processes of a killed stack to end']);
  await guard.end();
  await taking;
});

test('the lock of another stack is not removed', async () => {
  const { take, path } = await openDirectory();
  const unlock = await take();
  await writeFile(path, 'another');
  await unlock();
  expect(await readFile(path, 'utf8')).toBe('another');
});
