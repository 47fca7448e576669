/** Process trees: their memory and CPU time, and a CPU limit for new ones. Linux only. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** A cgroup of limited processor time. */
export type CpuLimit = {
  /** Moves this process back to its earlier group. The processes that it started meanwhile stay. */
  leave: () => void;
  /** Removes the cgroup. Call after its processes have ended. */
  remove: () => Promise<void>;
};

/**
 * Moves this process, and with it all processes that it starts until it leaves, into a cgroup with a number of cores.
 * Processes start inside it, because a process creates the groups of its children where it finds itself. Version 1 or
 * 2. Throws where cgroups are not available.
 */
export function enterCpuLimit(cores: number): CpuLimit {
  const isV1 = existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us');
  const root = isV1 ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
  const ofController = isV1 ? /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m : /^0::(.*)$/m;
  const earlier = join(root, ofController.exec(read('/proc/self/cgroup'))?.[1] ?? '/');
  const limited = join(root, `latchkey-bench-${process.pid}`);
  // In version 2 a group either has processes or passes its controllers on.
  const entered = isV1 ? limited : join(limited, 'processes');
  mkdirSync(entered, { recursive: true });
  if (isV1) {
    writeFileSync(`${limited}/cpu.cfs_period_us`, String(PERIOD_US));
    writeFileSync(`${limited}/cpu.cfs_quota_us`, String(cores * PERIOD_US));
  } else writeFileSync(`${limited}/cpu.max`, `${cores * PERIOD_US} ${PERIOD_US}`);
  const move = (group: string): void => writeFileSync(`${group}/cgroup.procs`, String(process.pid));
  move(entered);
  return {
    leave: () => move(earlier),
    async remove() {
      for (let attempt = 1; ; attempt++) {
        try {
          return removeGroups(limited);
        } catch (error) {
          if (attempt === REMOVAL_ATTEMPTS) throw error;
          await delay(100);
        }
      }
    },
  };
}

/** Removes a cgroup and those inside it. */
function removeGroups(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroups(join(directory, entry.name));
  rmdirSync(directory);
}
