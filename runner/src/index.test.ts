import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendants, eventually } from '@latchkey/fork-server/testing';
import { makeOpen, openToOthers } from '@latchkey/testing/file-modes';
import { startRunnerProcess } from '@latchkey/testing/services';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadConfig, startRunner } from './index.ts';

let directory: string;
const umask = process.umask();
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-runner-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  process.umask(umask);
  await rm(directory, { recursive: true });
});

test.each([
  ['by default', {}, /^RUNNER_REQUIRE_WALLS: files does not stand: .*apt install bubblewrap.*=none$/],
  [
    'that is required',
    { RUNNER_REQUIRE_WALLS: 'files,cgroup,namespaces' },
    /^RUNNER_REQUIRE_WALLS: files does not stand: install bubblewrap .*namespaces does not stand: install bubblewrap/,
  ],
])('does not start without a wall %s, and says what to do', async (_name, settings, message) => {
  vi.stubEnv('PATH', ''); // no tool is found
  const before = new Set(descendants(process.pid));
  const config = loadConfig({
    RUNNER_LISTEN: join(directory, 'socket'),
    IMPORT_CACHE_DIR: join(directory, 'imports'),
    ...settings,
    LOG_LEVEL: 'silent',
  });
  await expect(startRunner(config)).rejects.toThrow(message);
  await eventually(() => descendants(process.pid).every((pid) => before.has(pid)));
});

test('names the walls that do not stand, and how to install them, in its first log line', async () => {
  await using runner = await startRunnerProcess({ PATH: '', RUNNER_REQUIRE_WALLS: 'none' });
  const [first = ''] = runner.output().split('\n');
  expect(JSON.parse(first)).toMatchObject({
    level: 40,
    missing: { files: expect.stringContaining('apt install bubblewrap') },
  });
});

test('imported modules that every user of the machine can read are closed at each start', async () => {
  const imports = join(directory, 'imports');
  const config = loadConfig({
    RUNNER_LISTEN: join(directory, 'socket'),
    IMPORT_CACHE_DIR: imports,
    RUNTIME_POOL_SIZE: '1',
    RUNNER_REQUIRE_WALLS: 'none',
    LOG_LEVEL: 'silent',
  });
  await startRunner(config).then(({ close }) => close());
  await makeOpen(imports);
  expect(await openToOthers(imports)).toHaveLength(5);
  await using _again = await startRunner(config);
  expect(await openToOthers(imports)).toEqual([]);
});
