import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOpen, openToOthers } from '@latchkey/testing/file-modes';
import { expect, test } from 'vitest';
import { markDataDir } from './data-dir.ts';
import type { OutputLine } from './output.ts';
import { startStack } from './stack.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

test('data that every user of the machine can read is closed at the next start', async () => {
  const dataDir = await temporaryDataDir();
  const umask = process.umask(0o022);
  try {
    markDataDir(dataDir);
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
  } finally {
    process.umask(umask);
    await rm(dataDir, { recursive: true, force: true });
  }
});
