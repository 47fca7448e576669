import { beforeEach, expect, test, vi } from 'vitest';
import { createProcessorTurns } from './processor-turns.ts';

let waitedMs = 0;
const calls: string[] = [];
const actionProcess = {
  claimShare: vi.fn(() => void calls.push('claims')),
  yieldToOthers: vi.fn(() => void calls.push('yields')),
  waitedMs: () => waitedMs,
};
beforeEach(() => {
  waitedMs = 0;
  calls.length = 0;
});

test('a run yields once, after 100 ms of processor time', () => {
  const sample = createProcessorTurns(actionProcess);
  for (const cpuMs of [0, 100]) sample(cpuMs);
  expect(calls).toEqual([]);
  for (const cpuMs of [110, 200, 500]) sample(cpuMs);
  expect(calls).toEqual(['yields']);
});

test('a run that others hold up for a second gets another 100 ms, again and again', () => {
  const sample = createProcessorTurns(actionProcess);
  waitedMs = 5_000;
  sample(110);
  waitedMs = 5_990;
  sample(110);
  expect(calls).toEqual(['yields']);
  waitedMs = 6_000;
  sample(110);
  sample(210);
  expect(calls).toEqual(['yields', 'claims']);
  sample(220);
  waitedMs = 7_000;
  sample(230);
  expect(calls).toEqual(['yields', 'claims', 'yields', 'claims']);
});
