/** The relayer's database with many rows beside one with few, measured by a program beside it. */
import { startForked } from '@latchkey/testing/forked';
import type { Comparison } from '@latchkey/testing/measure';
import type { Measured } from '../rows.ts';

type Answer = {
  comparisons: Comparison[];
  /** CPU time of PostgreSQL and its client, much over little, in the order of the comparisons. */
  cpuRatios: number[];
  /** Bytes of the ledger on the disk per run, with its indexes. */
  bytesPerRun: number;
};

/** `entries`: rows of the ledger. */
export async function benchLedgerScale(entries: number, count: number): Promise<Measured> {
  using program = startForked(new URL('../../../relayer/bench/scale.ts', import.meta.url));
  const { comparisons, cpuRatios, bytesPerRun } = await program.ask<Answer>({ entries, count });
  const values = {
    scaleLedger: [Math.max(...comparisons.map(({ ratioP50 }) => ratioP50)), Math.max(...cpuRatios)],
    ledgerBytes: [bytesPerRun],
  };
  return { values, comparisons };
}
