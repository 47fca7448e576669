/** Chain-event triggers of one chain: one beside many of which few have a log. */
import { startForked } from '@latchkey/testing/forked';
import type { Measured } from '../rows.ts';

type Figures = { triggers: number; openedMs: number; cpuMs: number; p95Ms: number; restartMs: number };

const COUNTS = [1, 200, 20_000];
/** 40 blocks are ten seconds for each number of triggers. */
const [BLOCKS, BLOCK_MS] = [40, 250];

export async function benchChainEvents(): Promise<Measured> {
  using program = startForked(new URL('../../../triggers/bench/chain-events.ts', import.meta.url));
  const figures = await program.ask<Figures[]>({ counts: COUNTS, blocks: BLOCKS, blockMs: BLOCK_MS });
  console.table(figures);
  const [one, ...many] = figures as [Figures, ...Figures[]];
  const most = many.at(-1) ?? one;
  return {
    values: {
      chainCpu: many.map(({ cpuMs }) => cpuMs / one.cpuMs),
      chainAccepted: [most.p95Ms],
      chainRestart: [most.restartMs / 1_000],
    },
  };
}
