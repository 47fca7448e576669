import { describe, expect, test, vi } from 'vitest';
import { runFiles, type VitestResult, type VitestRun } from './vitest.ts';

const flaky = { passed: 8, failed: 2, failedFiles: ['/a.test.ts'], unhandledErrors: 0 };
const alone = { passed: 3, failed: 0, failedFiles: [], unhandledErrors: 0 };
const code = ({ failedFiles, unhandledErrors }: VitestResult) =>
  failedFiles.length + unhandledErrors > 0 ? 1 : 0;

/** Returns a run of vitest that gives these results one after another. */
function runWith(...results: VitestResult[]) {
  return vi.fn<VitestRun>(async () => {
    const result = results.shift() as VitestResult;
    return { code: code(result), result };
  });
}

describe('with --again', () => {
  test('files that pass alone count as passed, and are run with the same filters', async () => {
    const run = runWith(flaky, alone);
    expect(await runFiles(run, [], { name: 'x', project: 'parts', again: true })).toEqual({
      passed: 10,
      failed: 0,
    });
    expect(run.mock.calls).toEqual([
      [['-t', 'x', '--project', 'parts']],
      [['--maxWorkers=1', '-t', 'x', '--project', 'parts', '/a.test.ts']],
    ]);
  });

  test('an unhandled error of the first run fails it', async () => {
    const run = runWith({ ...flaky, unhandledErrors: 1 });
    expect(await runFiles(run, [], { again: true })).toEqual({ passed: 8, failed: 2 });
    const noTestFailed = runWith({ ...alone, unhandledErrors: 1 });
    expect(await runFiles(noTestFailed, [], { again: true })).toEqual({ passed: 3, failed: 1 });
  });

  test('files that fail again fail the run, also without a failed test', async () => {
    expect(await runFiles(runWith(flaky, flaky), [], { again: true })).toEqual({ passed: 8, failed: 2 });
    const hook = { ...flaky, failed: 0 };
    expect(await runFiles(runWith(hook, hook), [], { again: true })).toEqual({ passed: 8, failed: 1 });
  });
});

test('without --again failed files are not repeated', async () => {
  const run = runWith(flaky);
  expect(await runFiles(run, ['a'], {})).toEqual({ passed: 8, failed: 2 });
  expect(run).toHaveBeenCalledTimes(1);
});
