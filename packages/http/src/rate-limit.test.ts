import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAddressLimit, createRateLimit } from './rate-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const message = 'Too many.';
const tooMany = (retryAfterSec: number) => expect.objectContaining({ status: 429, message, retryAfterSec });

test('refuses points above the limit until the period of the key ends', async () => {
  const limit = createRateLimit({ points: 3, periodSec: 10, message });
  await limit.take('a', 2);
  await limit.take('b', 3);
  await vi.advanceTimersByTimeAsync(4_000);
  await expect(limit.take('a', 2)).rejects.toEqual(tooMany(6));
  await limit.take('a');
  await vi.advanceTimersByTimeAsync(6_000);
  await limit.take('a', 3);
});

test('concurrent attempts above the limit do not use up what the others give back', async () => {
  const limit = createRateLimit({ points: 300, message });
  const attempts = await Promise.allSettled(Array.from({ length: 700 }, () => limit.take('a')));
  const taken = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(taken).toHaveLength(300);
  for (const points of taken) points.settle(0);
  await limit.take('a', 300);
  await expect(limit.take('a')).rejects.toThrow(message);
});

test('points that are given back after their period do not count in the next one', async () => {
  const limit = createRateLimit({ points: 2, periodSec: 1, message });
  const late = await limit.take('a', 2);
  await vi.advanceTimersByTimeAsync(1_000);
  late.settle(0);
  await limit.take('a', 2);
  late.settle(0);
  await expect(limit.take('a')).rejects.toThrow(message);
});

test('an attempt can cost more or less than it took', async () => {
  const limit = createRateLimit({ points: 5, message });
  const attempt = await limit.take('a', 2);
  attempt.settle(5);
  await expect(limit.take('a')).rejects.toThrow(message);
  attempt.settle(4);
  await limit.take('a');
  await expect(limit.take('a')).rejects.toThrow(message);
});

test('counts addresses of one network together', async () => {
  const limit = createAddressLimit({ points: 1, message });
  await limit.take('2001:db8::1');
  await expect(limit.take('2001:db8::2')).rejects.toThrow(message);
});
