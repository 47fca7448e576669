import { createLogger } from '@latchkey/service/logger';
import { expect, test, vi } from 'vitest';
import { createRunWatch } from './run-watch.ts';

const log = createLogger({ name: 'test', level: 'silent' });

/** A contract that permits all runs except runs of removed keys. `expirations` has the expirations other than 0. */
function contract() {
  const removed = new Set<bigint>();
  const expirations = new Map<bigint, bigint>();
  const asked: [name: string, ...args: bigint[]][] = [];
  const read = async (name: string, args: [key: bigint, cidHash?: bigint]) => {
    asked.push([name, ...(args as bigint[])]);
    const [key] = args;
    return name === 'resolve' ? [1n, '0x', true, true, expirations.get(key) ?? 0n] : !removed.has(key);
  };
  return { removed, expirations, asked, watch: createRunWatch({ read: read as never }, log) };
}
const run = (key: bigint, account = 1n) => ({ account, key, cidHash: 5n, expiration: 0n });

test('ends only the runs of a key that lost its permission', async () => {
  const { watch, removed } = contract();
  using first = watch.watch(run(1n));
  using second = watch.watch(run(2n));
  removed.add(1n);
  watch.recheck(1n);
  await expect.poll(() => first.signal.aborted).toBe(true);
  expect(first.signal.reason).toMatchObject({ name: 'PermissionError' });
  expect(second.signal.aborted).toBe(false);
});

test('asks once per key and action, and only for the account that changed', async () => {
  const { watch, asked } = contract();
  using _a = watch.watch(run(1n));
  using _b = watch.watch(run(1n));
  using _other = watch.watch(run(3n, 2n));
  watch.recheck(1n);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  expect(asked).toEqual([
    ['canExecuteAction', 1n, 5n],
    ['resolve', 1n],
  ]);
  watch.recheck();
  await expect.poll(() => asked.length).toBe(6);
});

test('asks nothing for a run that has ended', async () => {
  const { watch, asked } = contract();
  watch.watch(run(1n))[Symbol.dispose]();
  watch.recheck(1n);
  watch.recheck();
  await Promise.resolve();
  expect(asked).toEqual([]);
});

test('ends a run within half a minute of the loss of its permission, also without a log', async () => {
  vi.useFakeTimers();
  try {
    const { watch, removed, asked } = contract();
    const running = watch.watch(run(1n));
    using _other = watch.watch(run(2n, 2n));
    removed.add(1n);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(running.signal.reason).toMatchObject({ name: 'PermissionError' });
    running[Symbol.dispose]();
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(asked.filter(([, key]) => key === 1n)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('asks again until the contract answers, once a second for all checks of an account', async () => {
  vi.useFakeTimers();
  try {
    let isDown = true;
    const blocks: bigint[] = [];
    const read = async (name: string, _args: bigint[], minBlock: bigint) => {
      if (name === 'canExecuteAction') blocks.push(minBlock);
      if (isDown) throw new Error('down');
      return name === 'resolve' ? [1n, '0x', true, true, 0n] : false;
    };
    const watch = createRunWatch({ read: read as never }, log);
    using running = watch.watch(run(1n));
    for (const block of [7n, 8n, 6n]) watch.recheck(1n, block);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(blocks).toEqual([7n, 8n, 6n, 8n]);
    isDown = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(blocks).toHaveLength(5);
    expect(running.signal.reason).toMatchObject({ name: 'PermissionError' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(blocks).toHaveLength(5);
  } finally {
    vi.useRealTimers();
  }
});

test('ends a run when its key expires', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const { watch } = contract();
    using expiring = watch.watch({ ...run(1n), expiration: 1_002n });
    vi.advanceTimersByTime(1_999);
    expect(expiring.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(expiring.signal.reason).toMatchObject({
      name: 'PermissionError',
      message: 'the usage key has expired',
    });
  } finally {
    vi.useRealTimers();
  }
});

test('sets no timer for an expiration that a timer cannot reach: it would end the run immediately', () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const { watch } = contract();
    using _far = watch.watch({ ...run(1n), expiration: 2_147_484n });
    // The one that checks the runs of the account.
    expect(vi.getTimerCount()).toBe(1);
    using _near = watch.watch({ ...run(1n), expiration: 2_147_483n });
    expect(vi.getTimerCount()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['an earlier', 1_060n, 1_002n],
  ['a later', 1_001n, 1_002n],
  ['a first', 0n, 1_002n],
])('ends a run at %s expiration that its key got during the run', async (_name, first, second) => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const { watch, expirations } = contract();
    using expiring = watch.watch({ ...run(1n), expiration: first });
    expirations.set(1n, second);
    watch.recheck(1n);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(expiring.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(expiring.signal.reason).toMatchObject({ message: 'the usage key has expired' });
  } finally {
    vi.useRealTimers();
  }
});

test('takes the expiration of the later of two checks whose answers overtake each other', async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const answers: ((expiration: bigint) => void)[] = [];
    const read = (name: string) =>
      name === 'resolve'
        ? new Promise((resolve) => answers.push((expiration) => resolve([1n, '0x', true, true, expiration])))
        : Promise.resolve(true);
    const watch = createRunWatch({ read: read as never }, log);
    using running = watch.watch(run(1n));
    watch.recheck(1n);
    watch.recheck(1n);
    answers[1]?.(1_002n);
    await vi.advanceTimersByTimeAsync(0);
    answers[0]?.(1_001n);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(running.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(running.signal.aborted).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('keeps no timer of a run that ended while the chain was asked', async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const { watch, expirations } = contract();
    const ended = watch.watch(run(1n));
    expirations.set(1n, 1_002n);
    watch.recheck(1n);
    ended[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('ends a run without permission when the expiration cannot be read', async () => {
  const read = (name: string) =>
    name === 'resolve' ? Promise.reject(new Error('down')) : Promise.resolve(false);
  const watch = createRunWatch({ read: read as never }, log);
  using running = watch.watch(run(1n));
  watch.recheck();
  await expect.poll(() => running.signal.aborted).toBe(true);
});

test('ends no run when the chain does not respond', async () => {
  const failing = createRunWatch({ read: () => Promise.reject(new Error('down')) }, log);
  using running = failing.watch(run(1n));
  failing.recheck();
  await new Promise((resolve) => setImmediate(resolve));
  expect(running.signal.aborted).toBe(false);
});
