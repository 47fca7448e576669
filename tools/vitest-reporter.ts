/** A reporter of vitest that writes a `VitestResult` to the file VITEST_RESULT. */
import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';
import type { VitestResult } from './vitest.ts';

export default class ResultReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const result: VitestResult = {
      passed: 0,
      failed: 0,
      failedFiles: modules.filter((module) => module.state() === 'failed').map(({ moduleId }) => moduleId),
      unhandledErrors: unhandledErrors.length,
    };
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') result.passed++;
        if (state === 'failed') result.failed++;
      }
    writeFileSync(process.env.VITEST_RESULT as string, JSON.stringify(result));
  };
}
