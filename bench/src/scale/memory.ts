/** Memory of what relayer, runner and trigger service keep per account, key, address or page, before and after many have come by. */
import { startForked } from '@latchkey/testing/forked';
import type { HeapFigures } from '@latchkey/testing/heap';
import { atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

const SERVICES = ['relayer', 'runner', 'triggers'];

export async function measure({ rows, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const measured: ScaleRow[] = [];
  for (const [at, service] of SERVICES.entries()) {
    using program = startForked(new URL(`../../../${service}/bench/accounts-passing.ts`, import.meta.url));
    const { littleMb, muchMb, littleRssMb, muchRssMb } = await program.ask<HeapFigures>(rows);
    measured.push({
      what: `memory of the ${service} after ${rows} more accounts`,
      value: muchMb / littleMb,
      unit: 'x',
      goal: atMost(1.2),
      figures: `heap ${littleMb.toFixed(1)} / ${muchMb.toFixed(1)} MB, resident ${littleRssMb.toFixed(0)} / ${muchRssMb.toFixed(0)} MB`,
    });
    progress('services', at + 1, SERVICES.length);
  }
  return measured;
}
