import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace } from './pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends requests of an address in one moment. Returns a function that counts those that were passed on. */
async function send(pace: ReturnType<typeof createPace>, ip: string, count: number) {
  const next = vi.fn();
  for (let i = 0; i < count; i++) void pace({ ip } as Request, new EventEmitter() as Response, next);
  await vi.advanceTimersByTimeAsync(0);
  return () => next.mock.calls.length;
}

test('passes 100 requests of an address in a second, and the others about a second later', async () => {
  const passed = await send(createPace(), '192.0.2.1', 300);
  expect(passed()).toBe(100);
  await vi.advanceTimersByTimeAsync(499);
  expect(passed()).toBe(100);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(passed()).toBe(300);
});

test('does not delay other addresses', async () => {
  const pace = createPace();
  await send(pace, '192.0.2.1', 300);
  expect((await send(pace, '192.0.2.2', 1))()).toBe(1);
});

test('passes requests immediately again in the next second', async () => {
  const pace = createPace();
  await send(pace, '192.0.2.1', 300);
  await vi.advanceTimersByTimeAsync(1_001);
  expect((await send(pace, '192.0.2.1', 1))()).toBe(1);
});
