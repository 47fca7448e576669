/**
 * Shared by the programs of `npm run bench -- --only scale`. A program is a file of this folder with
 * `export async function measure(options: ScaleOptions): Promise<ScaleRow[]>`, listed in `bench/src/scale.ts`. It starts the databases and
 * processes that it needs, and ends them. A program that needs modules of a service forks `<service>/bench/<name>.ts` by `startForked`, and fills tables by `@latchkey/testing/fill`.
 */
import type { Goal, Unit } from '../rows.ts';

export type ScaleOptions = {
  /** Size of the larger state: rows of the largest table, or accounts, schedules or logs. */
  rows: number;
  /** Prints the progress of a step. */
  progress: (step: string, done: number, of: number) => void;
};

export type ScaleRow = {
  what: string;
  /** The judged value: mostly the figure with much stored divided by the one with little. */
  value: number;
  unit: Unit;
  goal: Goal;
  /** The figures behind the value, for example `4.1 ms / 4.3 ms`. */
  figures: string;
};
