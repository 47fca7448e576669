/** A runtime for the tests of a file. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { afterAll } from 'vitest';
import { createImports } from '../src/imports/imports.ts';
import { openModuleStore } from '../src/imports/module-store.ts';
import { createRuntime, type RuntimeOptions } from '../src/runtime.ts';
import { runner } from '../src/testing.ts';
import { startCdn } from './cdn.ts';

/** Starts a runtime for the tests of the file, and returns the function that runs code in it. Call it at the top level. */
export async function startRuntime(options: RuntimeOptions = {}) {
  const runtime = disposeAfterAll(await createRuntime({ poolSize: 2, ...options }));
  return runner(runtime);
}

/** Starts a runtime whose actions import from a stand-in for the CDN, with these modules instead of packages. */
export async function startRuntimeWithCdn(replies: Parameters<typeof startCdn>[0]) {
  const cdn = disposeAfterAll(await startCdn(replies));
  const directory = await mkdtemp(join(tmpdir(), 'imports-'));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const store = await openModuleStore(directory, 2 ** 30);
  const run = await startRuntime({ imports: createImports({ cdnUrl: cdn.cdnUrl, store }) });
  return { run, cdn };
}
