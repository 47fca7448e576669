/** A runtime for the tests of a file. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createImports } from '../src/imports/imports.ts';
import { openModuleStore } from '../src/imports/module-store.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../src/runtime.ts';
import { runner } from '../src/testing.ts';
import { startCdn } from './cdn.ts';

/** Starts a runtime before the tests, and returns the function that runs code in it. */
export function startRuntime(options: () => Promise<Partial<RuntimeOptions>> = async () => ({})) {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await createRuntime({ poolSize: 2, ...(await options()) });
  }, 30_000);
  afterAll(() => runtime.close());
  return runner(() => runtime);
}

/** Starts a runtime whose actions import from a stand-in for the CDN, with these modules instead of packages. */
export function startRuntimeWithCdn(replies: Parameters<typeof startCdn>[0]) {
  let cdn: Awaited<ReturnType<typeof startCdn>>;
  let directory: string;
  const run = startRuntime(async () => {
    cdn = await startCdn(replies);
    directory = await mkdtemp(join(tmpdir(), 'imports-'));
    const store = await openModuleStore(directory, 2 ** 30);
    return { imports: createImports({ cdnUrl: cdn.cdnUrl, store }) };
  });
  afterAll(async () => {
    await cdn?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  return { run, cdn: () => cdn };
}
