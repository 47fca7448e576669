import { numberToHex } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { follow, type PonderRpc, type RpcHeader } from './follow.ts';

const header = (number: number, fork = 'a'): RpcHeader => ({
  number: numberToHex(number),
  hash: `0x${fork}${number}`,
  transactions: undefined,
});
const blockOf = ({ number, hash }: RpcHeader) => ({ number: BigInt(number), hash });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a follower of a chain that the test controls; `accept` replaces Ponder. */
function setUp(accept: (header: RpcHeader) => boolean | Promise<boolean>) {
  const announcements: ((header: RpcHeader) => Promise<boolean>)[] = [];
  const fed: RpcHeader[] = [];
  let latest = header(0);
  let isDown = false;
  const onStuck = vi.fn();
  const ponderRequest = vi.fn();
  const chainRequest = vi.fn();
  const rpc: PonderRpc = {
    subscribe: ({ onBlock }) => void announcements.push(onBlock),
    request: ponderRequest,
  };
  const follower = follow(rpc, {
    chain: {
      header: async (block) => {
        if (isDown) throw new Error('No answer.');
        return block === 'latest' ? latest : header(Number(block));
      },
      request: chainRequest,
    },
    isSubscribed: true,
    finalBlock: blockOf(header(0)),
    onIndexed: () => {},
    onFollowing: () => {},
    onStuck,
  });
  return {
    rpc,
    follower,
    fed,
    onStuck,
    ponderRequest,
    chainRequest,
    /** Moves the chain without an announcement. */
    moveTo: (next: RpcHeader) => {
      latest = next;
    },
    breakDown: () => {
      isDown = true;
    },
    announce: (next: RpcHeader) => {
      latest = next;
      void announcements[0]?.(next);
    },
    /** Subscribes, as Ponder does when it has indexed everything up to the final block. */
    subscribe: () =>
      rpc.subscribe({
        onBlock: async (next) => {
          fed.push(next);
          return accept(next);
        },
        onError: () => {},
      }),
    settle: () => vi.advanceTimersByTimeAsync(0),
    [Symbol.dispose]: () => follower.stop(),
  };
}

test('feeds the head at the start, without a new announcement', async () => {
  using world = setUp(() => true);
  world.moveTo(header(1));
  await world.settle();
  expect(world.follower.head.block).toBeUndefined();
  expect(world.follower.isFollowing()).toBe(false);
  world.subscribe();
  await world.settle();
  expect(world.follower.head.block).toEqual(blockOf(header(1)));
  expect(world.follower.isFollowing()).toBe(true);
});

test('a waiting reader triggers feeding the head before the next poll', async () => {
  using world = setUp(() => true);
  world.subscribe();
  await world.settle();
  world.moveTo(header(1));
  const reached = world.follower.head.reaches(1n, 500);
  await world.settle();
  expect(await reached).toBe(true);
});

test('feeds one block at a time, and skips blocks that were announced meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  using world = setUp(({ number }) => (Number(number) === 1 ? promise : true));
  world.subscribe();
  await world.settle();
  for (let number = 1; number <= 9; number++) {
    world.announce(header(number));
    await world.settle();
  }
  expect(world.fed).toEqual([header(1)]);
  resolve(true);
  await world.settle();
  expect(world.fed).toEqual([header(1), header(9)]);
});

test('feeds a distant head in strides', async () => {
  using world = setUp(() => true);
  world.subscribe();
  world.announce(header(100));
  await world.settle();
  expect(world.fed).toEqual([header(40), header(80), header(100)]);
  expect(world.follower.isFollowing()).toBe(true);
});

test('feeds a block again after a reorg, and does not report the replaced block as head meanwhile', async () => {
  let isReorg = false;
  const heads: (bigint | undefined)[] = [];
  using world = setUp(() => {
    heads.push(world.follower.head.block?.number);
    const isAccepted = !isReorg;
    isReorg = false;
    return isAccepted;
  });
  world.subscribe();
  world.announce(header(5));
  await world.settle();
  isReorg = true;
  world.announce(header(4, 'b'));
  await world.settle();
  expect(world.fed).toEqual([header(5), header(4, 'b'), header(4, 'b')]);
  expect(heads).toEqual([0n, 3n, 3n]);
  expect(world.follower.head.block).toEqual(blockOf(header(4, 'b')));
});

test('reports a head that is refused for long, but not while other blocks are indexed', async () => {
  let isRefusing = false;
  using world = setUp(() => !isRefusing);
  world.subscribe();
  for (let number = 1; number < 20; number++) {
    // Refuses every other block.
    isRefusing = number % 2 === 0;
    world.announce(header(number));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(world.onStuck).not.toHaveBeenCalled();
  isRefusing = true;
  world.announce(header(50));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(world.onStuck).toHaveBeenCalled();
});

test('a chain that does not answer is no longer followed', async () => {
  using world = setUp(() => true);
  world.subscribe();
  await world.settle();
  expect(world.follower.isFollowing()).toBe(true);
  world.breakDown();
  await vi.advanceTimersByTimeAsync(11_000);
  expect(world.follower.isFollowing()).toBe(false);
  expect(world.onStuck).not.toHaveBeenCalled();
});

test('requests the logs of one block without retries', async () => {
  using world = setUp(() => true);
  await world.rpc.request({ method: 'eth_getLogs', params: [{ blockHash: '0x1' }] });
  await world.rpc.request({ method: 'eth_getLogs', params: [{ fromBlock: '0x1' }] });
  await world.rpc.request({ method: 'eth_chainId' });
  expect(world.chainRequest.mock.calls).toEqual([
    [{ method: 'eth_getLogs', params: [{ blockHash: '0x1' }] }],
  ]);
  expect(world.ponderRequest).toHaveBeenCalledTimes(2);
});
