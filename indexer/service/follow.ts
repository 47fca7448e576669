import type { Hex } from 'viem';
import { type Block, createHead, type Head } from './head.ts';

/** A block header as the node sends it, without transactions: Ponder fetches what it needs of the block itself. */
export type RpcHeader = { number: Hex; hash: Hex; transactions: undefined };

type Subscriber = {
  /** Resolves to true when the block was indexed and committed, to false when it was known, refused or a reorg. */
  onBlock(header: RpcHeader): Promise<boolean>;
  onError(error: Error): void;
};

/** Ponder's access to the chain; it subscribes when it has indexed everything up to its final block. */
export type PonderRpc = { subscribe(subscriber: Subscriber): void };

export type Follower = {
  head: Head;
  /** True when everything that the chain had lately is indexed. */
  isFollowing(): boolean;
  stop(): void;
};

const POLL_MS = 200;
/** With a subscription the poll is there for what newHeads leaves out: the head at the start, and roll-backs. */
const POLL_WITH_SUBSCRIPTION_MS = 1_000;
/** How long the head of the chain may not be indexed before health says so. */
const FOLLOWING_MS = 10_000;
/** How long Ponder may refuse the head and index nothing else: it never gets out of a reorg below its final block. */
const STUCK_MS = 3_000;

/**
 * Stands between Ponder and its source of new blocks: knows of each block when it is committed, feeds the chain's head
 * to Ponder where Ponder itself would wait for the next block (at the start, after a reorg, when a reader waits), and
 * sees when Ponder is stuck.
 */
export function follow(
  rpc: PonderRpc,
  options: {
    isSubscribed: boolean;
    /** What Ponder has indexed when it subscribes. */
    finalBlock: Block;
    /** The header of the chain's last block; rejects when the chain does not answer. */
    latestHeader(): Promise<RpcHeader>;
    onIndexed(block: Block): void;
    /** Called once, when the head of the chain is indexed for the first time. */
    onFollowing(): void;
    onStuck(): void;
  },
): Follower {
  const subscribe = rpc.subscribe.bind(rpc);
  let onBlock: Subscriber['onBlock'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let followedAt = 0;
  let refusedSince: number | undefined;
  let headersSeen = 0;
  let isPolling = false;
  let pollAgain = false;
  const head = createHead(() => void poll());

  async function feed(header: RpcHeader): Promise<void> {
    headersSeen += 1;
    if (head.block?.hash === header.hash) return;
    head.rollBack(BigInt(header.number));
    if ((await onBlock?.(header)) !== true) return;
    const block = { number: BigInt(header.number), hash: header.hash };
    head.set(block);
    refusedSince = undefined;
    options.onIndexed(block);
  }

  async function catchUp(): Promise<void> {
    const seenBefore = headersSeen;
    const header = await options.latestHeader();
    // NOTE an answer that a newer header overtook must not reach Ponder, which would take it for a reorg.
    if (headersSeen !== seenBefore) return;
    await feed(header);
    // It may be ahead of this header by now.
    if (head.block !== undefined && head.block.number >= BigInt(header.number)) {
      if (followedAt === 0) options.onFollowing();
      followedAt = Date.now();
      return;
    }
    if (refusedSince === undefined) {
      // A reorg takes the block that it was seen by: the same block is accepted the next time.
      refusedSince = Date.now();
      pollAgain = true;
    } else if (Date.now() - refusedSince > STUCK_MS) {
      options.onStuck();
    }
  }

  async function poll(): Promise<void> {
    if (onBlock === undefined) return;
    pollAgain = true;
    if (isPolling) return;
    isPolling = true;
    try {
      while (pollAgain) {
        pollAgain = false;
        await catchUp();
      }
    } catch {
      // The chain does not answer: isFollowing tells, the next poll tries again.
    } finally {
      isPolling = false;
    }
  }

  rpc.subscribe = (subscriber) => {
    onBlock = subscriber.onBlock;
    head.set(options.finalBlock);
    if (options.isSubscribed) {
      subscribe({
        onError: subscriber.onError,
        onBlock: async (header) => {
          await feed(header);
          if (head.block?.hash !== header.hash) void poll();
          return true;
        },
      });
    }
    timer = setInterval(() => void poll(), options.isSubscribed ? POLL_WITH_SUBSCRIPTION_MS : POLL_MS);
    void poll();
  };

  return {
    head,
    isFollowing: () => Date.now() - followedAt < FOLLOWING_MS,
    stop: () => clearInterval(timer),
  };
}
