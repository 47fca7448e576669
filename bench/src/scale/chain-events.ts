/** Chain-event triggers of one chain: one beside many of which few have a log. */
import { startForked } from '@latchkey/testing/forked';
import { atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

type Figures = { triggers: number; openedMs: number; cpuMs: number; p95Ms: number; restartMs: number };

const ROWS_OF_TRIGGER = 5;
/** 240 blocks are a minute for each number of triggers, with 30 logs that fire. */
const [BLOCKS, BLOCK_MS] = [240, 250];

/** Measures with a fifth of `rows` triggers: 20,000 by default. */
export async function measure({ rows, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const count = Math.max(2, Math.round(rows / ROWS_OF_TRIGGER));
  progress(`chain events: ${count} triggers`, rows, rows);
  using program = startForked(new URL('../../../triggers/bench/chain-events.ts', import.meta.url));
  const [one, many] = await program.ask<[Figures, Figures]>({
    counts: [1, count],
    blocks: BLOCKS,
    blockMs: BLOCK_MS,
  });
  return [
    {
      what: `chain events: CPU per block with ${count} triggers over one`,
      value: many.cpuMs / one.cpuMs,
      unit: 'x',
      goal: atMost(1.5),
      figures: `${many.cpuMs.toFixed(1)} ms / ${one.cpuMs.toFixed(1)} ms; opened in ${Math.round(many.openedMs)} ms`,
    },
    {
      what: 'chain events: log to accepted run, p95',
      value: many.p95Ms,
      unit: 'ms',
      goal: atMost(1_000),
      figures: `with one trigger ${Math.round(one.p95Ms)} ms`,
    },
    {
      what: 'chain events: restart to first run',
      value: many.restartMs / 1_000,
      unit: 's',
      goal: atMost(5),
      figures: `with one trigger ${(one.restartMs / 1_000).toFixed(1)} s`,
    },
  ];
}
