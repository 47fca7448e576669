import type { Hex } from 'viem';
import { type Block, createHead, type Head } from './head.ts';

/** A block header as the node sends it, without transactions: Ponder fetches the parts of the block that it needs. */
export type RpcHeader = { number: Hex; hash: Hex; parentHash: Hex; transactions: undefined };

type Subscriber = {
  /** Resolves to true when the block was indexed and committed; to false when it was known, refused or a reorg. */
  onBlock(header: RpcHeader): Promise<boolean>;
};

/** Ponder's access to the chain. Ponder subscribes when it has indexed everything up to its final block. */
export type PonderRpc = {
  subscribe(subscriber: Subscriber): void;
  request(request: RpcRequest, context?: unknown): Promise<unknown>;
};

type RpcRequest = { method: string; params?: unknown };

/** The chain. Rejects when it does not answer. */
export type Chain = {
  header(block: bigint | 'latest'): Promise<RpcHeader | null>;
  request(request: RpcRequest): Promise<unknown>;
  /** Announces blocks; absent without a subscription. */
  announce?: ((onHead: (header: RpcHeader) => void) => Disposable) | undefined;
};

export type Follower = {
  head: Head;
  /** Returns true when all recent blocks of the chain are indexed. */
  isFollowing(): boolean;
  stop(): void;
};

const POLL_MS = 200;
/** With a subscription, the poll finds only what newHeads omits: the head at the start, and roll-backs. */
const POLL_WITH_SUBSCRIPTION_MS = 1_000;
/** Blocks that Ponder gets in one step; it ignores a gap of more than fifty blocks before a given block. */
export const STRIDE = 20n;
/** Maximum age of an unindexed head before health reports it. */
const FOLLOWING_MS = 10_000;
/** Time for which Ponder may refuse blocks: it never recovers from a reorg below its final block. */
const STUCK_MS = 3_000;

type Options = {
  chain: Chain;
  /** The last block that Ponder has indexed when it subscribes. */
  finalBlock: Block;
  /** Awaited before Ponder gets the next block. */
  onIndexed(block: Block): Promise<void>;
  /** Called once, when the head of the chain is indexed for the first time. */
  onFollowing(): void;
  onStuck(): void;
};

type State = Options & {
  head: Head;
  onBlock?: Subscriber['onBlock'];
  followedAt: number;
  refusedSince: number | undefined;
  isPolling: boolean;
  pollAgain: boolean;
};

/** Resolves to null when the chain was rolled back meanwhile and does not have the block. */
async function nextHeader({ chain, head }: State, latest: RpcHeader): Promise<RpcHeader | null> {
  const reach = (head.block?.number ?? 0n) + STRIDE;
  return BigInt(latest.number) > reach ? chain.header(reach) : latest;
}

/** Gives Ponder a block; the next poll gives a refused one again. */
async function feed(state: State, header: RpcHeader): Promise<void> {
  const block = { number: BigInt(header.number), hash: header.hash };
  state.head.rollBack(block.number);
  if (await state.onBlock?.(header)) {
    state.head.set(block);
    await state.onIndexed(block);
    state.refusedSince = undefined;
  } else if (state.refusedSince === undefined) {
    // Ponder drops the block that revealed a reorg: it accepts the same block the next time.
    state.refusedSince = Date.now();
    state.pollAgain = true;
  } else if (Date.now() - state.refusedSince > STUCK_MS) {
    state.onStuck();
  }
}

async function catchUp(state: State, announced: RpcHeader | undefined): Promise<void> {
  const { chain, head } = state;
  const isNext = announced?.parentHash === head.block?.hash;
  const latest = announced && isNext ? announced : await chain.header('latest');
  const header = latest && (await nextHeader(state, latest));
  if (header === null) return;
  if (head.block?.hash !== header.hash) await feed(state, header);
  if (head.block?.hash !== header.hash) return;
  if (header !== latest) {
    state.pollAgain = true;
    return;
  }
  if (state.followedAt === 0) state.onFollowing();
  state.followedAt = Date.now();
}

/** @param announced - A new block: the head of the chain, unless earlier blocks are still being indexed. */
async function poll(state: State, announced?: RpcHeader): Promise<void> {
  if (state.onBlock === undefined) return;
  state.pollAgain = true;
  if (state.isPolling) return;
  state.isPolling = true;
  try {
    for (let next = announced; state.pollAgain; next = undefined) {
      state.pollAgain = false;
      await catchUp(state, next);
    }
  } catch {
    // The chain does not answer: isFollowing reports it, and the next poll retries.
  } finally {
    state.isPolling = false;
  }
}

/**
 * Replaces Ponder's source of new blocks and feeds it one block at a time: the current head, or a block on the way to
 * it. Ponder therefore never works through a queue of blocks that a reorg has replaced, gets the head where it would
 * wait for the next block (at the start, after a reorg, when a reader waits), and knows each block when it is committed.
 */
export function follow(rpc: PonderRpc, options: Options): Follower {
  const { chain, finalBlock } = options;
  const stopping = new DisposableStack();
  const head = createHead(() => void poll(state));
  const state: State = {
    ...options,
    head,
    followedAt: 0,
    refusedSince: undefined,
    isPolling: false,
    pollAgain: false,
  };

  rpc.subscribe = ({ onBlock }) => {
    state.onBlock = onBlock;
    head.set(finalBlock);
    // Ponder limits itself to 20 requests a second, too few for ten blocks a second, and requests ten times, over a minute, what a
    // reorg has replaced.
    rpc.request = (body) => chain.request(body);
    const announcing = chain.announce?.((header) => void poll(state, { ...header, transactions: undefined }));
    if (announcing) stopping.use(announcing);
    stopping.adopt(
      setInterval(() => void poll(state), announcing ? POLL_WITH_SUBSCRIPTION_MS : POLL_MS),
      clearInterval,
    );
    void poll(state);
  };

  return {
    head,
    isFollowing: () => Date.now() - state.followedAt < FOLLOWING_MS,
    stop: () => stopping.dispose(),
  };
}
