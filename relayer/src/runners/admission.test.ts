import { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';
import { RunInterruptedError, RunShareError } from './errors.ts';

const limits = {
  maxConcurrentRuns: 3,
  maxQueuedRuns: 2,
  maxConcurrentRunsPerAccount: 1,
  maxQueuedRunsPerAccount: 1,
};
const MIB = 1024 * 1024;

test('refuses an account above its share, and no other account', () => {
  const { admit } = createAdmission(limits);
  const first = admit(1n);
  admit(1n);
  expect(() => admit(1n)).toThrow(RunShareError);
  admit(2n);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  admit(1n);
  expect(() => admit(1n)).toThrow(RunShareError);
});

test('refuses every account when slots and queue are full', () => {
  const { admit } = createAdmission(limits);
  const [first] = [1n, 2n, 3n, 4n, 5n].map((account) => admit(account));
  expect(() => admit(6n)).toThrow(RuntimeUnavailableError);
  first?.[Symbol.dispose]();
  admit(6n);
});

test('limits the code that runs hold in memory, per account and in total', () => {
  const { admit } = createAdmission({ ...limits, maxConcurrentRuns: 100, maxConcurrentRunsPerAccount: 100 });
  const hold = (account: bigint, bytes: number) => {
    const place = admit(account);
    place.holdCode(bytes);
    return place;
  };
  const held = Array.from({ length: 6 }, () => hold(1n, 10 * MIB));
  expect(() => hold(1n, 10 * MIB)).toThrow(RunShareError);
  hold(1n, 1 * MIB);
  held[0]?.[Symbol.dispose]();
  hold(1n, 10 * MIB);
  for (const account of [2n, 3n, 4n]) for (let i = 0; i < 6; i++) hold(account, 10 * MIB);
  expect(() => hold(5n, 16 * MIB)).toThrow(RuntimeUnavailableError);
});

test('counts the last code that a run says it holds', () => {
  const { admit } = createAdmission(limits);
  const [first, second] = [admit(1n), admit(1n)];
  first?.holdCode(60 * MIB);
  expect(() => second?.holdCode(10 * MIB)).toThrow(RunShareError);
  first?.holdCode(1 * MIB);
  second?.holdCode(60 * MIB);
  second?.holdCode(61 * MIB);
  expect(() => second?.holdCode(64 * MIB)).toThrow(RunShareError);
});

test('admits no run while it drains, and resolves when the last one has ended', async () => {
  const { admit, drain } = createAdmission(limits);
  const place = admit(1n);
  let isDrained = false;
  const drained = drain(60_000).then(() => {
    isDrained = true;
  });
  expect(() => admit(2n)).toThrow(RuntimeUnavailableError);
  await new Promise(setImmediate);
  expect(isDrained).toBe(false);
  place[Symbol.dispose]();
  await drained;
  expect(place.signal.aborted).toBe(false);
});

test('interrupts the runs that outlast the time to drain', async () => {
  const { admit, drain } = createAdmission(limits);
  const place = admit(1n);
  const drained = drain(10);
  await new Promise((resolve) => place.signal.addEventListener('abort', resolve));
  expect(place.signal.reason).toBeInstanceOf(RunInterruptedError);
  place[Symbol.dispose]();
  await drained;
});

test('drains immediately without runs', async () => {
  await createAdmission(limits).drain(60_000);
});
