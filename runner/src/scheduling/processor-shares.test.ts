import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createProcessorShares } from './processor-shares.ts';

/** With them, an account yields above 481 ms of recorded use. */
const CORES = 2;
const ACCOUNT = 1n;
const OTHER = 2n;

let waitedMs = 0;
let servedMs = 0;
let isRunnable = false;
const calls: string[] = [];
const actionProcess = {
  claimShare: (part = 1) => void calls.push(part === 1 ? 'claims' : `claims ${part}`),
  yieldToOthers: () => void calls.push('yields'),
  waitedMs: () => waitedMs,
  servedMs: () => servedMs,
  isRunnable: () => isRunnable,
  /** Of its start. */
  cpuMs: () => 50,
};
beforeEach(() => {
  waitedMs = 0;
  servedMs = 0;
  isRunnable = false;
  calls.length = 0;
  vi.useFakeTimers({ toFake: ['performance'] });
  return () => vi.useRealTimers();
});
const later = (ms: number) => vi.advanceTimersByTime(ms);

describe('a run', () => {
  test('has its share at its start, and yields once, after 100 ms of processor time', () => {
    const { update } = createProcessorShares(CORES).follow(ACCOUNT, actionProcess);
    expect(calls).toEqual(['claims']);
    for (const cpuMs of [0, 100]) update(cpuMs);
    expect(calls).toEqual(['claims']);
    for (const cpuMs of [110, 200, 500]) update(cpuMs);
    expect(calls).toEqual(['claims', 'yields']);
  });

  test('that others hold up for a second gets another 100 ms, again and again', () => {
    const { update } = createProcessorShares(CORES).follow(ACCOUNT, actionProcess);
    waitedMs = 5_000;
    update(110);
    calls.length = 0;
    waitedMs = 5_990;
    update(110);
    expect(calls).toEqual([]);
    waitedMs = 6_000;
    update(110);
    update(210);
    expect(calls).toEqual(['claims']);
    update(220);
    waitedMs = 7_000;
    update(230);
    expect(calls).toEqual(['claims', 'yields', 'claims']);
  });

  test('that only waits for others that yield gets no more than they have', () => {
    const shares = createProcessorShares(CORES);
    const [run, neighbour] = [ACCOUNT, OTHER].map((account) => shares.follow(account, actionProcess));
    run?.update(110);
    neighbour?.update(110);
    calls.length = 0;
    neighbour?.update(360);
    waitedMs = 1_000;
    run?.update(110);
    expect(calls).toEqual([]);
    neighbour?.update(600);
    waitedMs = 1_990;
    run?.update(110);
    expect(calls).toEqual([]);
    waitedMs = 2_000;
    run?.update(110);
    expect(calls).toEqual(['claims']);
  });
});

test('a run is waiting when it and its messages needed less than a quarter of a processor and it does not compute', () => {
  const run = createProcessorShares(CORES).follow(ACCOUNT, actionProcess);
  let cpuMs = 0;
  const after20 = ({ cpu = 0, served = 0 }): boolean => {
    later(20);
    cpuMs += cpu;
    servedMs += served;
    run.update(cpuMs);
    return run.isWaiting();
  };
  expect(run.isWaiting()).toBe(false);
  expect([{ cpu: 5 }, { served: 5 }, { cpu: 3, served: 2 }].map(after20)).toEqual([false, false, false]);
  expect([{}, { cpu: 2, served: 2 }].map(after20)).toEqual([true, true]);
  // It had no processor.
  isRunnable = true;
  expect(after20({})).toBe(false);
});

