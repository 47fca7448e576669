/** Fills tables for measurements with much stored. */

/** Rows per statement, which ends within its 15 seconds. */
const BATCH = 20_000;

/** Calls `insert` for rows 1 to `rows`, for an `insert … select … from generate_series(first, last)`, and prints the progress. */
export async function fill(
  what: string,
  rows: number,
  insert: (first: number, last: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let first = 1; first <= rows; first += BATCH) {
    const last = Math.min(rows, first + BATCH - 1);
    await insert(first, last);
    const perSecond = Math.round((last * 1_000) / (performance.now() - startedAt));
    console.log(`filled ${last} of ${rows} ${what}, ${perSecond} a second`);
  }
}
