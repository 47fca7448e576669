import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compareBlocks, measureSteadily, reportComparison, type Samples, tableRow } from './measure.ts';

beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

test('times runs after the lead-in only, while every client continues until the last of them has ended', async () => {
  let inFlight = 0;
  const seen: number[] = [];
  const run = async () => {
    seen.push(++inFlight);
    // The first runs are fast, as on processes that are ready.
    await delay(seen.length <= 4 ? 0 : 20);
    inFlight--;
  };
  const { durationsMs, wallMs, untimed } = await measureSteadily(run, {
    count: 6,
    concurrency: 2,
    leadIn: 6,
  });
  expect(durationsMs).toHaveLength(6);
  expect(Math.min(...durationsMs)).toBeGreaterThan(15);
  expect(wallMs).toBeGreaterThan(45);
  expect(untimed).toBe(seen.length - 6);
  expect(seen.slice(1)).toEqual(seen.slice(1).fill(2));
});

test('lets each side be first in every second turn, and settles after each block', async () => {
  const done: string[] = [];
  const block = (side: string) => async (size: number) => {
    done.push(side);
    return { durationsMs: Array(size).fill(1), wallMs: size };
  };
  const { blocks, count } = await compareBlocks(
    { name: 'a comparison', concurrency: 1, count: 6 },
    { service: block('S'), baseline: block('B'), settle: async () => done.push('-') },
  );
  expect([blocks, count]).toEqual([3, 6]);
  expect(done.join('')).toBe('SS-BB-' + 'S-B-' + 'B-S-' + 'S-B-');
});

test('counts untimed runs for the CPU time, and the blocks that the client may have limited', async () => {
  const block = (clientShare: number) => async (size: number) => ({
    durationsMs: Array(size).fill(1),
    wallMs: size,
    untimed: size,
    clientShare,
  });
  const { cpuMs, clientBoundBlocks } = await compareBlocks(
    { name: 'a comparison', concurrency: 1, count: 4 },
    { service: block(0.5), baseline: block(0.9), meter: () => () => 40, settle: async () => {} },
  );
  expect(cpuMs).toBe(10);
  expect(clientBoundBlocks).toBe(2);
});

test('shows no rate where something else sets it', () => {
  const samples: Samples = { durationsMs: [1, 2], wallMs: Number.NaN };
  const what = { name: 'a comparison', concurrency: 1, blocks: 1, clientBoundBlocks: 0 };
  const row = tableRow(reportComparison(what, { service: samples, baseline: samples }));
  expect(row).toMatchObject({
    count: 2,
    'a second': '',
    ratio: '',
    'ratio p50/p95/p99': '1.00 / 1.00 / 1.00',
  });
});
