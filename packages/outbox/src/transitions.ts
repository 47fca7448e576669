/** The states of a broadcast transaction, as pure functions: `follow.ts` asks the chain, and applies them. */
import type { Fees, StoredTransaction } from './store.ts';

const REBROADCAST_MS = 2_000;
/** A pending transaction that no process has touched for this long has lost its process. */
export const ORPHAN_SEC = 20;
/** Shorter than the time after which another process takes the transaction for lost. */
const LONGEST_REBROADCAST_MS = 8_000;
/** A transaction that costs this multiple of the market is missing in blocks for another reason than its fees. */
const HIGHEST_OF_MARKET = 8n;
/** Pauses between two looks for a receipt. While logs are pushed, the log of the transaction ends the pause. */
const POLLED = { firstMs: 4, longestMs: 250 };
const PUSHED = { firstMs: 250, longestMs: 2_000 };
/**
 * A pause has at least this multiple of the time that the look before it took: many transactions must not keep a slow node slow. Up to a longest
 * pause, after which other processes do not take the transaction for lost yet.
 */
const PAUSE_PER_LOOK = 3;
const LONGEST_PAUSE_MS = 4_000;
/**
 * First pause in usual waits for a log, if that is less than `PUSHED.firstMs`: few logs arrive later, and a transaction that changes
 * nothing, or reverts, has no log.
 */
const LOG_OVERDUE = 4;

/**
 * The answer of nodes to a broadcast: `accepted` now; `refused`, because the nonce is used; `unknown`: a node can have the transaction already, or be
 * down. One that was refused at its first broadcast is in no mempool, as long as no other process has taken it for lost.
 */
export type Verdict = 'accepted' | 'refused' | 'unknown';

/** A transaction without a receipt. Times are by `performance.now`. */
export type Unmined = {
  /** A node can have it: nodes refuse one whose nonce is used. */
  isHeld: boolean;
  sentAtMs: number;
  rebroadcastMs: number;
  pricedAtMs: number;
  /** The head when its nonce became the next one, or when it was repriced. */
  pricedIn: bigint | undefined;
};

export const afterBroadcast = (nowMs: number, verdict: Verdict): Unmined => ({
  isHeld: verdict !== 'refused',
  sentAtMs: verdict === 'accepted' ? nowMs : Number.NEGATIVE_INFINITY,
  rebroadcastMs: REBROADCAST_MS,
  pricedAtMs: nowMs,
  pricedIn: undefined,
});

/** Returns the state after the next broadcast; undefined until it is due. */
export function afterRebroadcast(state: Unmined, nowMs: number): Unmined | undefined {
  if (nowMs - state.sentAtMs <= state.rebroadcastMs) return undefined;
  const rebroadcastMs = Math.min(2 * state.rebroadcastMs, LONGEST_REBROADCAST_MS);
  return { ...state, sentAtMs: nowMs, rebroadcastMs };
}

/** Returns the state of a transaction with the payer's next nonce at `head`, and whether it must be repriced. */
export function price(
  state: Unmined,
  head: bigint,
  repriceAfterMs: number,
): { state: Unmined; isOverdue: boolean } {
  const { sentAtMs, pricedAtMs, pricedIn = head } = state;
  // A chain without new blocks would take no transaction at any price.
  const isOverdue = head > pricedIn && sentAtMs - pricedAtMs > repriceAfterMs;
  return {
    state: isOverdue ? { ...state, pricedAtMs: sentAtMs, pricedIn: head } : { ...state, pricedIn },
    isOverdue,
  };
}

