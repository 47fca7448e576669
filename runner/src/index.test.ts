import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOpen, openToOthers } from '@latchkey/testing/file-modes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadConfig, startRunner } from './index.ts';
import { descendants, eventually } from './testing.ts';

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

test('does not start without a wall that is required, and says what to do', async () => {
  vi.stubEnv('PATH', ''); // no tool is found
  const before = new Set(descendants(process.pid));
  const config = loadConfig({
    RUNNER_LISTEN: join(directory, 'socket'),
    IMPORT_CACHE_DIR: join(directory, 'imports'),
    RUNNER_REQUIRE_WALLS: 'files,cgroup,namespaces',
    LOG_LEVEL: 'silent',
  });
  await expect(startRunner(config)).rejects.toThrow(
    /^RUNNER_REQUIRE_WALLS: files does not stand: install bubblewrap .*namespaces does not stand: install bubblewrap/,
  );
  await eventually(() => descendants(process.pid).every((pid) => before.has(pid)));
});

test('imported modules that every user of the machine can read are closed at each start', async () => {
  const imports = join(directory, 'imports');
  const config = loadConfig({
    RUNNER_LISTEN: join(directory, 'socket'),
    IMPORT_CACHE_DIR: imports,
    RUNTIME_POOL_SIZE: '1',
    LOG_LEVEL: 'silent',
  });
  await startRunner(config).then(({ close }) => close());
  await makeOpen(imports);
  expect(await openToOthers(imports)).toHaveLength(5);
  await using _again = await startRunner(config);
  expect(await openToOthers(imports)).toEqual([]);
});
