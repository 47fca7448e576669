/** Growth that the verdict of a soak notices: in computed samples, and in processes that keep memory or handles. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '@latchkey/testing/random';
import { describe, expect, test } from 'vitest';
import { judgeGrowth, type Sample } from './growth.ts';
import { measureProcess, type ProcessMeasures } from './processes.ts';
import { noiseOf } from './sampler.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const random = randomFrom(1);
const noise = (of: number) => (random(2_001) / 1_000 - 1) * of;

/** Samples every 10 s. */
const sample = (forSec: number, value: (atSec: number) => number): Sample[] =>
  Array.from({ length: forSec / 10 }, (_, index) => ({ atSec: index * 10, value: value(index * 10) }));
/** Memory of a process that collects garbage every 97 s. */
const heap = (atSec: number) => 120 + (atSec % 97) * 0.6 + noise(3);
const isGrowing = (samples: Sample[], measure: Parameters<typeof noiseOf>[0]) =>
  judgeGrowth(samples, noiseOf(measure)).isGrowing;

describe('samples that do not grow', () => {
  test.each<[string, number, (atSec: number) => number, Parameters<typeof noiseOf>[0]]>([
    ['garbage that is collected now and then', 2 * HOUR, heap, 'rss MiB'],
    ['the same in 25 minutes', 25 * MINUTE, heap, 'rss MiB'],
    ['caches that fill in the first half', 2 * HOUR, (s) => heap(s) + 80 * Math.min(1, s / HOUR), 'rss MiB'],
    ['5 % per hour of a gigabyte', 2 * HOUR, (s) => (900 + heap(s)) * (1 + (0.05 * s) / HOUR), 'rss MiB'],
    ['more garbage between collections', 2 * HOUR, (s) => 120 + (s % 97) * (s / HOUR), 'rss MiB'],
    ['a delay in the last minutes', 2 * HOUR, (s) => (s < 1.9 * HOUR ? 0 : 20), 'lag s'],
    ['a step within the noise', 2 * HOUR, (s) => 30 + (s > 1.5 * HOUR ? 4 : 0), 'handles'],
    ['a measure that is always 0', 2 * HOUR, () => 0, 'lag s'],
    ['a lag that comes and goes', 25 * MINUTE, (s) => Math.max(0, Math.sin(s / 100)) * 5, 'lag s'],
    ['what shrinks', 2 * HOUR, (s) => 300 - s / 100, 'rss MiB'],
  ])('%s', (_, forSec, value, measure) => {
    expect(isGrowing(sample(forSec, value), measure)).toBe(false);
  });
});

describe('samples that grow', () => {
  test.each<[string, number, (atSec: number) => number, Parameters<typeof noiseOf>[0]]>([
    ['1 MB per second in 25 minutes', 25 * MINUTE, (s) => heap(s) + s * 0.95, 'rss MiB'],
    ['1 MB per minute in 2 hours', 2 * HOUR, (s) => heap(s) + (s / MINUTE) * 0.95, 'rss MiB'],
    ['30 % per hour in 2 hours', 2 * HOUR, (s) => heap(s) * (1 + (0.3 * s) / HOUR), 'rss MiB'],
    [
      'a leak that begins after the first half',
      2 * HOUR,
      (s) => heap(s) + Math.max(0, s - HOUR) / 50,
      'rss MiB',
    ],
    ['a handle per request, at one request per second', 25 * MINUTE, (s) => 30 + s + noise(3), 'handles'],
    ['a socket per minute', 2 * HOUR, (s) => 30 + s / MINUTE + noise(3), 'sockets'],
    ['a queue that is a second later each minute', 25 * MINUTE, (s) => s / MINUTE + noise(0.5), 'lag s'],
  ])('%s', (_, forSec, value, measure) => {
    expect(isGrowing(sample(forSec, value), measure)).toBe(true);
  });
});

test('reports start, middle, end and the slope', () => {
  const growth = judgeGrowth(
    sample(2 * HOUR, (s) => 100 + (50 * s) / HOUR),
    0,
  );
  expect(growth).toEqual({
    start: expect.closeTo(105, 0),
    middle: expect.closeTo(155, 0),
    end: expect.closeTo(195, 0),
    perHour: expect.closeTo(50, 5),
    isGrowing: true,
  });
});

describe('a process', () => {
  const EVERY_MS = 100;
  const SAMPLES = 50;
  /** Runs the code every 100 ms in a process of its own, and returns the measures that grow. */
  async function findGrowth(code: string): Promise<string[]> {
    const program = `const { openSync } = await import('node:fs'); const kept = [];
      setInterval(() => { ${code} }, ${EVERY_MS}); console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const taken: (ProcessMeasures & { atSec: number })[] = [];
      for (let index = 0; index < SAMPLES; index++) {
        taken.push({ atSec: performance.now() / 1_000, ...measureProcess(child.pid as number) });
        await delay(EVERY_MS);
      }
      return (['rss MiB', 'handles', 'sockets'] as const).filter((measure) =>
        // Of a short run: a leak of a megabyte per 100 ms adds 25 in its second half.
        isGrowing(
          taken.map((sample) => ({ atSec: sample.atSec, value: sample[measure] })),
          measure,
        ),
      );
    } finally {
      child.kill('SIGKILL');
    }
  }

  test.concurrent.each([
    ['that keeps a megabyte each time', 'kept.push(Buffer.alloc(1_000_000, 1));', ['rss MiB']],
    ['that opens a file each time', `kept.push(openSync('/dev/null'));`, ['handles']],
    ['that keeps nothing', 'Array.from({ length: 1_000 }, (_, index) => ({ index }));', []],
  ])('%s', async (_, code, growing) => {
    expect(await findGrowth(code)).toEqual(growing);
  });
});
