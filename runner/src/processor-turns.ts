/** Shares the processor between runs: a short run has its share, a longer one only turns of it when others hold it up. */
import type { ActionProcess } from './action-process.ts';

/** Processor time after which a run yields to short runs and to processes that start. */
const TURN_CPU_MS = 100;
/** Time for which a run that yields waits for a processor, while it could compute, before it gets another turn. */
const MAX_WAIT_MS = 1_000;

/**
 * Follows a run whose process has claimed its share.
 * @returns What to call often, with the processor time of the run.
 */
export function createProcessorTurns(
  actionProcess: Pick<ActionProcess, 'claimShare' | 'yieldToOthers' | 'waitedMs'>,
): (cpuMs: number) => void {
  let hasTurn = true;
  let turnEndsAtCpuMs = TURN_CPU_MS;
  let nextTurnAtWaitedMs = 0;
  return (cpuMs) => {
    if (hasTurn) {
      if (cpuMs <= turnEndsAtCpuMs) return;
      hasTurn = false;
      nextTurnAtWaitedMs = actionProcess.waitedMs() + MAX_WAIT_MS;
      actionProcess.yieldToOthers();
    } else if (actionProcess.waitedMs() >= nextTurnAtWaitedMs) {
      hasTurn = true;
      turnEndsAtCpuMs = cpuMs + TURN_CPU_MS;
      actionProcess.claimShare();
    }
  };
}
