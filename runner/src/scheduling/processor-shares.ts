/**
 * Shares the processor between accounts and their runs. A run has a turn for its first 100 ms of processor time and then
 * yields; the turns of an account have one share together. All runs of an account with a high recent use yield while an account with a
 * lower one is active.
 */
import { availableParallelism } from 'node:os';
import type { ActionProcess } from '../processes/action-process.ts';
import { type AccountCounts, countFor } from './account-counts.ts';

/** Processor time per turn. After it, a run yields to short runs and to processes that start. */
const TURN_CPU_MS = 100;
/** Waiting time of a runnable process after which its run can get another turn. */
const MAX_WAIT_MS = 1_000;
/** A run gets another turn only when all yielding runs together used less processor time than this during its wait. */
const HELD_UP_CPU_MS = 250;
/** A run that needs less than this part of a processor is waiting. */
const WAITING_PART = 1 / 4;

/** An account is active for this time after its last use of a processor. */
const RECENT_MS = 5_000;
/** Half-life of the recorded use. */
const HALF_LIFE_MS = 1_000;
/** Fraction of the machine that an account can use without yielding to other accounts. */
const FREE_PART = 1 / 6;

export type ProcessorShares = {
  /** Gives the process of a run a turn, unless a lighter account is active. */
  follow: (
    account: bigint,
    actionProcess: Pick<
      ActionProcess,
      'claimShare' | 'yieldToOthers' | 'waitedMs' | 'cpuMs' | 'servedMs' | 'isRunnable'
    >,
  ) => Turns;
  /** Returns the active accounts with a lower recent use. Empty for an account within its fraction of the machine. */
  lighterThan: (account: bigint) => bigint[];
  /** True while another account is active. */
  hasOthersThan: (account: bigint) => boolean;
};
export type Turns = {
  /** Call periodically and at the end of the run, with its processor time so far. */
  update: (cpuMs: number) => void;
  /** True when the run needed less than a quarter of a processor between the last two updates, and does not compute now. */
  isWaiting: () => boolean;
  /** Call when the process is no longer used. */
  end: () => void;
};

export function createProcessorShares(cores = availableParallelism()): ProcessorShares {
  /** Recorded use of an account that continuously uses its fraction. */
  const freeCpuMs = (FREE_PART * cores * HALF_LIFE_MS) / Math.LN2;
  /** Recorded use of each active account and the time of its last change, the latest last. */
  const recent = new Map<bigint, { cpuMs: number; at: number }>();
  /** Runs with a turn. */
  const turnsOf: AccountCounts = new Map();
  /** Processor time that all runs used while they yielded. */
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
    return [...recent.keys()].filter((other) => other !== account && usedBy(other) < used);
  };

  return {
    lighterThan,
    hasOthersThan(account) {
      const now = performance.now();
      return [...recent].some(([other, { at }]) => other !== account && now - at < RECENT_MS);
    },
    follow(account, actionProcess) {
      // The start of the process was for this account.
      note(account, actionProcess.cpuMs());
      let hasTurn = false;
      let hasEnded = false;
      let turnEndsAtCpuMs = TURN_CPU_MS;
      let last = { at: performance.now(), cpuMs: 0, servedMs: 0 };
      let neededLittle = false;
      let wait = { endsAtMs: 0, yieldedCpuMs: 0 };
      /** Number of parts of the account's share, at least its turns: a power of two, so that it seldom changes. */
      let parts = 0;
      const claimPart = (): void => {
        const wanted = 2 ** Math.ceil(Math.log2(turnsOf.get(account) ?? 1));
        if (wanted === parts) return;
        parts = wanted;
        actionProcess.claimShare(1 / parts);
      };
      const startTurn = (): void => {
        hasTurn = true;
        countFor(turnsOf, account, 1);
        claimPart();
      };
      const endTurn = (): void => {
        if (hasTurn) countFor(turnsOf, account, -1);
        hasTurn = false;
        parts = 0;
      };
      const startWaiting = (): void => {
        wait = { endsAtMs: actionProcess.waitedMs() + MAX_WAIT_MS, yieldedCpuMs };
      };
      if (lighterThan(account).length === 0) startTurn();
      else startWaiting();
      return {
        update(cpuMs) {
          const servedMs = actionProcess.servedMs();
          const usedMs = cpuMs - last.cpuMs;
          const chargedMs = usedMs + servedMs - last.servedMs;
          if (chargedMs > 0) note(account, chargedMs);
          const at = performance.now();
          neededLittle = chargedMs < (at - last.at) * WAITING_PART;
          last = { at, cpuMs, servedMs };
          if (hasEnded) return;
          if (hasTurn) {
            if (cpuMs <= turnEndsAtCpuMs) return claimPart();
            endTurn();
            actionProcess.yieldToOthers();
            return startWaiting();
          }
          yieldedCpuMs += usedMs;
          if (actionProcess.waitedMs() < wait.endsAtMs) return;
          if (yieldedCpuMs - wait.yieldedCpuMs >= HELD_UP_CPU_MS) return startWaiting();
          turnEndsAtCpuMs = cpuMs + TURN_CPU_MS;
          startTurn();
        },
        isWaiting: () => neededLittle && !actionProcess.isRunnable(),
        end() {
          hasEnded = true;
          endTurn();
        },
      };
    },
  };
}
