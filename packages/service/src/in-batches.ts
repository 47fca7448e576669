/** Changes of many rows in short statements. */
import { setTimeout as delay } from 'node:timers/promises';

/** Few enough that no other statement waits for long, and that the statement ends in its 15 seconds also on a slow disk. */
const ROWS = 1_000;
const MIN_PAUSE_MS = 10;

/**
 * Repeats a change of at most this many rows until it finds fewer, or `signal` is aborted. Pauses for as long as each change took: at
 * least half of the database's time is left to others. Resolves to the number of changed rows.
 */
export async function inBatches(
  change: (rows: number) => Promise<number>,
  signal?: AbortSignal,
  rows = ROWS,
): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const startedAt = performance.now();
    const changed = await change(rows);
    total += changed;
    if (changed < rows) break;
    const pauseMs = Math.max(MIN_PAUSE_MS, performance.now() - startedAt);
    await delay(pauseMs, undefined, signal && { signal }).catch(() => {});
  }
  return total;
}
