import { expect, test, vi } from 'vitest';
import { timed } from './deploy.ts';

test('long work reports its duration until it is done', async () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const work = timed(
      'compiling',
      (line) => lines.push(line),
      () => new Promise((end) => setTimeout(end, 12_500, 7)),
    );
    await vi.advanceTimersByTimeAsync(12_500);
    expect(await work).toBe(7);
    expect(lines).toEqual([
      'compiling',
      'compiling: still running after 5.0 s',
      'compiling: still running after 10.0 s',
      'compiling: done in 12.5 s',
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(4);
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
        'compiling',
        (line) => lines.push(line),
        () => Promise.reject(new Error('no')),
      ),
    ).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toEqual(['compiling']);
  } finally {
    vi.useRealTimers();
  }
});
