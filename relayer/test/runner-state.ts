/** The state of a runner process, in which ended runs must leave nothing. Linux only. */
import { globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { processTree, rssMb } from '@latchkey/testing/process-tree';
import type { RunnerProcess } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';

/** Settings of a runner whose state can be read. */
export const readable = {
  NODE_OPTIONS: `--expose-gc --import=${new URL('memory-reporter.ts', import.meta.url).href}`,
};

/** Numbers by name, of which ended runs must leave none. */
export type RunnerState = Record<string, number>;
export type RunnerMemory = { heapMb: number; residentMb: number };

const reportsOf = (runner: RunnerProcess) =>
  runner
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"msg":"memory"'));

/** Resolves to what a runner holds, and to its memory after a garbage collection. `directory` has the files of the runner. */
export async function readState(
  runner: RunnerProcess,
  directory: string,
): Promise<{ state: RunnerState; memory: RunnerMemory }> {
  const pid = runner.child.pid ?? 0;
  const before = reportsOf(runner).length;
  runner.child.kill('SIGUSR2');
  const report = await until('the runner reports its memory', async () => reportsOf(runner)[before]);
  const { resources, listeners, heapBytes } = JSON.parse(report) as {
    resources: string[];
    listeners: number;
    heapBytes: number;
  };
  const groups = groupsOf(pid);
  const state: RunnerState = {
    'child processes': processTree([pid]).length - 1,
    'action processes': actionProcesses(pid, directory).length,
    'file handles': fileHandles(pid, groups),
    'listeners of the process': listeners,
    files: readdirSync(directory, { recursive: true }).length,
    'control groups with a process': groups.filter(hasProcess).length,
  };
  // Timers, pipes and sockets, by their type.
  for (const name of resources) state[name] = (state[name] ?? 0) + 1;
  return { state, memory: { heapMb: heapBytes / 2 ** 20, residentMb: rssMb([pid]) } };
}

/** Returns the number of open files, except for files of existing control groups, which are used again. */
const fileHandles = (pid: number, groups: string[]): number =>
  readdirSync(`/proc/${pid}/fd`).filter((descriptor) => !groups.includes(dirname(targetOf(pid, descriptor))))
    .length;

const targetOf = (pid: number, descriptor: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return ''; // It was closed.
  }
};

const hasProcess = (group: string): boolean => readFileSync(`${group}/cgroup.procs`, 'utf8') !== '';

/** Returns the numbers that are higher in `after` than in `before`. */
export const excess = (before: RunnerState, after: RunnerState): RunnerState =>
  Object.fromEntries(Object.entries(after).filter(([name, count]) => count > (before[name] ?? 0)));

/** Returns the directories of the control groups of a runner's action processes, with and without a process. */
export const groupsOf = (runner: number): string[] =>
  globSync(`/sys/fs/cgroup/**/latchkey-actions-${runner}-*`);

/**
 * Returns the ids of the action processes of a runner, also after they left its process tree: their control group or the directory in
 * their command identifies them. The template from which they fork counts only while it has no child.
 */
export function actionProcesses(runner: number, directory: string): number[] {
  const isOfRunner = (pid: string): boolean => {
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
      const isOfActions =
        read('cgroup').includes(`latchkey-actions-${runner}-`) || read('cmdline').includes(directory);
      return isOfActions && read(`task/${pid}/children`) === '';
    } catch {
      return false; // It has ended.
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOfRunner(name))
    .map(Number);
}
