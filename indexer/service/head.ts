import type { Hex } from 'viem';

export type Block = { number: bigint; hash: Hex };

export type Head = {
  /** The last completely indexed block; undefined before Ponder follows the chain. */
  readonly block: Block | undefined;
  /** Call when `block` is completely committed. */
  set(block: Block): void;
  /** Call when the chain was rolled back below `number`: later indexed blocks are no longer on the chain. */
  rollBack(number: bigint): void;
  /** Resolves to true as soon as block `number` is indexed, and to false after `timeoutMs`. */
  reaches(number: bigint, timeoutMs: number): Promise<boolean>;
};

/**
 * Creates the head of the index.
 *
 * @param onWanted Called when a reader waits for a block that is not indexed yet.
 */
export function createHead(onWanted: () => void): Head {
  let block: Block | undefined;
  const waiting = new Set<{ number: bigint; resolve: (reached: boolean) => void }>();
  return {
    get block() {
      return block;
    },
    set(next) {
      block = next;
      for (const { number, resolve } of waiting) if (number <= next.number) resolve(true);
    },
    rollBack(number) {
      if (block && block.number >= number) block = { number: number - 1n, hash: '0x' };
    },
    async reaches(number, timeoutMs) {
      if (block && block.number >= number) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiter = { number, resolve };
      waiting.add(waiter);
      const timer = setTimeout(() => resolve(false), timeoutMs);
      onWanted();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(waiter);
      }
    },
  };
}
