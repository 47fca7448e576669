import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sharedFor } from './shared-for.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('one answer serves concurrent callers and those of the next second', async () => {
  let asked = 0;
  const ask = sharedFor(1_000, async () => ++asked);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  await vi.advanceTimersByTimeAsync(999);
  expect(await ask()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await ask()).toBe(2);
});

test('a failure reaches who asked together, and the next one asks again', async () => {
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
