/**
 * Shares the processor between accounts and their runs: a short run has its share, a longer one yields. An account that
 * used much lately yields to those that used less.
 */
import { availableParallelism } from 'node:os';
import type { ActionProcess } from './action-process.ts';

/** Processor time after which a run yields to short runs and to processes that start. */
const TURN_CPU_MS = 100;
/** Time for which a run that yields waits for a processor, while it could compute, before it is looked at again. */
const MAX_WAIT_MS = 1_000;
/** Runs that yield and use less than this in that time, all together, are held up by others, not by each other. */
const HELD_UP_CPU_MS = 250;

/** For so long after it last used a processor an account counts as one that may run again. */
const RECENT_MS = 5_000;
/** Use weighs half as much after this time. */
const HALF_LIFE_MS = 1_000;
/** Part of the machine up to which an account yields to no other. */
const FREE_PART = 1 / 6;

export type ProcessorShares = {
  /**
   * Gives the process of a run its share, unless a lighter account may run.
   * @returns What to call often, with the processor time of the run.
   */
  follow: (
    account: bigint,
    actionProcess: Pick<ActionProcess, 'claimShare' | 'yieldToOthers' | 'waitedMs' | 'cpuMs' | 'servedMs'>,
  ) => TakeTurns;
  /** Returns the accounts that ran lately and used less than this one; none when it used little. */
  lighterThan: (account: bigint) => bigint[];
};
export type TakeTurns = (cpuMs: number) => void;

export function createProcessorShares(cores = availableParallelism()): ProcessorShares {
  /** Weighed use of an account that always uses its free part. */
  const freeCpuMs = (FREE_PART * cores * HALF_LIFE_MS) / Math.LN2;
  /** Processor time of each account, weighed at its last use, and the time of that. The account that used it last is at the end. */
  const recent = new Map<bigint, { cpuMs: number; at: number }>();
  /** Of all runs that yielded. */
  let yieldedCpuMs = 0;

  const usedBy = (account: bigint): number => {
    const { cpuMs, at } = recent.get(account) ?? { cpuMs: 0, at: 0 };
    return cpuMs * 0.5 ** ((performance.now() - at) / HALF_LIFE_MS);
  };
  const note = (account: bigint, usedMs: number): void => {
    const now = performance.now();
    const cpuMs = usedBy(account) + usedMs;
    recent.delete(account);
    recent.set(account, { cpuMs, at: now });
    for (const [other, { at }] of recent) {
      if (now - at < RECENT_MS) break;
      recent.delete(other);
    }
  };
  const lighterThan = (account: bigint): bigint[] => {
    const used = usedBy(account);
    if (used <= freeCpuMs) return [];
    return [...recent.keys()].filter((other) => usedBy(other) < used);
  };

  return {
    lighterThan,
    follow(account, actionProcess) {
      // The start of the process was for this account.
      note(account, actionProcess.cpuMs());
      let hasTurn = lighterThan(account).length === 0;
      let turnEndsAtCpuMs = TURN_CPU_MS;
      let last = { cpuMs: 0, servedMs: 0 };
      let wait = { endsAtMs: 0, yieldedCpuMs: 0 };
      const startWaiting = (): void => {
        wait = { endsAtMs: actionProcess.waitedMs() + MAX_WAIT_MS, yieldedCpuMs };
      };
      if (hasTurn) actionProcess.claimShare();
      else startWaiting();
      return (cpuMs) => {
        const servedMs = actionProcess.servedMs();
        const usedMs = cpuMs - last.cpuMs;
        if (usedMs > 0 || servedMs > last.servedMs) note(account, usedMs + servedMs - last.servedMs);
        last = { cpuMs, servedMs };
        if (hasTurn) {
          if (cpuMs <= turnEndsAtCpuMs) return;
          hasTurn = false;
          actionProcess.yieldToOthers();
          return startWaiting();
        }
        yieldedCpuMs += usedMs;
        if (actionProcess.waitedMs() < wait.endsAtMs) return;
        if (yieldedCpuMs - wait.yieldedCpuMs >= HELD_UP_CPU_MS) return startWaiting();
        hasTurn = true;
        turnEndsAtCpuMs = cpuMs + TURN_CPU_MS;
        actionProcess.claimShare();
      };
    },
  };
}
