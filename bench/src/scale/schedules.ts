/** Schedules that are due in one second, and after an hour without a process. Two processes fire them. */
import { startForked } from '@latchkey/testing/forked';
import { atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

/** As in `triggers/bench/schedules.ts`. */
type Figures = { slotMs: number; hourMs: number; slotCpuMs: number; wrong: number };

export async function measure({ rows, progress }: ScaleOptions): Promise<ScaleRow[]> {
  const schedules = Math.min(rows, 1_000_000);
  const due = Math.ceil(schedules / 10);
  progress('schedules', 0, schedules);
  using program = startForked(new URL('../../../triggers/bench/schedules.ts', import.meta.url));
  const { slotMs, hourMs, slotCpuMs, wrong } = await program.ask<Figures>({ schedules, due });
  progress('schedules', schedules, schedules);
  const of = `${due} of ${schedules} schedules`;
  const rate = (ms: number) => `${Math.round((due / ms) * 1_000)} a second`;
  return [
    {
      what: `${of} due in one second: all accepted`,
      value: slotMs / 1_000,
      unit: 's',
      goal: atMost(5),
      figures: `${rate(slotMs)}, ${(slotCpuMs / due).toFixed(2)} ms of a processor each`,
    },
    {
      what: `${of} after an hour: all caught up`,
      value: hourMs / 1_000,
      unit: 's',
      goal: atMost(5),
      figures: rate(hourMs),
    },
    {
      what: 'runs that are missing, or too many',
      value: wrong,
      unit: '',
      goal: atMost(0),
      figures: `${due} runs, twice`,
    },
  ];
}
