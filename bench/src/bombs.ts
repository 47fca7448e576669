/**
 * Actions that exceed a limit: the time from the limit until their process is gone, each alone on a runner, and the waiting
 * time of another account beside them. Linux only.
 */
import { startForked } from '@latchkey/testing/forked';
import { percentile } from '@latchkey/testing/measure';
import { benchNeighbours } from './neighbours.ts';
import type { Measured } from './rows.ts';

/** Prints the times per kind. Resolves to the longest of all. */
async function measureEnds(rounds: number): Promise<number> {
  using program = startForked(new URL('../../relayer/bench/bomb-ends.ts', import.meta.url));
  const sorted = Object.entries(await program.ask<Record<string, number[]>>(rounds)).map(
    ([kind, all]) => [kind, all.toSorted((a, b) => a - b)] as const,
  );
  console.table(
    sorted.map(([kind, all]) => ({
      bomb: kind,
      count: all.length,
      'p50 ms': percentile(all, 0.5),
      'max ms': all.at(-1),
    })),
  );
  return Math.max(...sorted.flatMap(([, all]) => all));
}

export async function benchBombs(count: number): Promise<Measured> {
  const slowest = await measureEnds(Math.ceil(count / 5));
  const { comparisons, failures } = await benchNeighbours(6 * count, false, ['bombs']);
  const hello = comparisons.find(({ name }) => name.startsWith('hello'));
  return {
    values: { bombEnd: [slowest], besideBombs: [hello?.ratioP99 ?? Number.NaN, failures] },
    comparisons,
    failures,
  };
}
