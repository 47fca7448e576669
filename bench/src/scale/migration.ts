/** A database that the version before has filled, migrated while its processes go on: no statement of theirs waits for long, or fails. */
import { startForked } from '@latchkey/testing/forked';
import type { Migrated } from '@latchkey/testing/measure-migration';
import { atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

const programs = {
  relayer: new URL('../../../relayer/bench/migration.ts', import.meta.url),
  triggers: new URL('../../../triggers/bench/migration.ts', import.meta.url),
};

/** Well below the 5 seconds after which a request that gets no connection to the database fails. */
const LONGEST_SEC = 2;

export async function measure({ rows, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const measured: ScaleRow[] = [];
  for (const [service, file] of Object.entries(programs)) {
    using program = startForked(file);
    const figures = await program.ask<Migrated>(rows);
    const { seconds, beforeMs, longestMs, longest, statements, failed, lost } = figures;
    for (const failure of new Set(failed)) console.log(failure);
    measured.push(
      {
        what: `${service}: longest statement while ${rows} rows are migrated`,
        value: longestMs / 1_000,
        unit: 's',
        goal: atMost(LONGEST_SEC),
        figures: `${longest}; ${beforeMs.toFixed(0)} ms before; migrated in ${seconds.toFixed(1)} s`,
      },
      {
        what: `${service}: failed statements`,
        value: failed.length,
        unit: '',
        goal: atMost(0),
        figures: `of ${statements}`,
      },
      {
        what: `${service}: rows, sums or acknowledged changes lost`,
        value: lost,
        unit: '',
        goal: atMost(0),
        figures: '',
      },
    );
    progress('services', measured.length / 3, 2);
  }
  return measured;
}
