import { expect, test, vi } from 'vitest';
import { timed } from './timed.ts';

test('long work reports its duration until it is done', async () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const work = timed(
      'compiled',
      (line) => lines.push(line),
      () => new Promise((end) => setTimeout(end, 12_500, 7)),
    );
    await vi.advanceTimersByTimeAsync(12_500);
    expect(await work).toBe(7);
    expect(lines).toEqual([
      'compiled: not yet, after 5.0 s',
      'compiled: not yet, after 10.0 s',
      'compiled (12.5 s)',
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

test('failed work is not reported as done, and stops reporting', async () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    await expect(
      timed(
        'compiled',
        (line) => lines.push(line),
        () => Promise.reject(new Error('no')),
      ),
    ).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
