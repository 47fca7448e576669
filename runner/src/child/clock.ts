/**
 * `performance` of a run: its clock begins with the run. Deno's begins with the template, and would tell how old that is, and how much
 * the clock of the machine was corrected since.
 */
import { changeArguments } from './classes.ts';

const { performance } = globalThis;
const { prototype } = Performance;
const { now, mark, measure } = prototype;
const { apply } = Reflect;
const { defineProperty, getOwnPropertyDescriptor } = Object;
const getOrigin = getOwnPropertyDescriptor(prototype, 'timeOrigin')?.get as () => number;
const currentTime = Date.now;

let startedAt = 0;
let origin = 0;
const elapsed = (): number => apply(now, performance, []) - startedAt;

export const startClock = (): void => {
  startedAt = apply(now, performance, []);
  origin = currentTime();
};

type Options = Record<string, unknown>;
const isOptions = (value: unknown): value is Options | null | undefined =>
  value === undefined || value === null || typeof value === 'object' || typeof value === 'function';

/** Adds the time of a mark, which is now unless its options say otherwise. */
const withStart = (args: unknown[]): unknown[] => {
  const [name, options] = args;
  if (args.length === 0 || !isOptions(options)) return args;
  return [name, { detail: options?.detail, startTime: options?.startTime ?? elapsed() }];
};

/** Adds the end of a measure, which is now unless its arguments say otherwise. */
const withEnd = (args: unknown[]): unknown[] => {
  const [name, from, to] = args;
  if (args.length === 0 || to !== undefined) return args;
  if (!isOptions(from)) return [name, { start: `${from}`, end: elapsed() }];
  const { start, duration, end, detail } = from ?? {};
  const hasEnd = end !== undefined || (start !== undefined && duration !== undefined);
  return [name, { start, duration, detail, end: hasEnd ? end : elapsed() }];
};

const replaced = {
  now(this: Performance): number {
    return apply(now, this, []) - startedAt;
  },
  mark(this: Performance, ...args: unknown[]): unknown {
    return apply(mark, this, withStart(args));
  },
  measure(this: Performance, ...args: unknown[]): unknown {
    return apply(measure, this, withEnd(args));
  },
  get timeOrigin(): number {
    apply(getOrigin, this, []); // throws for another object
    return origin;
  },
};
for (const name of ['now', 'mark', 'measure'] as const) {
  const value = defineProperty(replaced[name], 'length', { value: prototype[name].length });
  defineProperty(prototype, name, { value });
}
defineProperty(prototype, 'timeOrigin', {
  get: getOwnPropertyDescriptor(replaced, 'timeOrigin')?.get as () => number,
});
const Mark = PerformanceMark as unknown as Parameters<typeof changeArguments>[0];
defineProperty(globalThis, 'PerformanceMark', { value: changeArguments(Mark, withStart) });
