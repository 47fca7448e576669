/** Memory of what relayer, runner and trigger service keep per account, key, address or page, before and after many have come by. */
import { startForked } from '@latchkey/testing/forked';
import type { HeapFigures } from '@latchkey/testing/heap';
import { atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

const programs = {
  relayer: new URL('../../../relayer/bench/accounts-passing.ts', import.meta.url),
  runner: new URL('../../../runner/bench/accounts-passing.ts', import.meta.url),
  triggers: new URL('../../../triggers/bench/accounts-passing.ts', import.meta.url),
};

export async function measure({ rows, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const measured: ScaleRow[] = [];
  for (const [service, file] of Object.entries(programs)) {
    using program = startForked(file);
    const { littleMb, muchMb, littleRssMb, muchRssMb } = await program.ask<HeapFigures>(rows);
    measured.push({
      what: `memory of the ${service} after ${rows} more accounts`,
      value: muchMb / littleMb,
      unit: 'x',
      goal: atMost(1.2),
      figures: `heap ${littleMb.toFixed(1)} / ${muchMb.toFixed(1)} MB, resident ${littleRssMb.toFixed(0)} / ${muchRssMb.toFixed(0)} MB`,
    });
    progress('services', measured.length, 3);
  }
  return measured;
}
