/** Process trees: their memory and CPU time, and a CPU limit for them. Linux only. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns an empty text when the process has ended. Throws when it exists and cannot be read. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
};

/** Returns the fields of `/proc/<pid>/stat` from the third, the state. The second, in parentheses, can contain any character. */
const stat = (pid: number | string): string[] =>
  read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];

/** Returns the ids of the processes and of all their descendants. */
export function processTree(roots: readonly number[]): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(stat(name)[1])] as const);
  const found = new Set(roots);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Returns the children that the main thread of a process has started. */
export const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

/** Returns resident memory in MiB. */
export function rssMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1_024;
}

/** Returns proportional memory in MiB: a page of n processes counts as 1/n in each. */
export function pssMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1_024;
}

/** The unit of times in `/proc`, on every architecture. */
const TICK_MS = 10;

/**
 * Returns the CPU time that the processes and their descendants have used, in milliseconds. Ended descendants are
 * included: the kernel adds their time to the process that reaped them.
 */
export function cpuMs(roots: readonly number[]): number {
  // utime, stime, cutime, cstime
  const ticks = processTree(roots).flatMap((pid) => stat(pid).slice(11, 15).map(Number));
  return ticks.reduce((sum, value) => sum + value, 0) * TICK_MS;
}

const PERIOD_US = 100_000;
const REMOVAL_ATTEMPTS = 50;

/**
 * Limits the processes and their future children to a number of cores, by a cgroup of version 1 or 2. Throws where
 * cgroups are not available. Call the returned function after the processes have ended: it removes the cgroup.
 */
export function limitCpu(pids: readonly number[], cores: number): () => Promise<void> {
  const isV1 = existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us');
  const directory = `/sys/fs/cgroup/${isV1 ? 'cpu/' : ''}latchkey-bench-${process.pid}`;
  mkdirSync(directory);
  if (isV1) {
    writeFileSync(`${directory}/cpu.cfs_period_us`, String(PERIOD_US));
    writeFileSync(`${directory}/cpu.cfs_quota_us`, String(cores * PERIOD_US));
  } else writeFileSync(`${directory}/cpu.max`, `${cores * PERIOD_US} ${PERIOD_US}`);
  // Twice: a process may start another while it is moved.
  for (let pass = 0; pass < 2; pass++)
    for (const pid of processTree(pids))
      if (existsSync(`/proc/${pid}`)) writeFileSync(`${directory}/cgroup.procs`, String(pid));
  return async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return rmdirSync(directory);
      } catch (error) {
        if (attempt === REMOVAL_ATTEMPTS) throw error;
        await delay(100);
      }
    }
  };
}
