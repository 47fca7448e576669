/** The relayer's ledger, measured by a program beside it. */
import { startForked } from '@latchkey/testing/forked';
import type { Comparison } from '@latchkey/testing/measure';
import type { Measured } from './rows.ts';

export async function benchLedger(count: number): Promise<Measured> {
  using program = startForked(new URL('../../relayer/bench/ledger.ts', import.meta.url));
  return { values: {}, comparisons: await program.ask<Comparison[]>(count) };
}
