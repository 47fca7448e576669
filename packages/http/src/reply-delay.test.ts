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

test('sends a refusal after the delay', () => {
  const { sent, refuse } = start(10);
  refuse('a');
  vi.advanceTimersByTime(999);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(['a']);
});

test('sends further refusals immediately while the maximum waits', () => {
  const { sent, refuse } = start(2);
  refuse('a');
  refuse('b');
  refuse('c');
  expect(sent).toEqual(['c']);
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual(['c', 'a', 'b']);
  refuse('d');
  expect(sent).toEqual(['c', 'a', 'b']);
});

test('a client that goes away frees its place and is sent nothing', () => {
  const { sent, refuse } = start(1);
  refuse('a').emit('close');
  refuse('b');
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual(['b']);
});
