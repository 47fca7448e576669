import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openParts } from './parts.ts';
import { sourceFolders, startReloading } from './reload.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

/** Starts a part that writes a word and then stays, or ends with `exit`; its sources are one file. */
async function startPart(word: string) {
  const directory = await temporaryDataDir();
  const folder = join(directory, 'src');
  const script = join(folder, 'main.js');
  const write = (word: string, rest = 'setInterval(() => {}, 1000);') =>
    writeFile(script, `console.log(${JSON.stringify(word)}); ${rest}`);
  await mkdir(folder);
  await write(word);
  const lines: string[] = [];
  const parts = await openParts(directory, ({ line }) => lines.push(line));
  const part = await startReloading({
    start: () => parts.start('relayer', process.execPath, [script], { env: {} }),
    folders: [folder],
    log: (line) => lines.push(line),
  });
  onTestFinished(async () => {
    await part.stop();
    await parts[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  const hasWritten = (word: string) => vi.waitFor(() => expect(lines).toContain(word), { timeout: 60_000 });
  await hasWritten(word);
  return { part, folder, lines, write, hasWritten };
}

test('restarts the part when a source changes, but not for a test', async () => {
  const { part, folder, lines, write, hasWritten } = await startPart('one');
  const { pid } = part;
  await writeFile(join(folder, 'main.test.ts'), '');
  await write('two');
  await hasWritten('two');
  expect(part.pid).not.toBe(pid);
  expect(lines.filter((line) => line.startsWith('restarting'))).toEqual([
    'restarting relayer: main.js changed',
  ]);
});

test('keeps the stack up when the part ends, and restarts it after the next change', async () => {
  const { part, write, hasWritten } = await startPart('one');
  await write('two', 'process.exit(3);');
  await hasWritten('relayer ended with exit code 3: it restarts when a file changes\ntwo');
  expect(part.isStopping()).toBe(false);
  await write('three');
  await hasWritten('three');
});

test('stops the part and resolves its exit', async () => {
  const { part } = await startPart('one');
  await part.stop();
  expect(await part.exited).toBe('signal SIGTERM');
  expect(() => process.kill(part.pid, 0)).toThrow('ESRCH');
});

test('watches the sources of the service and of the packages', () => {
  const folders = sourceFolders('indexer').join('\n');
  for (const folder of ['/indexer/src', '/indexer/service', '/packages/http/src'])
    expect(folders).toContain(folder);
});
