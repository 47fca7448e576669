/** A runtime for the tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { createRuntime, type Runtime, type RuntimeOptions } from '../src/runtime.ts';
import { runner } from '../src/testing.ts';

/** Starts a runtime before the tests, and returns the function that runs code in it. */
export function startRuntime(options: () => Promise<Partial<RuntimeOptions>> = async () => ({})) {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await createRuntime({ poolSize: 2, ...(await options()) });
  }, 30_000);
  afterAll(() => runtime.close());
  return runner(() => runtime);
}
