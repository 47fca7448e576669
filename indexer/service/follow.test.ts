import { numberToHex } from 'viem';
import { expect, test, vi } from 'vitest';
import { follow, type PonderRpc, type RpcHeader } from './follow.ts';

const header = (number: number, fork = 'a'): RpcHeader => ({
  number: numberToHex(number),
  hash: `0x${fork}${number}`,
  transactions: undefined,
});
const blockOf = ({ number, hash }: RpcHeader) => ({ number: BigInt(number), hash });

/** A follower of a chain that the test moves, with `accept` in Ponder's place. */
function setUp(accept: (header: RpcHeader) => boolean | Promise<boolean>) {
  const newHeads: ((header: RpcHeader) => Promise<boolean>)[] = [];
  const fed: RpcHeader[] = [];
  let latest: () => Promise<RpcHeader> = async () => header(1);
  const onStuck = vi.fn();
  const rpc: PonderRpc = { subscribe: ({ onBlock }) => void newHeads.push(onBlock) };
  const follower = follow(rpc, {
    isSubscribed: true,
    finalBlock: blockOf(header(0)),
    latestHeader: () => latest(),
    onIndexed: () => {},
    onFollowing: () => {},
    onStuck,
  });
  return {
    follower,
    fed,
    onStuck,
    setLatest: (next: () => Promise<RpcHeader>) => {
      latest = next;
    },
    /** What Ponder does when it has indexed all up to the final block. */
    subscribe: () =>
      rpc.subscribe({
        onBlock: async (next) => {
          fed.push(next);
          return accept(next);
        },
        onError: () => {},
      }),
    announce: (next: RpcHeader) => newHeads[0]?.(next),
    [Symbol.dispose]: () => follower.stop(),
  };
}

test('the head is fed at the start, though no new one is announced', async () => {
  using world = setUp(() => true);
  expect(world.follower.head.block).toBeUndefined();
  expect(world.follower.isFollowing()).toBe(false);
  world.subscribe();
  expect(await world.follower.head.reaches(1n, 1_000)).toBe(true);
  await vi.waitFor(() => expect(world.follower.isFollowing()).toBe(true));
});

test('an answer that an announced header overtook is not fed', async () => {
  const { promise, resolve } = Promise.withResolvers<RpcHeader>();
  using world = setUp(() => true);
  world.setLatest(() => promise);
  world.subscribe();
  await world.announce(header(2));
  world.setLatest(async () => header(2));
  resolve(header(1));
  await vi.waitFor(() => expect(world.follower.isFollowing()).toBe(true), 3_000);
  expect(world.fed).toEqual([header(2)]);
  expect(world.follower.head.block).toEqual(blockOf(header(2)));
});

test('a block that a reorg took is fed again, and what it replaced is not the head meanwhile', async () => {
  let isReorg = false;
  using world = setUp(() => {
    if (!isReorg) return true;
    isReorg = false;
    return false;
  });
  world.setLatest(async () => header(5));
  world.subscribe();
  await world.follower.head.reaches(5n, 1_000);
  isReorg = true;
  world.setLatest(async () => header(4, 'b'));
  const announced = world.announce(header(4, 'b'));
  expect(world.follower.head.block?.number).toBe(3n);
  await announced;
  await vi.waitFor(() => expect(world.follower.head.block).toEqual(blockOf(header(4, 'b'))));
  expect(world.fed).toEqual([header(5), header(4, 'b'), header(4, 'b')]);
});

test('a head that is refused for long is reported, but not while others are indexed', async () => {
  vi.useFakeTimers();
  try {
    let isRefusing = false;
    using world = setUp(() => !isRefusing);
    let number = 1;
    world.setLatest(async () => header(number));
    world.subscribe();
    for (; number < 20; number++) {
      // The announced head is always ahead of the polled one.
      await world.announce(header(number + 1));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(world.onStuck).not.toHaveBeenCalled();
    isRefusing = true;
    number = 100;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(world.onStuck).toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
