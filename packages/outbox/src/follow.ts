/** Tracks a stored transaction to its final state: broadcast, receipt, repricing, or loss of its nonce. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '@latchkey/chain/chain';
import { UnsettledTransactionError, withoutUrl } from '@latchkey/chain/errors';
import { inSpan } from '@latchkey/service/tracing';
import { within } from '@latchkey/service/within';
import type { Logger } from 'pino';
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Store, StoredTransaction } from './store.ts';
import {
  afterBroadcast,
  afterRebroadcast,
  pauseAfter,
  price,
  type Unmined,
  usualWait,
  type Verdict,
  whenDisplaced,
} from './transitions.ts';

const VERDICT_LOOKS = 5;
const VERDICT_PAUSE_MS = 250;

export type Outcome =
  | { status: 'mined' | 'reverted'; receipt: TransactionReceipt }
  /** Another transaction used its nonce, and it is not sent again. */
  | { status: 'replaced' };

/** Called when this process has settled a transaction, whichever process sent it. An outbox awaits it before it reports a success. */
type OnSettled = (
  transaction: Pick<StoredTransaction, 'account' | 'data'>,
  receipt: TransactionReceipt,
) => void | Promise<void>;

export type FollowOptions = {
  chain: Chain;
  store: Pick<Store, 'get' | 'settle' | 'raiseNonce' | 'touch'>;
  onSettled: OnSettled;
  /** Resolves to the reason of a revert, which is stored. */
  explain?: (transaction: StoredTransaction, receipt: TransactionReceipt) => Promise<string>;
  /** Age at which a transaction that was not mined is repriced. */
  repriceAfterMs: number;
  /** Number of blocks after which a transaction counts, including its own. */
  confirmations: number;
  /** The longest pause between two looks for a receipt while no logs are pushed. */
  longestPauseMs?: number;
  log: Logger;
};

type Sending = {
  broadcast: (transactions: StoredTransaction[]) => Promise<Verdict[]>;
  /** Stores a form with higher fees, and returns the transaction in it; unchanged when there is none. */
  reprice: (transaction: StoredTransaction) => Promise<StoredTransaction>;
  /** Gives the call another nonce, and returns it as it is stored now. Undefined for wallets, whose runs have signed with the nonce. */
  renumber: ((transaction: StoredTransaction) => Promise<StoredTransaction>) | undefined;
  /** Resolves to whether the chain has reached this block: the receipt in an earlier one counts. */
  isReached: (block: bigint) => Promise<boolean>;
  /**
   * Stores where a transaction was mined that does not count yet; without a receipt, that a reorg dropped it. Returns the transaction with that.
   */
  mark: (
    transaction: StoredTransaction,
    receipt: TransactionReceipt | undefined,
  ) => Promise<StoredTransaction>;
  /** Ends every `follow`, which then rejects with the signal's reason. */
  signal: AbortSignal;
};
type Following = FollowOptions & Sending;
type Resolved = { outcome: Outcome } | { transaction: StoredTransaction };

/** Resolves when the chain has decided. `verdict` is that of all broadcasts so far. */
export type Follow = (transaction: StoredTransaction, verdict: Verdict) => Promise<Outcome>;

