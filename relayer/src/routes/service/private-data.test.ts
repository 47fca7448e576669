import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateDirectoryError } from '@latchkey/service/private-directory';
import { makeOpen, openToOthers } from '@latchkey/testing/file-modes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

let dataDir: string;
const umask = process.umask();
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'relayer-data-'));
});
afterAll(async () => {
  process.umask(umask);
  await rm(dataDir, { recursive: true, force: true });
});

test('every start closes data that other users of the machine can read', async () => {
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
  'refuses a data directory that it cannot close to other users',
  async () => {
    await expect(ownRelayer({ DATA_DIR: '/proc/sys/kernel' })).rejects.toThrow(PrivateDirectoryError);
  },
);
