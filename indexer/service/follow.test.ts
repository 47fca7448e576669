import { numberToHex } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { follow, type PonderRpc, type RpcHeader } from './follow.ts';

const header = (number: number, fork = 'a'): RpcHeader => ({
  number: numberToHex(number),
  hash: `0x${fork}${number}`,
  parentHash: `0x${fork}${number - 1}`,
  transactions: undefined,
});
const toBlock = ({ number, hash }: RpcHeader) => ({ number: BigInt(number), hash });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a follower of a chain that the test controls; `accept` replaces Ponder. */
function setUp(accept: (header: RpcHeader) => boolean | Promise<boolean>) {
  let announced = (_header: RpcHeader): void => {};
  const fed: RpcHeader[] = [];
  let latest = header(0);
  let isDown = false;
  const onStuck = vi.fn();
  const ponderRequest = vi.fn();
  const chainRequest = vi.fn();
  const rpc: PonderRpc = {
    subscribe: () => expect.unreachable('Ponder follows the chain itself'),
    request: ponderRequest,
  };
  const follower = follow(rpc, {
    chain: {
      header: async (block) => {
        if (isDown) throw new Error('No answer.');
        return block === 'latest' ? latest : header(Number(block));
      },
      request: chainRequest,
      announce(onHead) {
        announced = onHead;
        return { [Symbol.dispose]() {} };
      },
    },
    finalBlock: toBlock(header(0)),
    onIndexed: async () => {},
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
      announced(next);
    },
    /** Subscribes, as Ponder does when it has indexed everything up to the final block. */
    subscribe: () =>
      rpc.subscribe({
        onBlock: async (next) => {
          fed.push(next);
          return accept(next);
        },
      }),
    settle: () => vi.advanceTimersByTimeAsync(0),
    [Symbol.dispose]: () => follower.stop(),
  };
}

test('feeds the head at the start, without a new announcement', async () => {
  using setup = setUp(() => true);
  setup.moveTo(header(1));
  await setup.settle();
  expect(setup.follower.head.block).toBeUndefined();
  expect(setup.follower.isFollowing()).toBe(false);
  setup.subscribe();
  await setup.settle();
  expect(setup.follower.head.block).toEqual(toBlock(header(1)));
  expect(setup.follower.isFollowing()).toBe(true);
});

test('a waiting reader triggers feeding the head before the next poll', async () => {
  using setup = setUp(() => true);
  setup.subscribe();
  await setup.settle();
  setup.moveTo(header(1));
  const reached = setup.follower.head.reaches(1n, 500);
  await setup.settle();
  expect(await reached).toBe(true);
});

test('feeds an announced child of the head without asking the chain', async () => {
  using setup = setUp(() => true);
  setup.subscribe();
  await setup.settle();
  setup.breakDown();
  setup.announce(header(1));
  setup.announce(header(3));
  await setup.settle();
  expect(setup.fed).toEqual([header(1)]);
  setup.announce(header(2, 'b'));
  await setup.settle();
  expect(setup.fed).toEqual([header(1)]);
});

test('feeds one block at a time, and skips blocks that were announced meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  using setup = setUp(({ number }) => (Number(number) === 1 ? promise : true));
  setup.subscribe();
  await setup.settle();
  for (let number = 1; number <= 9; number++) {
    setup.announce(header(number));
    await setup.settle();
  }
  expect(setup.fed).toEqual([header(1)]);
  resolve(true);
  await setup.settle();
  expect(setup.fed).toEqual([header(1), header(9)]);
});

test('feeds a distant head in strides', async () => {
  using setup = setUp(() => true);
  setup.subscribe();
  setup.announce(header(100));
  await setup.settle();
  expect(setup.fed).toEqual([header(20), header(40), header(60), header(80), header(100)]);
  expect(setup.follower.isFollowing()).toBe(true);
});

test('feeds a block again after a reorg, and does not report the replaced block as head meanwhile', async () => {
  let isReorg = false;
  const heads: (bigint | undefined)[] = [];
  using setup = setUp(() => {
    heads.push(setup.follower.head.block?.number);
    const isAccepted = !isReorg;
    isReorg = false;
    return isAccepted;
  });
  setup.subscribe();
  setup.announce(header(5));
  await setup.settle();
  isReorg = true;
  setup.announce(header(4, 'b'));
  await setup.settle();
  expect(setup.fed).toEqual([header(5), header(4, 'b'), header(4, 'b')]);
  expect(heads).toEqual([0n, 3n, 3n]);
  expect(setup.follower.head.block).toEqual(toBlock(header(4, 'b')));
});

test('reports a head that is refused for long, but not while other blocks are indexed', async () => {
  let isRefusing = false;
  using setup = setUp(() => !isRefusing);
  setup.subscribe();
  for (let number = 1; number < 20; number++) {
    // Refuses every other block.
    isRefusing = number % 2 === 0;
    setup.announce(header(number));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(setup.onStuck).not.toHaveBeenCalled();
  isRefusing = true;
  setup.announce(header(50));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(setup.onStuck).toHaveBeenCalled();
});

test('a chain that does not answer is no longer followed', async () => {
  using setup = setUp(() => true);
  setup.subscribe();
  await setup.settle();
  expect(setup.follower.isFollowing()).toBe(true);
  setup.breakDown();
  await vi.advanceTimersByTimeAsync(11_000);
  expect(setup.follower.isFollowing()).toBe(false);
  expect(setup.onStuck).not.toHaveBeenCalled();
});

test('sends the requests of Ponder to the chain from its subscription on', async () => {
  using setup = setUp(() => true);
  const logs = { method: 'eth_getLogs', params: [{ blockHash: '0x1' }] };
  await setup.rpc.request(logs);
  expect(setup.chainRequest).not.toHaveBeenCalled();
  setup.subscribe();
  await setup.rpc.request(logs);
  expect(setup.chainRequest.mock.calls).toEqual([[logs]]);
  expect(setup.ponderRequest).toHaveBeenCalledTimes(1);
});