export function createFollow(options: Following): Follow {
  const { chain, store, log, signal } = options;
  const openPauses = createPauses(options);

  /** Broadcasts the transaction again, at a higher price if it is overdue. Resolves to an outcome when its nonce is used. */
  const rebroadcast = async (known: StoredTransaction, state: Unmined) => {
    const transaction = (await store.touch(known.id)) ?? known;
    const mined = await countMined(chain, transaction);
    if (mined > transaction.nonce) {
      const resolved = await resolveNonce(options, transaction, { mined, isHeld: state.isHeld });
      if ('outcome' in resolved) return resolved;
      const isRenumbered = resolved.transaction.nonce !== transaction.nonce;
      return { ...resolved, state: isRenumbered ? afterBroadcast(performance.now(), 'unknown') : state };
    }
    let now = { transaction, state };
    if (mined === transaction.nonce) {
      const priced = price(state, await chain.refreshHead(), options.repriceAfterMs);
      now = { transaction, state: priced.state };
      if (priced.isOverdue) now.transaction = await options.reprice(transaction);
    }
    if (transaction.minedHash) now.transaction = await options.mark(now.transaction, undefined);
    const [verdict] = await options.broadcast([now.transaction]);
    now.state = { ...now.state, isHeld: state.isHeld || verdict !== 'refused' };
    return now;
  };

  return async (stored, verdict) => {
    let transaction = stored;
    let state = afterBroadcast(performance.now(), verdict);
    const nextPause = openPauses();
    if (verdict === 'accepted' && chain.isPushing()) await nextPause(transaction.hashes, 0);
    for (;;) {
      signal.throwIfAborted();
      const lookedAtMs = performance.now();
      try {
        const found = await findConfirmed(options, transaction);
        if (found?.counts) return await settle(options, transaction, found.receipt);
        transaction = found?.transaction ?? transaction;
        const due = afterRebroadcast(state, performance.now());
        if (due) {
          state = due;
          const now = await rebroadcast(transaction, state);
          if ('outcome' in now) return now.outcome;
          ({ transaction, state } = now);
        }
      } catch (error) {
        const { payer, nonce } = transaction;
        log.warn({ err: withoutUrl(error), payer, nonce }, 'transaction not settled yet');
      }
      await nextPause(transaction.hashes, performance.now() - lookedAtMs);
    }
  };
}

/** Resolves to the payer's count. That it is above the nonce is not the word of one node: later transactions would get nonces that are never mined. */
async function countMined(
  { client, heldByTwo }: Pick<Chain, 'client' | 'heldByTwo'>,
  { payer, nonce }: StoredTransaction,
): Promise<number> {
  const ask = (node: PublicClient) => node.getTransactionCount({ address: payer });
  const told = await ask(client);
  return told > nonce ? heldByTwo(ask) : told;
}

/** The parts of a receipt that are used. */
const verdictOf = ({ logs, ...receipt }: TransactionReceipt) => ({
  status: receipt.status,
  transactionHash: receipt.transactionHash,
  gasUsed: receipt.gasUsed,
  blockHash: receipt.blockHash,
  blockNumber: receipt.blockNumber,
  index: receipt.transactionIndex,
  logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
});

async function findReceipt(
  { chain }: Pick<Following, 'chain'>,
  hashes: Hex[],
): Promise<TransactionReceipt | undefined> {
  for (const hash of hashes.toReversed()) {
    const receipt = await chain
      .agreed((client) => client.getTransactionReceipt({ hash }), verdictOf)
      .catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      });
    if (receipt) return receipt;
  }
  return undefined;
}

type Found = { transaction: StoredTransaction; receipt: TransactionReceipt; counts: boolean };

/** Returns the receipt, and whether it counts: its block has enough confirmations and is still in the chain. */
async function findConfirmed(options: Following, transaction: StoredTransaction): Promise<Found | undefined> {
  const { hashes, minedHash, blockNumber } = transaction;
  const receipt = await findReceipt(options, hashes);
  if (!receipt) return undefined;
  if (options.confirmations === 1) return { transaction, receipt, counts: true };
  const isMarked = minedHash === receipt.transactionHash && blockNumber === receipt.blockNumber;
  const marked = isMarked ? transaction : await options.mark(transaction, receipt);
  if (!(await options.isReached(receipt.blockNumber + BigInt(options.confirmations - 1))))
    return { transaction: marked, receipt, counts: false };
  const confirmed = await findReceipt(options, hashes);
  if (confirmed?.blockHash !== receipt.blockHash) return undefined;
  return { transaction: marked, receipt: confirmed, counts: true };
}

