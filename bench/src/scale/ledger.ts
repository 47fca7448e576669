/** Runs paid from the ledger, and lists of it and of runs: a database with many rows beside one with a thousand. */
import { startForked } from '@latchkey/testing/forked';
import type { Comparison } from '@latchkey/testing/measure';
import { atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

type Answer = {
  comparisons: Comparison[];
  /** CPU time of PostgreSQL and its client, much over little, in the order of the comparisons. */
  cpuRatios: number[];
  /** Bytes of the ledger on the disk per run, with its indexes. */
  bytesPerRun: number;
};

/** Repetitions of each operation. */
const COUNT = 50;

/** Measures with `rows` entries of the ledger. */
export async function measure({ rows: entries, progress }: ScaleOptions): Promise<ScaleRow[]> {
  progress(`ledger: ${entries} entries`, entries, entries);
  using program = startForked(new URL('../../../relayer/bench/scale.ts', import.meta.url));
  const { comparisons, cpuRatios, bytesPerRun } = await program.ask<Answer>({ entries, count: COUNT });
  const paths = comparisons.flatMap(({ name, ratioP50 }, index): ScaleRow[] => [
    { what: `${name}: p50`, value: ratioP50, unit: 'x', goal: atMost(1.3), figures: '' },
    {
      what: `${name}: CPU`,
      value: cpuRatios[index] ?? Number.NaN,
      unit: 'x',
      goal: atMost(1.3),
      figures: '',
    },
  ]);
  const bytes: ScaleRow = {
    what: 'ledger: bytes per run, kept for ever',
    value: bytesPerRun,
    unit: '',
    goal: atMost(200),
    figures: '',
  };
  return [...paths, bytes];
}
