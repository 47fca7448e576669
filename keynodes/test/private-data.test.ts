import { tmpdir } from 'node:os';
import { PrivateDirectoryError } from '@latchkey/service/private-directory';
import { makeOpen, openToOthers } from '@latchkey/testing/file-modes';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { afterEach, expect, test } from 'vitest';
import { startConfigurationOnly, startNode } from './key-nodes.ts';

const umask = process.umask();
afterEach(() => process.umask(umask));

test('each start makes the data private that other users of the machine can read', async () => {
  process.umask(0o022);
  using directory = temporaryDirectory(tmpdir());
  const settings = { KEYNODE_DATA_DIR: directory.path };
  await using deployed = await startConfigurationOnly();
  {
    await using _node = await startNode(deployed, settings);
    expect(await openToOthers(directory.path)).toEqual([]);
  }
  await makeOpen(directory.path);
  expect((await openToOthers(directory.path)).length).toBeGreaterThan(4);
  await using _again = await startNode(deployed, settings);
  expect(await openToOthers(directory.path)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'refuses a data directory that it cannot close to other users',
  async () => {
    await using deployed = await startConfigurationOnly();
    const starting = startNode(deployed, { KEYNODE_DATA_DIR: '/proc/sys/kernel' });
    await expect(starting).rejects.toThrow(PrivateDirectoryError);
  },
);
