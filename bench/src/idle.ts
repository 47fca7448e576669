/** The stack without requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@latchkey/stack';
import { processTree, pssMb } from '@latchkey/testing/process-tree';
import { cpuShare } from './cpu.ts';
import type { Measured } from './rows.ts';

/** Time after a start in which pool and index settle and services return the memory that loading took. */
const SETTLE_MS = 20_000;
/** The clock of the kernel counts in steps of 10 ms for each process. */
const IDLE_MS = 30_000;

export async function benchIdle({ pids }: Stack): Promise<Measured> {
  const roots = Object.values(pids);
  await delay(SETTLE_MS);
  const cpuPercent = (await cpuShare(roots, IDLE_MS)) * 100;
  return { values: { idleCpu: [cpuPercent], idleMemory: [pssMb(processTree(roots))] } };
}
