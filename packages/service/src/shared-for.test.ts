import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sharedFor } from './shared-for.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('concurrent callers and callers of the next second share one answer', async () => {
  let asked = 0;
  const ask = sharedFor(1_000, async () => ++asked);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  await vi.advanceTimersByTimeAsync(999);
  expect(await ask()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await ask()).toBe(2);
});

test('a failure rejects all concurrent callers, and the next call retries', async () => {
  let asked = 0;
  const ask = sharedFor(1_000, async () => {
    if (++asked === 1) throw new Error('down');
    return asked;
  });
  expect((await Promise.allSettled([ask(), ask()])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
  expect(await ask()).toBe(2);
});
