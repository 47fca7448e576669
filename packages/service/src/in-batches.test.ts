import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

test('changes rows in batches until none is left, with a pause as long as each change', async () => {
  let left = 25;
  const times: number[] = [];
  const change = async (rows: number) => {
    times.push(performance.now());
    const end = performance.now() + 30;
    while (performance.now() < end);
    const changed = Math.min(rows, left);
    left -= changed;
    return changed;
  };
  expect(await inBatches(change, undefined, 10)).toBe(25);
  expect(times).toHaveLength(3);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(58);
});

test('ends at the end of a batch when it is aborted, also in a pause', async () => {
  const stop = new AbortController();
  let calls = 0;
  const change = async (rows: number) => {
    if (++calls === 3) setTimeout(() => stop.abort(), 1);
    return rows;
  };
  expect(await inBatches(change, stop.signal, 10)).toBe(30);
});
