import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHealthCheck, DegradedError, UnhealthyError } from './health.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('reports each part, with the detail of an UnhealthyError and of no other error', async () => {
  const check = createHealthCheck({
    good: async () => {},
    poor: () => Promise.reject(new UnhealthyError('no funds')),
    fewer: () => Promise.reject(new DegradedError('one is gone')),
    broken: () => Promise.reject(new Error('postgres://user:hidden@db')),
  });
  const since = new Date().toISOString();
  expect(await check()).toEqual({
    good: { ok: true },
    poor: { ok: false, detail: 'no funds', since },
    fewer: { ok: true, degraded: true, detail: 'one is gone', since },
    broken: { ok: false, detail: 'does not work', since },
  });
});

test('a part that does not answer within three seconds is unhealthy', async () => {
  const check = createHealthCheck({ silent: () => new Promise(() => {}) });
  const asked = check();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await asked).toMatchObject({ silent: { ok: false, detail: 'does not answer' } });
});

test('runs the checks at most once per second', async () => {
  const ask = vi.fn(async () => {});
  const check = createHealthCheck({ part: ask });
  await Promise.all([check(), check()]);
  await check();
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_001);
  await check();
  expect(ask).toHaveBeenCalledTimes(2);
});

test('says since when a part is faulty, whatever the fault is, until it is whole again', async () => {
  let fault: Error | undefined = new DegradedError('one is gone');
  const check = createHealthCheck({
    part: async () => {
      if (fault) throw fault;
    },
  });
  const later = async () => {
    await vi.advanceTimersByTimeAsync(5_000);
    return (await check()).part.since;
  };
  const first = (await check()).part.since;
  expect(first).toBe(new Date().toISOString());
  fault = new UnhealthyError('all are gone');
  expect(await later()).toBe(first);
  fault = undefined;
  expect(await later()).toBeUndefined();
  fault = new Error('gone again');
  expect(await later()).toBe(new Date().toISOString());
});
