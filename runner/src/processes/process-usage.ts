/** Memory and processor time of a process. Its files stay open, so that a reading is one system call and never of another process. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readAgain } from '@latchkey/fork-server/kernel-file';

/** Every value is 0 or false when the process is gone. */
export type ProcessUsage = {
  /** Bytes of anonymous memory. */
  anonymousBytes: () => number;
  /** Processor time since its start, in milliseconds; 0 where the kernel does not count it. */
  cpuMs: () => number;
  /** Time for which its main thread could compute and had no processor, in milliseconds; 0 where the kernel does not count it. */
  waitedMs: () => number;
  /** True when its main thread computes or could; false where the kernel does not tell. */
  isRunnable: () => boolean;
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
  /** Returns the values of `stat` from that of its state on. The name of the program before it, in parentheses, can contain anything. */
  const state = (): string => {
    const stat = read('stat');
    return stat.slice(stat.lastIndexOf(')') + 2);
  };
  /** Times of the main thread, in nanoseconds. */
  const schedule = (): [ran: number, waited: number] => {
    const [ran, waited] = read('schedstat').split(' ');
    return [Number(ran), Number(waited)];
  };
  return {
    anonymousBytes: orElse(0, () => {
      if (process.platform !== 'linux')
        return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'latin1' })) * 1024;
      const kib = read('status').matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB/gm);
      return [...kib].reduce((sum, [, size]) => sum + Number(size), 0) * 1024;
    }),
    cpuMs: orElse(0, () => {
      const [userTicks, systemTicks] = state().split(' ').slice(11, 13);
      // The first of all threads in ticks, the second of the main thread in nanoseconds: most runs take less than a tick.
      return Math.max((Number(userTicks) + Number(systemTicks)) * TICK_MS, schedule()[0] / 1e6);
    }),
    waitedMs: orElse(0, () => schedule()[1] / 1e6),
    isRunnable: orElse(false, () => state().startsWith('R')),
    close: () => {
      for (const descriptor of descriptors.values()) closeSync(descriptor);
      descriptors.clear();
    },
  };
};

const orElse =
  <T extends number | boolean>(unknown: T, read: () => T) =>
  (): T => {
    try {
      return read();
    } catch {
      return unknown;
    }
  };
