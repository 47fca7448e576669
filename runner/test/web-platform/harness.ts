/** Runs tests in the form of the Web Platform Tests in an action, with their own harness. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import type { runner } from '../../src/testing.ts';

const { resolve } = createRequire(import.meta.url);

/** Returns a file of a package. */
export const fileOf = (path: string): string => readFileSync(resolve(path), 'utf8');

type Report = {
  status: number;
  message: string | null;
  count: number;
  failed: [name: string, message: string][];
};

/** Runs the tests, in strict mode. `prelude` is code before them. Rejects when the tests themselves are malformed. */
export const runTests = async (
  run: ReturnType<typeof runner>,
  tests: string,
  prelude = '',
): Promise<Pick<Report, 'count' | 'failed'>> => {
  const code = `${fileOf('wpt-runner/testharness/testharness.js')}
const results = new Promise((resolve) => add_completion_callback((tests, { status, message }) => resolve({
  status, message, count: tests.length,
  failed: tests.filter((test) => test.status !== 0).map((test) => [test.name, test.message]),
})));
const main = () => results;
${prelude}
(() => { 'use strict';
${tests}
})();`;
  const { error, response } = await run(code, { limits: { maxFetches: 1_000 } });
  expect(error).toBeUndefined();
  const { status, message, ...report } = response as Report;
  expect({ status, message }).toEqual({ status: 0, message: null });
  return report;
};
