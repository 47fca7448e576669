/**
 * The timers of the web, which return numbers. Deno's own timers are Node's and take 10 ms to load.
 */
import { cancelTimer, createTimer, unrefTimer } from '@latchkey/fork-server/internals';

type Timer = { timer: ReturnType<typeof createTimer>; isRepeated: boolean; hasDelay: boolean };

const { apply } = Reflect;
const timers = new Map<number, Timer>();
const { get, set, values, delete: remove } = Map.prototype;
let lastId = 0;
let areIntervalsAwaited = true;

const start = (callback: unknown, afterMs: unknown, args: unknown[], isRepeated: boolean): number => {
  if (typeof callback !== 'function') throw new TypeError('the callback of a timer is not a function');
  lastId += 1;
  const id = lastId;
  const fire = (): void => {
    if (!isRepeated) apply(remove, timers, [id]);
    apply(callback, globalThis, args);
  };
  const keepsAlive = !isRepeated || areIntervalsAwaited;
  const delayMs = Number(afterMs);
  const timer = createTimer(fire, delayMs, undefined, isRepeated, keepsAlive);
  apply(set, timers, [id, { timer, isRepeated, hasDelay: delayMs > 0 }]);
  return id;
};
const stop = (id: unknown): void => {
  const found = apply(get, timers, [Number(id)]) as Timer | undefined;
  if (!found) return;
  apply(remove, timers, [Number(id)]);
  cancelTimer(found.timer);
};

/**
 * Lets the run end although intervals, which have no end, are set. Returns the number of timers and of intervals.
 * Timers without a delay do not count: ethers sets some to empty its caches.
 */
export const releaseIntervals = (): { timers: number; intervals: number } => {
  areIntervalsAwaited = false;
  const all = [...(apply(values, timers, []) as IterableIterator<Timer>)];
  const intervals = all.filter(({ isRepeated }) => isRepeated);
  for (const { timer } of intervals) unrefTimer(timer);
  const delayed = all.filter(({ isRepeated, hasDelay }) => !isRepeated && hasDelay);
  return { timers: delayed.length, intervals: intervals.length };
};

// Defaults give the functions the lengths that Web IDL requires.
export const setTimeout = (callback: unknown, afterMs: unknown = 0, ...args: unknown[]): number =>
  start(callback, afterMs, args, false);
export const setInterval = (callback: unknown, afterMs: unknown = 0, ...args: unknown[]): number =>
  start(callback, afterMs, args, true);
export const clearTimeout = (id: unknown = 0): void => stop(id);
export const clearInterval = (id: unknown = 0): void => stop(id);
