import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@latchkey/stack';
import type { CpuMeter } from '@latchkey/testing/measure';
import { cpuMs } from '@latchkey/testing/process-tree';

/** Returns the share of one core that the processes and their descendants use during the next `forMs`. */
export async function cpuShare(pids: readonly number[], forMs: number): Promise<number> {
  const [startedAt, before] = [performance.now(), cpuMs(pids)];
  await delay(forMs);
  return (cpuMs(pids) - before) / (performance.now() - startedAt);
}

/** The clock of the kernel counts in steps of 10 ms for each process. */
const IDLE_MS = 20_000;

/** Measures the idle stack, and resolves to a meter that subtracts its CPU time. */
export async function openCpuMeter({ pids }: Stack): Promise<CpuMeter> {
  const roots = Object.values(pids);
  const idleShare = await cpuShare(roots, IDLE_MS);
  return () => {
    const [startedAt, before] = [performance.now(), cpuMs(roots)];
    return () => cpuMs(roots) - before - idleShare * (performance.now() - startedAt);
  };
}