test('the turns of an account have one share together, in parts of a power of two', () => {
  const shares = createProcessorShares(CORES);
  const first = shares.follow(ACCOUNT, actionProcess);
  const second = shares.follow(ACCOUNT, actionProcess);
  const third = shares.follow(ACCOUNT, actionProcess);
  shares.follow(OTHER, actionProcess);
  expect(calls).toEqual(['claims', 'claims 0.5', 'claims 0.25', 'claims']);
  calls.length = 0;
  first.update(0);
  first.update(0);
  expect(calls).toEqual(['claims 0.25']);
  // It yields, and has no part any more.
  second.update(110);
  first.update(0);
  expect(calls).toEqual(['claims 0.25', 'yields', 'claims 0.5']);
  third.end();
  third.update(0);
  first.update(0);
  expect(calls.slice(3)).toEqual(['claims']);
});

test('an account has others beside it until five seconds after they ran', () => {
  const shares = createProcessorShares(CORES);
  shares.follow(ACCOUNT, actionProcess);
  expect([shares.hasOthersThan(ACCOUNT), shares.hasOthersThan(OTHER)]).toEqual([false, true]);
  shares.follow(OTHER, actionProcess);
  later(4_990);
  expect(shares.hasOthersThan(ACCOUNT)).toBe(true);
  later(10);
  expect(shares.hasOthersThan(ACCOUNT)).toBe(false);
});

describe('a heavy account', () => {
  test('yields to a lighter one that ran in the last five seconds', () => {
    const shares = createProcessorShares(CORES);
    shares.follow(OTHER, actionProcess).end();
    shares.follow(ACCOUNT, actionProcess).update(440);
    expect(shares.lighterThan(ACCOUNT)).toEqual([OTHER]);
    expect(shares.lighterThan(OTHER)).toEqual([]);
    calls.length = 0;
    const next = shares.follow(ACCOUNT, actionProcess);
    shares.follow(OTHER, actionProcess);
    expect(calls).toEqual(['claims']);
    waitedMs = 1_000;
    next.update(10);
    expect(calls).toEqual(['claims', 'claims']);
    later(4_990);
    shares.follow(ACCOUNT, actionProcess).update(1_000);
    expect(shares.lighterThan(ACCOUNT)).toEqual([OTHER]);
    later(10);
    shares.follow(ACCOUNT, actionProcess);
    expect(shares.lighterThan(ACCOUNT)).toEqual([]);
  });

  test('is light again when half of its use, second by second, is below a sixth of the machine', () => {
    const shares = createProcessorShares(CORES);
    shares.follow(OTHER, actionProcess);
    const { update } = shares.follow(ACCOUNT, actionProcess);
    for (let cpuMs = 0; cpuMs <= 1_800; cpuMs += 100) update(cpuMs);
    later(1_900);
    expect(shares.lighterThan(ACCOUNT)).toEqual([OTHER]);
    later(200);
    expect(shares.lighterThan(ACCOUNT)).toEqual([]);
  });

  test('pays for the starts of its processes', () => {
    const shares = createProcessorShares(CORES);
    shares.follow(OTHER, actionProcess);
    for (let start = 0; start < 10; start++) shares.follow(ACCOUNT, actionProcess);
    expect(shares.lighterThan(ACCOUNT)).toEqual([OTHER]);
  });

  test('pays for the messages that the runner took from it', () => {
    const shares = createProcessorShares(CORES);
    shares.follow(OTHER, actionProcess);
    const { update } = shares.follow(ACCOUNT, actionProcess);
    update(0);
    servedMs = 440;
    update(0);
    expect(shares.lighterThan(ACCOUNT)).toEqual([OTHER]);
  });

  test('does not yield to itself, while its use becomes older', () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => ++now / 1_000);
    const shares = createProcessorShares(CORES);
    shares.follow(ACCOUNT, actionProcess).update(5_000);
    expect(shares.lighterThan(ACCOUNT)).toEqual([]);
    vi.restoreAllMocks();
  });

  test('yields to none without a lighter one', () => {
    const shares = createProcessorShares(CORES);
    shares.follow(ACCOUNT, actionProcess).update(5_000);
    calls.length = 0;
    shares.follow(ACCOUNT, actionProcess);
    expect(calls).toEqual(['claims']);
  });
});
