/** The tests of STRYKER_TESTS, in the form that Stryker's runner needs: one project, in one worker thread. */
import { defineConfig } from 'vitest/config';
import type { Reporter, Vitest } from 'vitest/node';
import config from '../../../vitest.config.ts';

// A worker thread takes no options of V8.
const { projects, execArgv, ...shared } = config.test ?? {};
const [parts] = projects as [{ test: object }];
const include = process.env.STRYKER_TESTS?.split(' ');
/** Reports files that a mutant keeps from loading as errors: Stryker counts tests only, and takes none for a survivor. */
class LoadErrors implements Reporter {
  #vitest: Vitest | undefined;
  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }
  onTestModuleEnd: NonNullable<Reporter['onTestModuleEnd']> = (module) => {
    for (const error of module.errors()) this.#vitest?.state.catchError(error, 'Load error');
  };
}

// A test that a mutant keeps waiting fails sooner.
const expect = { poll: { timeout: 5_000 } };
export default defineConfig({
  ...config,
  test: {
    ...shared,
    ...parts.test,
    ...(include && { include }),
    expect,
    reporters: [new LoadErrors()],
  },
});
