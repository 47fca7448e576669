/** Memory and processor time of a process. Its files stay open, so that a reading is one system call and never of another process. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readAgain } from '@latchkey/fork-server/kernel-file';

/** Every value is 0 when the process is gone. */
export type ProcessUsage = {
  /** Bytes of anonymous memory. */
  anonymousBytes: () => number;
  /** Processor time since its start, in milliseconds; 0 where the kernel does not count it. */
  cpuMs: () => number;
  close: () => void;
};

/** Milliseconds per unit of the kernel's accounting, which is the same on all machines. */
const TICK_MS = 10;

export const openProcessUsage = (pid: number): ProcessUsage => {
  const descriptors = new Map<string, number>();
  const read = (name: 'status' | 'stat' | 'schedstat'): string => {
    const descriptor = descriptors.get(name) ?? openSync(`/proc/${pid}/${name}`, 'r');
    descriptors.set(name, descriptor);
    return readAgain(descriptor);
  };
  return {
    anonymousBytes: orZero(() => {
      if (process.platform !== 'linux')
        return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'latin1' })) * 1024;
      const kib = read('status').matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB/gm);
      return [...kib].reduce((sum, [, size]) => sum + Number(size), 0) * 1024;
    }),
    cpuMs: orZero(() => {
      const stat = read('stat');
      // The name of the program, in parentheses, can contain anything.
      const [userTicks, systemTicks] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      const [ranNs] = read('schedstat').split(' ');
      // The first value counts all threads in ticks, the second only the main thread, in nanoseconds: most runs take less than a tick.
      return Math.max((Number(userTicks) + Number(systemTicks)) * TICK_MS, Number(ranNs) / 1e6);
    }),
    close: () => {
      for (const descriptor of descriptors.values()) closeSync(descriptor);
      descriptors.clear();
    },
  };
};

const orZero = (read: () => number) => (): number => {
  try {
    return read();
  } catch {
    return 0;
  }
};
