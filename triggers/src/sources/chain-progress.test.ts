import { beforeEach, expect, test, vi } from 'vitest';
import { checkFollowers, createProgress } from './chain-progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  return () => vi.useRealTimers();
});
const pass = (sec: number) => vi.advanceTimersByTime(sec * 1_000);
const nodes = () => [
  { node: 1, host: 'a', isUsed: false, fault: 'down' },
  { node: 2, host: 'b', isUsed: true, fault: undefined },
];

test('shows the node in use, the newest block, and since when blocks are not read', () => {
  const progress = createProgress(() => 7n, nodes);
  expect(progress.state()).toBeUndefined();
  progress.succeeded();
  pass(45);
  progress.failed('first');
  const since = new Date();
  pass(5);
  progress.failed('second');
  expect(progress.state()).toEqual({ node: 2, block: 7, lagSec: 50, fault: { message: 'second', since } });
  progress.succeeded();
  expect(progress.state()).toEqual({ node: 2, block: 7, lagSec: 0, fault: undefined });
  progress.stopped();
  expect(progress.state()).toBeUndefined();
});

test('a chain whose nodes have not answered for 15 seconds degrades the service, and is named', () => {
  const progress = createProgress(() => 0n, nodes);
  const check = () => {
    const state = progress.state();
    checkFollowers(new Map(state ? [['base', state]] : []));
  };
  progress.failed('down');
  pass(14);
  expect(check).not.toThrow();
  pass(31);
  expect(check).toThrow('no event of these chains fires: base for 45 s');
  progress.succeeded();
  expect(check).not.toThrow();
});
