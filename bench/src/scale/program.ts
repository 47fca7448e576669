/**
 * What the programs of `npm run bench -- --only scale` share. A program is a file of this folder with
 * `export async function measure(options: ScaleOptions): Promise<ScaleRow[]>`, listed in `bench/src/scale.ts`. It starts the databases and
 * processes that it needs, and ends them. A program that needs modules of a service forks `<service>/bench/<name>.ts` by `startForked`.
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

/** Part of a `pg.Client`. */
type Client = { query: (text: string, values?: unknown[]) => Promise<unknown> };

/** Rows per statement. */
const FILL_BATCH = 100_000;

/**
 * Runs an `insert … select … from generate_series($1::bigint, $2::bigint)` in batches until `rows` rows are stored, and analyses the tables.
 */
export async function fill(
  client: Client,
  {
    insert,
    rows,
    tables,
    progress,
  }: { insert: string; rows: number; tables: string[] } & Pick<ScaleOptions, 'progress'>,
): Promise<void> {
  for (let first = 1; first <= rows; first += FILL_BATCH) {
    const last = Math.min(rows, first + FILL_BATCH - 1);
    await client.query(insert, [first, last]);
    progress(`filling ${tables.join(', ')}`, last, rows);
  }
  await client.query(`analyze ${tables.join(', ')}`);
}
