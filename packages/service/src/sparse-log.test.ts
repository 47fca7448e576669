import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSparseLog } from './sparse-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('writes one line per second and key, with the number of lines that it stands for', () => {
  const log = createSparseLog();
  const lines: string[] = [];
  const send = (key: string, text: string) => log(key, (count) => lines.push(`${text} ${count}`));
  for (let i = 1; i <= 100; i++) send('a', `a${i}`);
  send('b', 'b1');
  expect(lines).toEqual(['a1 1', 'b1 1']);
  vi.advanceTimersByTime(1_000);
  expect(lines).toEqual(['a1 1', 'b1 1', 'a100 99']);
  for (let i = 101; i <= 103; i++) send('a', `a${i}`);
  vi.advanceTimersByTime(1_000);
  expect(lines.slice(3)).toEqual(['a103 3']);
  vi.advanceTimersByTime(1_000);
  send('a', 'later');
  expect(lines.slice(4)).toEqual(['later 1']);
});

test('a flood of keys writes a thousand lines per second', () => {
  const log = createSparseLog();
  const counts: number[] = [];
  for (let i = 0; i < 50_000; i++) log(`address ${i}`, (count) => counts.push(count));
  vi.advanceTimersByTime(1_000);
  expect(counts.length).toBeLessThanOrEqual(1_002);
  expect(counts.reduce((sum, count) => sum + count)).toBe(50_000);
});
