/** Process trees: their memory, and a CPU limit for them. Linux only. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process has ended.
  }
};

/** Returns the ids of the processes and of all their descendants. */
export function processTree(roots: readonly number[]): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      // The command, in parentheses, may contain any character.
      const fields = read(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ') ?? [];
      return [Number(name), Number(fields[1])] as const;
    });
  const found = new Set(roots);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Returns resident memory in MiB. */
export function rssMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1_024;
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
