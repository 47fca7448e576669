/** The block that a node decides by, and its maximum age. */
import type { Hash } from 'viem';

/** Maximum time by which a block may be ahead of the clock of the node: above it, the clock is wrong. */
const MAX_AHEAD_SEC = 5;

export type Block = { number: bigint; hash: Hash; timestampSec: number };

/** The chain answers, and the node cannot decide by its answer. The message is public. */
export class BehindError extends Error {
  override readonly name = 'BehindError';
}

/** The code or the owner of the contract is not the pinned one. The message is public. */
export class CodeError extends Error {
  override readonly name = 'CodeError';
}

export const blockFrom = (block: { number: bigint; hash: Hash; timestamp: bigint }): Block => ({
  number: block.number,
  hash: block.hash,
  timestampSec: Number(block.timestamp),
});

/** Time since the block in seconds, by the clock of the node. Negative when the block is ahead. */
export const ageSec = ({ timestampSec }: Block): number => Date.now() / 1_000 - timestampSec;

/** Returns why a block is too old to decide by, undefined otherwise. With a limit of 0, block times are not compared with the clock. */
export function staleness(block: Block, maxAgeSec: number): string | undefined {
  const age = ageSec(block);
  if (maxAgeSec === 0) return undefined;
  if (age > maxAgeSec) return `the newest block is ${Math.round(age)} s old, the limit is ${maxAgeSec} s`;
  // By a clock that is behind, an old block can look fresh.
  if (age < -MAX_AHEAD_SEC)
    return `the newest block is ${Math.round(-age)} s ahead of the clock of this node`;
  return undefined;
}
