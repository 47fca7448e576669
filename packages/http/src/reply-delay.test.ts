import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReplyDelay } from './reply-delay.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(max: number) {
  const delay = createReplyDelay({ delayMs: 1_000, max });
  const sent: string[] = [];
  return {
    sent,
    refuse(name: string): EventEmitter {
      const res = new EventEmitter();
      delay(res, () => sent.push(name));
      return res;
    },
  };
}

test('sends refusals at different times, after half to one and a half of the delay', () => {
  const { sent, refuse } = start(100);
  for (let i = 0; i < 100; i++) refuse(String(i));
  const counts = [499, 1, 500, 499, 1].map((ms) => {
    vi.advanceTimersByTime(ms);
    return sent.length;
  });
  expect([counts[0], counts[4]]).toEqual([0, 100]);
  expect(counts[2]).toBeGreaterThan(20);
  expect(counts[2]).toBeLessThan(80);
});

test('sends further refusals immediately while the maximum waits', () => {
  const { sent, refuse } = start(2);
  refuse('a');
  refuse('b');
  refuse('c');
  expect(sent).toEqual(['c']);
  vi.advanceTimersByTime(1_500);
  expect([...sent].sort()).toEqual(['a', 'b', 'c']);
  refuse('d');
  expect(sent).toHaveLength(3);
});

test('a client that goes away frees its place and is sent nothing', () => {
  const { sent, refuse } = start(1);
  refuse('a').emit('close');
  refuse('b');
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1_500);
  expect(sent).toEqual(['b']);
});
