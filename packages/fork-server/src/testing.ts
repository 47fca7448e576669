/** For tests: what the kernel tells about processes. */
import { readFileSync } from 'node:fs';
import { childrenOf } from './deno-process.ts';

export { startDeno } from './deno-process.ts';

/** Polls until `holds` returns true. Rejects after `deadlineMs`. */
export const eventually = async (holds: () => boolean, deadlineMs = 30_000): Promise<void> => {
  const deadline = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Returns the ids of all descendants of a process. */
export function descendants(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendants)];
}

/** Returns the letter of the state of a process, for instance `R` (runs or could run) or `S` (sleeps); `X` when there is none. */
export function stateOf(pid: number): string {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 'X';
  } catch {
    return 'X';
  }
}

/** An ended process that was not waited for (Z) does not run. */
export const isRunning = (pid: number): boolean => !'ZX'.includes(stateOf(pid));

/** Returns the limits of a process by their names in `/proc`. Both values, the one in force and the highest, are the same. */
export function kernelLimits(pid: number): Record<string, number> {
  const lines = readFileSync(`/proc/${pid}/limits`, 'latin1').matchAll(/^(.+?) {2,}(\w+) +\2 /gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]));
}