export function higher(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

export function lower(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** Returns the least fees that replace the fees of a pending transaction: nodes want both a tenth higher. */
export function leastFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
  const raised = (fee: bigint) => (fee * 1125n) / 1000n + 1n;
  return { maxFeePerGas: raised(maxFeePerGas), maxPriorityFeePerGas: raised(maxPriorityFeePerGas) };
}

/** True when another reason than its fees keeps a transaction out of blocks. */
export const isFarAbove = (fees: Fees, market: Fees): boolean =>
  fees.maxFeePerGas > HIGHEST_OF_MARKET * market.maxFeePerGas ||
  fees.maxPriorityFeePerGas > HIGHEST_OF_MARKET * market.maxPriorityFeePerGas;

/** Returns the fees that replace the fees of a pending transaction; undefined when they are far above the market. */
export function raiseFees(old: Fees, market: Fees): Fees | undefined {
  const least = leastFees(old);
  const maxFeePerGas = higher(least.maxFeePerGas, market.maxFeePerGas);
  const maxPriorityFeePerGas = higher(least.maxPriorityFeePerGas, market.maxPriorityFeePerGas);
  const isInMarket = !isFarAbove({ maxFeePerGas, maxPriorityFeePerGas }, market);
  // A market tip of zero allows no higher tip, but a maximum fee below the base fee needs another form.
  const isTooLow = old.maxFeePerGas < market.maxFeePerGas;
  return isInMarket || isTooLow ? { maxFeePerGas, maxPriorityFeePerGas } : undefined;
}

/** How long logs of transactions usually take. */
export const usualWait = (usualMs = PUSHED.firstMs, waitedMs = usualMs): number =>
  usualMs + (waitedMs - usualMs) / 4;

/** Returns the pause after `lastMs`, 0 for the first, and after a look that took `lookMs`. */
export function pauseAfter(
  lastMs: number,
  lookMs: number,
  pushed: { usualLogMs: number } | undefined,
  longestPolledMs = POLLED.longestMs,
): number {
  const { firstMs, longestMs } = pushed
    ? { ...PUSHED, firstMs: Math.min(LOG_OVERDUE * pushed.usualLogMs, PUSHED.firstMs) }
    : { ...POLLED, longestMs: longestPolledMs };
  const growingMs = Math.min(Math.max(1.5 * lastMs, firstMs), longestMs);
  return Math.max(growingMs, Math.min(PAUSE_PER_LOOK * lookMs, LONGEST_PAUSE_MS));
}

/** Depth below which a block is final. */
export const FINAL_BLOCKS = 64n;

/** The end of a transaction without a receipt once the nonce is used at this depth below the head. */
export type Displaced = { depth: bigint; becomes: 'replaced' | 'renumbered' };

/**
 * Returns what becomes of a transaction whose nonce another one has used: one of a payer is sent again with another nonce, unless the operator has
 * cancelled it, or it has no call. One of a wallet is signed for its nonce only, and is replaced: who reads that can send another one. Both wait
 * until the other transaction is final, because a reorg that drops it can bring this one back, and both would take effect. Only a write that no node
 * has taken is sent again earlier: its request waits.
 */
export function whenDisplaced(
  {
    status,
    droppedAt,
    cancelRequestedAt,
    data,
  }: Pick<StoredTransaction, 'status' | 'droppedAt' | 'cancelRequestedAt' | 'data'>,
  { confirmations, isHeld, canRenumber }: { confirmations: number; isHeld: boolean; canRenumber: boolean },
): Displaced {
  // Its request can have been answered.
  const hasSucceeded = status === 'mined' || droppedAt !== null;
  const isOver = data === '0x' || (cancelRequestedAt !== null && !hasSucceeded);
  return {
    depth: hasSucceeded || isHeld || !canRenumber ? FINAL_BLOCKS : BigInt(confirmations - 1),
    becomes: canRenumber && !isOver ? 'renumbered' : 'replaced',
  };
}
/** Nonces of a payer: the next one as stored and by the chain and its mempool, and the lowest from there on whose transaction is pending or not final. */
export type Nonces = { stored: number; inChain: number; firstOpen: number | undefined };

/** True when the stored nonce was ahead of the chain before and now, and neither has changed. */
export const isAhead = (before: Nonces | undefined, { stored, inChain }: Nonces): boolean =>
  stored > inChain && before?.stored === stored && before.inChain === inChain;

/** Returns how many nonces from the chain's on have been without a transaction before and now, so that later ones wait for them. */
export function gap(before: Nonces | undefined, { inChain, firstOpen = inChain }: Nonces): number {
  if (before?.inChain !== inChain || before.firstOpen !== firstOpen) return 0;
  return firstOpen - inChain;
}
