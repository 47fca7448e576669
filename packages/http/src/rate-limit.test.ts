import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createAddressLimit,
  createBadRequestLimit,
  createPacedLimit,
  createRateLimit,
} from './rate-limit.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const message = 'Too many.';
const tooMany = (retryAfterSec: number) => expect.objectContaining({ status: 429, message, retryAfterSec });

test('refuses points above the limit until the period of the key ends', async () => {
  const limit = createRateLimit({ name: 'test', points: 3, periodSec: 10, message });
  await limit.take('a', 2);
  await limit.take('b', 3);
  await vi.advanceTimersByTimeAsync(4_000);
  await expect(limit.take('a', 2)).rejects.toEqual(tooMany(6));
  await limit.take('a');
  await vi.advanceTimersByTimeAsync(6_000);
  await limit.take('a', 3);
});

test('concurrent attempts above the limit do not use up what the others give back', async () => {
  const limit = createRateLimit({ name: 'test', points: 300, message });
  const attempts = await Promise.allSettled(Array.from({ length: 700 }, () => limit.take('a')));
  const taken = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(taken).toHaveLength(300);
  for (const points of taken) points.settle(0);
  await limit.take('a', 300);
  await expect(limit.take('a')).rejects.toThrow(message);
});

test('points that are given back after their period do not count in the next one', async () => {
  const limit = createRateLimit({ name: 'test', points: 2, periodSec: 1, message });
  const late = await limit.take('a', 2);
  await vi.advanceTimersByTimeAsync(1_000);
  late.settle(0);
  await limit.take('a', 2);
  late.settle(0);
  await expect(limit.take('a')).rejects.toThrow(message);
});

test('an attempt can cost more or less than it took', async () => {
  const limit = createRateLimit({ name: 'test', points: 5, message });
  const attempt = await limit.take('a', 2);
  attempt.settle(5);
  await expect(limit.take('a')).rejects.toThrow(message);
  attempt.settle(4);
  await limit.take('a');
  await expect(limit.take('a')).rejects.toThrow(message);
});

test('counts addresses of one network together', async () => {
  const limit = createAddressLimit({ name: 'test', points: 1, message });
  await limit.take('2001:db8::1');
  await expect(limit.take('2001:db8::2')).rejects.toThrow(message);
});

test('refuses all requests of a network after its bad ones, and no others', async () => {
  const limit = createBadRequestLimit({ name: 'test', points: 2, message });
  for (let i = 0; i < 2; i++) {
    await limit.check('2001:db8::1');
    limit.count('2001:db8::1');
  }
  await expect(limit.check('2001:db8::2')).rejects.toEqual(tooMany(60));
  await limit.check('192.0.2.1');
  await vi.advanceTimersByTimeAsync(60_000);
  await limit.check('2001:db8::2');
});

describe('a paced limit', () => {
  test('lets a twelfth of the points of a minute go on per second, and others wait', async () => {
    vi.useRealTimers();
    const limit = createPacedLimit({ name: 'test', points: 300, leastPerSecond: 1, message });
    const startedAt = performance.now();
    const attempts = Array.from({ length: 60 }, () =>
      limit.take('a').then(() => performance.now() - startedAt),
    );
    const times = (await Promise.all(attempts)).sort((a, b) => a - b);
    expect(times[25]).toBeGreaterThan(900);
    expect(times[50]).toBeGreaterThan(1_900);
  });

  // The clock stands still: an attempt that waited would not end.
  test('lets no attempt wait for points that were given back, or of another key, or up to the least per second', async () => {
    const limit = createPacedLimit({ name: 'test', points: 300, leastPerSecond: 30, message });
    for (let i = 0; i < 400; i++) (await limit.take('a')).settle(0);
    for (const key of ['b', 'c']) await Promise.all(Array.from({ length: 30 }, () => limit.take(key)));
  });

  test('divides the pace of a second over shorter periods', async () => {
    vi.useRealTimers();
    const limit = createPacedLimit({ name: 'test', points: 20, leastPerSecond: 4, paceSec: 0.25, message });
    const startedAt = performance.now();
    const attempts = [1, 2, 3].map(() => limit.take('a').then(() => performance.now() - startedAt));
    const times = (await Promise.all(attempts)).sort((a, b) => a - b);
    expect(times[1]).toBeGreaterThan(240);
    expect(times[2]).toBeGreaterThan(490);
  });

  test('refuses attempts above the points of a minute, which do not wait', async () => {
    const limit = createPacedLimit({ name: 'test', points: 20, leastPerSecond: 20, message });
    const attempts = await Promise.allSettled(Array.from({ length: 25 }, () => limit.take('a')));
    expect(attempts.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  });
});

describe('the headers of a limit', () => {
  const policy = '"test";q=3;w=10';

  test('tell the points that are left after an attempt and at a refusal, and the seconds until the period ends', async () => {
    const limit = createRateLimit({ name: 'test', points: 3, periodSec: 10, message });
    const taken = await limit.take('a', 2);
    expect(rateLimitHeaders(taken.limit)).toEqual({
      'RateLimit-Policy': policy,
      RateLimit: '"test";r=1;t=10',
    });
    await vi.advanceTimersByTimeAsync(3_500);
    const refused = { name: 'test', points: 3, periodSec: 10, remaining: 1, resetSec: 6.5 };
    for (let i = 0; i < 2; i++)
      await expect(limit.take('a', 2)).rejects.toEqual(expect.objectContaining({ limit: refused }));
    expect(rateLimitHeaders(refused)).toEqual({ 'RateLimit-Policy': policy, RateLimit: '"test";r=1;t=7' });
  });

  test('tell that a limit of bad requests has no point left', async () => {
    const limit = createBadRequestLimit({ name: 'test', points: 1, message });
    for (let i = 0; i < 3; i++) limit.count('192.0.2.1');
    const state = { name: 'test', points: 1, periodSec: 60, remaining: 0, resetSec: 60 };
    await expect(limit.check('192.0.2.1')).rejects.toEqual(expect.objectContaining({ limit: state }));
  });

  test('tell the points of the minute of a paced limit', async () => {
    const limit = createPacedLimit({ name: 'test', points: 300, leastPerSecond: 1, message });
    const { name, points, periodSec, remaining } = (await limit.take('a', 20)).limit;
    expect({ name, points, periodSec, remaining }).toEqual({
      name: 'test',
      points: 300,
      periodSec: 60,
      remaining: 280,
    });
  });
});
