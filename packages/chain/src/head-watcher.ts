import { setTimeout as delay } from 'node:timers/promises';
import { ChainUnavailableError } from './errors.ts';

const DEADLINE_MS = 10_000;
const POLL_MS = 50;
/** Maximum distance of a block that can be awaited. No client has seen a later block. */
const FARTHEST_AWAITED = 100n;

/** The node responded and does not have the block. */
export class BlockNotReachedError extends ChainUnavailableError {
  /** True when the block is too far ahead to be awaited. */
  readonly isFarAhead: boolean;

  constructor(block: bigint, head: bigint, isFarAhead: boolean) {
    super(`the node did not reach block ${block}: its head is ${head}`);
    this.isFarAhead = isFarAhead;
  }
}

export type HeadWatcher = {
  /**
   * Resolves when the head is `block` or later. Rejects with `BlockNotReachedError`, or with the error of reading the
   * head.
   */
  reach: (block: bigint) => Promise<void>;
  /** Resolves the waits for known blocks. */
  settle: () => void;
};

type Waiter = { block: bigint; deadline: number; resolve: () => void; reject: (error: unknown) => void };

/**
 * Waits for blocks on behalf of any number of callers with one poll of the head, every 50 ms at most and only while a
 * caller waits.
 *
 * @param known - Returns the highest known block, which `readHead` changes.
 */
export function createHeadWatcher(readHead: () => Promise<unknown>, known: () => bigint): HeadWatcher {
  const waiters = new Set<Waiter>();
  let lastPollMs = Number.NEGATIVE_INFINITY;
  let isPolling = false;

  const end = (waiter: Waiter, error?: unknown): void => {
    waiters.delete(waiter);
    if (error === undefined) waiter.resolve();
    else waiter.reject(error);
  };
  const settle = (): void => {
    for (const waiter of [...waiters]) if (waiter.block <= known()) end(waiter);
  };
  const judge = (): void => {
    const now = performance.now();
    for (const waiter of [...waiters]) {
      const isFarAhead = waiter.block > known() + FARTHEST_AWAITED;
      if (isFarAhead || now > waiter.deadline)
        end(waiter, new BlockNotReachedError(waiter.block, known(), isFarAhead));
    }
  };
  const poll = async (): Promise<void> => {
    isPolling = true;
    while (waiters.size > 0) {
      const restMs = lastPollMs + POLL_MS - performance.now();
      if (restMs > 0) await delay(restMs);
      lastPollMs = performance.now();
      try {
        await readHead();
        settle();
        judge();
      } catch (error) {
        for (const waiter of [...waiters]) end(waiter, error);
      }
    }
    isPolling = false;
  };

  return {
    settle,
    async reach(block) {
      if (known() >= block) return;
      const reached = new Promise<void>((resolve, reject) => {
        waiters.add({ block, deadline: performance.now() + DEADLINE_MS, resolve, reject });
      });
      if (!isPolling) void poll();
      await reached;
    },
  };
}
