/**
 * Actions that exceed a limit: the time from there until their process is gone, each alone on a runner, and the waiting
 * time of another account beside them. Linux only.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { percentile } from './measure.ts';
import { benchNeighbours } from './neighbours.ts';
import type { Measured } from './rows.ts';

const PROGRAM = join(import.meta.dirname, '../../relayer/test/bomb-ends.ts');

/** Prints the times per kind. Resolves to the longest of all. */
async function measureEnds(rounds: number): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, String(rounds)]);
  const sorted = Object.entries(JSON.parse(stdout) as Record<string, number[]>).map(
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
  const comparisons = await benchNeighbours(count, false, ['bombs']);
  const hello = comparisons.find(({ name }) => name.startsWith('hello'));
  return { values: { bombEnd: [slowest], besideBombs: [hello?.ratioP99 ?? Number.NaN] }, comparisons };
}
