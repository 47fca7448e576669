import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { keepRunning as KeepRunning } from './keep-running.ts';
import type { Part } from './parts.ts';

/** Intervals that have begun, each with the function that ends it. */
const pauses: { ms: number; end: () => void }[] = [];
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, _: undefined, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', reject);
    pauses.push({ ms, end: resolve });
    return promise;
  },
}));
let keepRunning: typeof KeepRunning;
beforeAll(async () => {
  // Another file in this process can have loaded the module with the real timers.
  vi.resetModules();
  ({ keepRunning } = await import('./keep-running.ts'));
});
beforeEach(() => {
  pauses.length = 0;
});

/** Parts that end when they are told to. */
function createStarts() {
  const ends: ((exit: string) => void)[] = [];
  const start = async (): Promise<Part> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.push(resolve);
    return {
      name: 'keynode1',
      pid: 1,
      exited: promise,
      isStopping: () => false,
      tail: () => 'a reason',
      stop: async () => resolve('exit code 0'),
    };
  };
  return { start, ends };
}

test('restarts a part that fails to start after growing intervals, and soon when it has worked before', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { start, ends } = createStarts();
  const ended: string[] = [];
  const part = await keepRunning({ start, log() {}, onEnd: (...end) => ended.push(end.join()) });
  for (let starts = 1; starts <= 10; starts++) {
    if (starts === 10) vi.advanceTimersByTime(2_000);
    ends[starts - 1]?.('exit code 1');
    await vi.waitUntil(() => pauses.length === starts);
    pauses[starts - 1]?.end();
    await vi.waitUntil(() => ends.length === starts + 1);
  }
  const expected = [400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 200];
  expect(pauses.map(({ ms }) => ms)).toEqual(expected);
  expect(ended).toHaveLength(10);
  expect(ended[0]).toBe('exit code 1,a reason');
  await part.stop();
  vi.useRealTimers();
});

test('stops during the interval before a restart without waiting for it', async () => {
  const { start, ends } = createStarts();
  const part = await keepRunning({ start, log() {}, onEnd() {} });
  ends[0]?.('exit code 1');
  await vi.waitUntil(() => pauses.length === 1);
  await part.stop();
  expect(await part.exited).toBe('exit code 1');
  expect(ends).toHaveLength(1);
});

test('ends with a part that fails to start and is needed', async () => {
  const { start, ends } = createStarts();
  const part = await keepRunning({ start, log() {} });
  ends[0]?.('exit code 1');
  expect(await part.exited).toBe('exit code 1');
  expect(ends).toHaveLength(1);
});
