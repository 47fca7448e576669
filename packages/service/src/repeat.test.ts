import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeat } from './repeat.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const onError = () => {};

test('runs immediately and at each interval, until disposed', async () => {
  const task = vi.fn(async () => {});
  const repeating = repeat({ intervalMs: 1_000, task, onError });
  expect(task).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(task).toHaveBeenCalledTimes(3);
  await repeating[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(task).toHaveBeenCalledTimes(3);
});

test('waits one interval before the first run when isImmediate is false', async () => {
  const task = vi.fn(async () => {});
  await using _repeating = repeat({ intervalMs: 1_000, task, onError, isImmediate: false });
  expect(task).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(task).toHaveBeenCalledTimes(1);
});

test('never runs concurrently', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const task = vi.fn(() => promise);
  await using _repeating = repeat({ intervalMs: 1_000, task, onError });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(task).toHaveBeenCalledTimes(1);
  resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(task).toHaveBeenCalledTimes(2);
});

test('disposing aborts the task in progress and waits for its end', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const repeating = repeat({
    intervalMs: 1_000,
    task: (own) => {
      signal = own;
      return promise;
    },
    onError,
  });
  let isOver = false;
  const disposing = repeating[Symbol.asyncDispose]().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(1);
  expect(signal?.aborted).toBe(true);
  expect(isOver).toBe(false);
  resolve();
  await disposing;
});

test('reports a failure and runs again', async () => {
  const failures: unknown[] = [];
  const task = vi.fn(() => Promise.reject(new Error('no')));
  await using _repeating = repeat({ intervalMs: 1_000, task, onError: (error) => failures.push(error) });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(task).toHaveBeenCalledTimes(2);
  expect(failures).toEqual([new Error('no'), new Error('no')]);
});
