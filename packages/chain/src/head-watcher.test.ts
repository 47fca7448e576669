import { expect, test } from 'vitest';
import { BlockNotReachedError, createHeadWatcher } from './head-watcher.ts';

/** A watcher of a head that the test sets; `reads` counts how often it was read. */
function createWatcher(head = 10n) {
  const state = { head, known: 0n, reads: 0, failure: undefined as Error | undefined };
  const readHead = async () => {
    state.reads++;
    if (state.failure) throw state.failure;
    state.known = state.head;
  };
  const watcher = createHeadWatcher(readHead, () => state.known);
  const saw = (block: bigint): void => {
    state.known = block;
    watcher.settle();
  };
  return { state, watcher, saw };
}

test('shares one poll between a thousand waiters, and resolves each with its block', async () => {
  const { state, watcher, saw } = createWatcher();
  let reached = 0;
  const waits = Array.from({ length: 1_000 }, async (_, i) => {
    await watcher.reach(11n + BigInt(i % 2));
    reached++;
  });
  await expect.poll(() => state.reads).toBeGreaterThan(2);
  expect(reached).toBe(0);
  // With a poll every 50 ms for each waiter, the head would have been read thousands of times by now.
  expect(state.reads).toBeLessThan(1_000);
  state.head = 11n;
  await expect.poll(() => reached).toBe(500);
  state.head = 12n;
  saw(12n);
  await Promise.all(waits);
});

test('does not poll for a block that was seen', async () => {
  const { state, watcher, saw } = createWatcher();
  saw(10n);
  await watcher.reach(10n);
  expect(state.reads).toBe(0);
});

test('refuses a block far ahead; many such requests share few polls', async () => {
  const { state, watcher } = createWatcher();
  await watcher.reach(10n);
  const refusals = await Promise.allSettled(Array.from({ length: 500 }, () => watcher.reach(111n)));
  for (const refusal of refusals) expect(refusal).toMatchObject({ reason: expect.any(BlockNotReachedError) });
  expect(refusals[0]).toMatchObject({ reason: { isFarAhead: true } });
  for (let i = 0; i < 5; i++) await expect(watcher.reach(10n ** 15n)).rejects.toThrow(BlockNotReachedError);
  expect(state.reads).toBeLessThan(10);
  state.head = 11n;
  await watcher.reach(11n);
});

test('rejects every wait when the node does not respond, and polls again for the next one', async () => {
  const { state, watcher } = createWatcher();
  state.failure = new Error('down');
  const waits = await Promise.allSettled([watcher.reach(11n), watcher.reach(12n)]);
  expect(waits.map((wait) => wait.status)).toEqual(['rejected', 'rejected']);
  state.failure = undefined;
  await watcher.reach(10n);
});

test('waits again for a block that turned out not to be known', async () => {
  const { state, watcher, saw } = createWatcher();
  saw(50n);
  await watcher.reach(50n);
  state.known = 10n;
  const reached = watcher.reach(50n);
  await expect.poll(() => state.reads).toBeGreaterThan(1);
  state.head = 50n;
  await reached;
});
