/**
 * The timers of the web, which return numbers. Deno's own timers are Node's and take 10 ms to load.
 */
import { cancelTimer, createTimer } from '@latchkey/fork-server/internals';

type Timer = ReturnType<typeof createTimer>;

const { apply } = Reflect;
const timers = new Map<number, Timer>();
const { get, set, delete: remove } = Map.prototype;
let lastId = 0;

const start = (callback: unknown, afterMs: unknown, args: unknown[], isRepeated: boolean): number => {
  if (typeof callback !== 'function') throw new TypeError('the callback of a timer is not a function');
  lastId += 1;
  const id = lastId;
  const fire = (): void => {
    if (!isRepeated) apply(remove, timers, [id]);
    apply(callback, globalThis, args);
  };
  apply(set, timers, [id, createTimer(fire, Number(afterMs), undefined, isRepeated, true)]);
  return id;
};
const stop = (id: unknown): void => {
  const timer = apply(get, timers, [Number(id)]) as Timer | undefined;
  if (!timer) return;
  apply(remove, timers, [Number(id)]);
  cancelTimer(timer);
};

// Defaults give the functions the lengths that Web IDL requires.
export const setTimeout = (callback: unknown, afterMs: unknown = 0, ...args: unknown[]): number =>
  start(callback, afterMs, args, false);
export const setInterval = (callback: unknown, afterMs: unknown = 0, ...args: unknown[]): number =>
  start(callback, afterMs, args, true);
export const clearTimeout = (id: unknown = 0): void => stop(id);
export const clearInterval = (id: unknown = 0): void => stop(id);
