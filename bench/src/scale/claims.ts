/** Claims of trigger runs: many triggers with waiting runs beside one trigger with as many. */
import { startForked } from '@latchkey/testing/forked';
import { atLeast, atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

type Drain = { processes: number; claimP50Ms: number; runsPerSecond: number; waitingShare: number };
type Figures = { claimCpuMs: number; drains: Drain[] };

const RUNS_OF_TRIGGER = 50;
const TRIGGERS_OF_USER = 4;
const DRAIN_SEC = 6;

/** Measures with `rows` waiting runs. */
export async function measure({ rows: runs, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const triggers = Math.max(1, Math.round(runs / RUNS_OF_TRIGGER));
  const users = Math.max(1, Math.round(triggers / TRIGGERS_OF_USER));
  progress(`claims: ${triggers} triggers of ${users} users`, runs, runs);
  using program = startForked(new URL('../../../triggers/bench/claims.ts', import.meta.url));
  const asked = { triggers, users, runs, seconds: DRAIN_SEC };
  const { one, many } = await program.ask<{ one: Figures; many: Figures }>(asked);
  const cost: ScaleRow = {
    what: `claim: CPU of the server with ${triggers} triggers over one`,
    value: many.claimCpuMs / one.claimCpuMs,
    unit: 'x',
    goal: atMost(2),
    figures: `${many.claimCpuMs.toFixed(2)} ms / ${one.claimCpuMs.toFixed(2)} ms`,
  };
  const drains = many.drains.flatMap(({ processes, runsPerSecond, claimP50Ms, waitingShare }, index) => {
    const single = one.drains[index];
    const rate: ScaleRow = {
      what: `drain by ${processes} processes: runs a second with ${triggers} triggers over one`,
      value: runsPerSecond / (single?.runsPerSecond ?? 0),
      unit: 'x',
      goal: atLeast(0.7),
      figures:
        `${runsPerSecond.toFixed(0)} / ${single?.runsPerSecond.toFixed(0)} a second; ` +
        `claim p50 ${claimP50Ms.toFixed(1)} ms / ${single?.claimP50Ms.toFixed(1)} ms`,
    };
    const waiting: ScaleRow = {
      what: `the same: share of the sessions that wait for a lock of another`,
      value: 100 * waitingShare,
      unit: '%',
      goal: atMost(1),
      figures: `with one trigger ${(100 * (single?.waitingShare ?? 0)).toFixed(1)} %`,
    };
    return [rate, waiting];
  });
  return [cost, ...drains];
}
