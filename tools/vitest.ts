/** Runs vitest, and files that failed beside others once more. */

export type Outcome = { passed: number; failed: number };

/** A runner that fails without a failed test (a compile error, an unhandled rejection) counts as one failure. */
export function outcome(passed: number, failed: number, code: number): Outcome {
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}

export type VitestResult = {
  passed: number;
  failed: number;
  /** Files with a failed test or hook, or that cannot be imported. */
  failedFiles: string[];
  /** Errors that belong to no test. */
  unhandledErrors: number;
};
export type VitestRun = (args: string[]) => Promise<{ code: number; result: VitestResult }>;

/** With more failed files than this, the load of the machine is not the cause. */
const MAX_REPEATED_FILES = 30;

/** Runs files, or all. With `again`, failed files run a second time, alone, and must pass then. */
export async function runFiles(
  run: VitestRun,
  files: string[],
  {
    again,
    ...filters
  }: { name?: string | undefined; project?: string | undefined; again?: boolean | undefined },
): Promise<Outcome> {
  const { code, result } = await run(vitestArgs(files, filters));
  const { passed, failed, failedFiles, unhandledErrors } = result;
  const first = outcome(passed, failed, code);
  // A file that passes alone does not explain an error that belongs to no test.
  if (!again || unhandledErrors > 0 || failedFiles.length === 0 || failedFiles.length > MAX_REPEATED_FILES)
    return first;
  const names = failedFiles.join(' ');
  console.log(`\nOnce more, alone: ${names}`);
  const second = await run(['--maxWorkers=1', ...vitestArgs(failedFiles, filters)]);
  if (second.code !== 0) return { passed, failed: Math.max(failed, 1) };
  console.log(`These failed beside other tests and passed alone: ${names}`);
  return { passed: passed + failed, failed: 0 };
}

export function vitestArgs(
  files: string[],
  { name, project }: { name?: string | undefined; project?: string | undefined },
): string[] {
  return [...(name ? ['-t', name] : []), ...(project ? ['--project', project] : []), ...files];
}