async function settle(
  { chain, store, onSettled, explain }: Following,
  transaction: StoredTransaction,
  receipt: TransactionReceipt,
): Promise<Outcome> {
  const { blockNumber, blockHash, transactionIndex, transactionHash: minedHash } = receipt;
  const status = receipt.status === 'success' ? 'mined' : 'reverted';
  chain.saw(blockNumber);
  const reason = status === 'reverted' ? await explain?.(transaction, receipt) : undefined;
  await store.settle(transaction.id, { status, minedHash, blockNumber, blockHash, transactionIndex, reason });
  await onSettled(transaction, receipt);
  return { status, receipt };
}

/** Settles a transaction whose nonce is used, or gives it another one. It waits while the nodes, or later blocks, can still change that. */
async function resolveNonce(
  options: Following,
  transaction: StoredTransaction,
  { mined, isHeld }: { mined: number; isHeld: boolean },
): Promise<Resolved> {
  const { chain, store, log } = options;
  // Another process can have repriced it. The count was read before, so that no mined form is missed.
  const stored = (await store.get(transaction.id)) ?? transaction;
  const { id, payer, nonce } = stored;
  if (payer !== transaction.payer || nonce !== transaction.nonce) return { transaction: stored };
  // A node can return the new count a moment before the receipts of its block.
  for (let look = 0; look < VERDICT_LOOKS; look++) {
    const found = await findConfirmed(options, stored);
    if (found?.counts) return { outcome: await settle(options, stored, found.receipt) };
    if (found) return { transaction: found.transaction };
    await delay(VERDICT_PAUSE_MS);
  }
  // Later ones need not wait. When a reorg frees nonces again, they are filled.
  await store.raiseNonce(payer, mined);
  const { confirmations, renumber } = options;
  const canRenumber = renumber !== undefined;
  const { depth, becomes } = whenDisplaced(stored, { confirmations, isHeld, canRenumber });
  if (!(await isUsed(chain, stored, depth))) return { transaction: stored };
  if (becomes === 'renumbered' && renumber) return { transaction: await renumber(stored) };
  await store.settle(id, { status: 'replaced' });
  log.warn({ payer, nonce }, 'another transaction used the nonce');
  return { outcome: { status: 'replaced' } };
}

/** Resolves to whether the nonce is used at this depth. Two nodes must say so: one that is behind has no receipt, and one alone can lie. */
async function isUsed(
  chain: Pick<Chain, 'agreed' | 'refreshHead'>,
  { payer, nonce }: StoredTransaction,
  depth: bigint,
): Promise<boolean> {
  const blockNumber = (await chain.refreshHead()) - depth;
  if (blockNumber < 0n) return false;
  const at = depth === 0n ? {} : { blockNumber };
  return chain.agreed(
    async (client) => (await client.getTransactionCount({ address: payer, ...at })) > nonce,
    (answer) => answer,
  );
}

/** Returns a function per transaction that waits before the next look: until the log of the transaction arrives, or for a growing time. */
function createPauses({ chain, signal, longestPauseMs }: Following) {
  let usualLogMs = usualWait();
  return () => {
    const startedAt = performance.now();
    let waitMs = 0;
    let hasLog = false;
    return async (hashes: readonly Hex[], lookMs: number): Promise<void> => {
      // A node can push a log a moment before it returns the receipt.
      const pushed = chain.isPushing() && !hasLog ? { usualLogMs } : undefined;
      waitMs = pauseAfter(waitMs, lookMs, pushed, longestPauseMs);
      if (hasLog) return delay(waitMs, undefined, { signal }).catch(() => {});
      hasLog = await chain.awaitLog(hashes, waitMs, signal);
      if (!hasLog) return;
      usualLogMs = usualWait(usualLogMs, performance.now() - startedAt);
      waitMs = 0;
    };
  };
}

/** Resolves to the outcome. Rejects with `UnsettledTransactionError` after `timeoutMs`. */
export function receiptWithin(timeoutMs: number, outcome: Promise<Outcome>): Promise<Outcome> {
  const late = () => new UnsettledTransactionError('the transaction was not mined in time');
  return inSpan('receipt', () => within(timeoutMs, outcome, late));
}
