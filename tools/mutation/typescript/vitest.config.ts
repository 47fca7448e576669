/** The tests of STRYKER_TESTS, in the form that Stryker's runner needs: one project, in one worker thread. */
import { defineConfig } from 'vitest/config';
import config from '../../../vitest.config.ts';

// A worker thread takes no options of V8.
const { projects, execArgv, ...shared } = config.test ?? {};
const [parts] = projects as [{ test: object }];
const include = process.env.STRYKER_TESTS?.split(',');
// A test that a mutant keeps waiting fails sooner.
const expect = { poll: { timeout: 5_000 } };
export default defineConfig({
  ...config,
  test: { ...shared, ...parts.test, ...(include && { include }), expect, testTimeout: 20_000 },
});
