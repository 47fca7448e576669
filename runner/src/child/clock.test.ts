import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';

const run = await startRuntime();
const respond = async (expression: string): Promise<unknown> => {
  const { response, error } = await run(`const main = async () => (${expression})`);
  return error ? `threw ${error.name}: ${error.message}` : response;
};

describe('the clock of a run', () => {
  test('begins with the run, not with the template', async () => {
    const now = () => respond('[performance.now(), performance.timeOrigin, Date.now()]') as Promise<number[]>;
    await now();
    const first = Date.now();
    const [elapsed = 0, origin = 0, date = 0] = await now();
    // A run that begins before its time can be no later than the request.
    expect(origin).toBeGreaterThanOrEqual(first);
    expect(origin + elapsed).toBeGreaterThanOrEqual(date - 1);
    expect(origin + elapsed).toBeLessThan(date + 2);
  });

  test.each([
    ['a mark', 'performance.mark("x").startTime'],
    ['a mark with a detail', 'performance.mark("x", { detail: 1 }).startTime'],
    ['a new PerformanceMark', 'new PerformanceMark("x").startTime'],
    ['a subclass of PerformanceMark', 'new (class extends PerformanceMark {})("x").startTime'],
    ['a measure', '(({ startTime, duration }) => startTime + duration)(performance.measure("x"))'],
    [
      'a measure with a detail',
      '(({ startTime, duration }) => startTime + duration)(performance.measure("x", { detail: 1 }))',
    ],
    [
      'a measure from a mark',
      'performance.mark("x"), (({ startTime, duration }) => startTime + duration)(performance.measure("y", "x"))',
    ],
    [
      'a measure from a start',
      '(({ startTime, duration }) => startTime + duration)(performance.measure("y", { start: 0 }))',
    ],
    ['an entry', 'performance.mark("x"), performance.getEntries()[0].startTime'],
    ['an event', 'new Event("x").timeStamp'],
    ['a custom event', 'new CustomEvent("x").timeStamp'],
    ['the JSON of performance', 'Date.now() - JSON.parse(JSON.stringify(performance)).timeOrigin'],
  ])('is the clock of %s', async (_, expression) => {
    const code = `(() => { const before = performance.now(); return [before, (${expression}), performance.now()] })()`;
    const [before = 0, time = -1, after = 0] = (await respond(code)) as number[];
    // Deno gives every event the time 0.
    expect(time).toBeGreaterThanOrEqual(expression.includes('Event') ? 0 : Math.floor(before) - 1);
    expect(time).toBeLessThanOrEqual(after + 1);
  });

  test.each([
    [
      'times that are given',
      '[performance.mark("x", { startTime: 5 }).startTime, performance.measure("m", { start: 1, duration: 2 }).duration, performance.measure("m", { start: 1, end: 4 }).duration, performance.measure("m", "x", "x").duration]',
      [5, 2, 3, 0],
    ],
    [
      'identities',
      '[performance.mark("x") instanceof PerformanceMark, PerformanceMark.prototype.constructor === PerformanceMark, PerformanceMark.name, performance.now.name, performance.mark.length, performance.measure.length, PerformanceMark.length]',
      [true, true, 'PerformanceMark', 'now', 1, 1, 1],
    ],
  ])('leaves %s', async (_, expression, expected) => {
    expect(await respond(expression)).toEqual(expected);
  });

  test.each([
    'performance.mark()',
    'performance.mark("x", 1)',
    'performance.measure()',
    'performance.measure("x", Symbol())',
    'performance.now.call({})',
    'Object.getOwnPropertyDescriptor(Performance.prototype, "timeOrigin").get.call({})',
    'PerformanceMark("x")',
  ])('throws a TypeError for %s', async (expression) => {
    expect(await respond(expression)).toMatch(/^threw TypeError/);
  });
});
