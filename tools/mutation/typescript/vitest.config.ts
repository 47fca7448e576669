/** The tests of STRYKER_TESTS, in the form that Stryker's runner needs: one project, in one worker thread. */
import { join } from 'node:path';
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

// Stryker's copy of the repository has the packages of the original in its node_modules, without mutants.
const packages = join(import.meta.dirname, '../../../packages');
const alias = [
  { find: /^@latchkey\/(chain|outbox)\/(.*)$/, replacement: `${packages}/$1/src/$2.ts` },
  { find: /^@latchkey\/outbox$/, replacement: `${packages}/outbox/src/index.ts` },
];
// A test that a mutant keeps waiting fails sooner.
const expect = { poll: { timeout: 5_000 } };
export default defineConfig({
  ...config,
  resolve: { alias },
  test: {
    ...shared,
    ...parts.test,
    ...(include && { include }),
    expect,
    reporters: [new LoadErrors()],
  },
});
