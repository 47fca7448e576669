/** Tracks a stored transaction to its final state: broadcast, receipt, repricing, or loss of its nonce. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '@latchkey/chain/chain';
import { SignerError, withoutUrl } from '@latchkey/chain/errors';
import type { Logger } from 'pino';
import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Signed, Store, StoredTransaction, Unsigned } from './store.ts';
import {
  afterBroadcast,
  afterRebroadcast,
  pauseAfter,
  price,
  raiseFees,
  type Unmined,
  usualWait,
  whenDisplaced,
} from './transitions.ts';

const VERDICT_LOOKS = 5;
const VERDICT_PAUSE_MS = 250;

export type Outcome =
  | { status: 'mined' | 'reverted'; receipt: TransactionReceipt }
  /** Another transaction used its nonce: it can never take effect. */
  | { status: 'replaced' };

/** Called when this process has settled a transaction, whichever process sent it. An outbox awaits it before it reports a success. */
type OnSettled = (
  transaction: Pick<StoredTransaction, 'account' | 'data'>,
  receipt: TransactionReceipt,
) => void | Promise<void>;

export type FollowOptions = {
  chain: Chain;
  store: Pick<Store, 'get' | 'reprice' | 'settle' | 'raiseNonce' | 'touch'>;
  onSettled: OnSettled;
  onRepriced?: () => void;
  /** Age at which a transaction that was not mined is repriced. */
  repriceAfterMs: number;
  /** The highest maximum fee per gas that payers offer, in wei. */
  feeCeiling?: bigint | undefined;
  /** Number of blocks after which a transaction counts, including its own. */
  confirmations: number;
  log: Logger;
};

type Sending = {
  sign: (transaction: Unsigned) => Promise<Signed>;
  broadcast: (transactions: StoredTransaction[]) => Promise<boolean[]>;
  /** Sends the call with another nonce, and returns it as it is stored now. */
  renumber: (transaction: StoredTransaction) => Promise<StoredTransaction>;
  /** Ends every `follow`, which then rejects with the signal's reason. */
  signal: AbortSignal;
};
type Following = FollowOptions & Sending;
type Resolved = { outcome: Outcome } | { transaction: StoredTransaction };

/** Resolves when the chain has decided. `isAccepted` says whether the node accepted the last broadcast. */
export type Follow = (transaction: StoredTransaction, isAccepted: boolean) => Promise<Outcome>;

export function createFollow(options: Following): Follow {
  const { chain, store, log, signal } = options;
  const openPauses = createPauses(options);

  /** Broadcasts the transaction again, at a higher price if it is overdue. Resolves to an outcome when its nonce is used. */
  const rebroadcast = async (known: StoredTransaction, state: Unmined) => {
    const transaction = (await store.touch(known.id)) ?? known;
    const mined = await chain.client.getTransactionCount({ address: transaction.payer });
    if (mined > transaction.nonce) {
      const resolved = await resolveNonce(options, transaction, mined);
      if ('outcome' in resolved) return resolved;
      const isRenumbered = resolved.transaction.nonce !== transaction.nonce;
      return { ...resolved, state: isRenumbered ? afterBroadcast(performance.now(), false) : state };
    }
    let now = { transaction, state };
    if (mined === transaction.nonce) {
      const priced = price(state, await chain.refreshHead(), options.repriceAfterMs);
      now = { transaction, state: priced.state };
      if (priced.isOverdue) now.transaction = await reprice(options, transaction);
    }
    await options.broadcast([now.transaction]);
    return now;
  };

  return async (stored, isAccepted) => {
    let transaction = stored;
    let state = afterBroadcast(performance.now(), isAccepted);
    const nextPause = openPauses();
    if (isAccepted && chain.isPushing()) await nextPause(transaction.hashes, 0);
    for (;;) {
      signal.throwIfAborted();
      const lookedAtMs = performance.now();
      try {
        const receipt = await findConfirmed(options, transaction.hashes);
        if (receipt) return await settle(options, transaction, receipt);
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

/** Returns the receipt once its block has enough confirmations and is still in the chain. Rejects when they take long. */
async function findConfirmed(
  options: Pick<Following, 'chain' | 'confirmations'>,
  hashes: Hex[],
): Promise<TransactionReceipt | undefined> {
  const receipt = await findReceipt(options, hashes);
  if (!receipt || options.confirmations === 1) return receipt;
  await options.chain.reach(receipt.blockNumber + BigInt(options.confirmations - 1));
  const confirmed = await findReceipt(options, hashes);
  return confirmed?.blockHash === receipt.blockHash ? confirmed : undefined;
}

async function settle(
  { chain, store, onSettled }: Following,
  transaction: StoredTransaction,
  receipt: TransactionReceipt,
): Promise<Outcome> {
  const { blockNumber, blockHash, transactionIndex, transactionHash: minedHash } = receipt;
  const status = receipt.status === 'success' ? 'mined' : 'reverted';
  chain.saw(blockNumber);
  await store.settle(transaction.id, { status, minedHash, blockNumber, blockHash, transactionIndex });
  await onSettled(transaction, receipt);
  return { status, receipt };
}

/** Returns the transaction unchanged when its fees are far above the market, would be above the ceiling, or its payer cannot sign. */
async function reprice(
  { chain, store, sign, feeCeiling, log, onRepriced }: Following,
  transaction: StoredTransaction,
): Promise<StoredTransaction> {
  const { id, payer, nonce } = transaction;
  const fees = raiseFees(transaction, await chain.client.estimateFeesPerGas());
  if (!fees || (feeCeiling !== undefined && fees.maxFeePerGas > feeCeiling)) return transaction;
  const signed = await sign({ ...transaction, ...fees }).catch((error: unknown) => {
    if (!(error instanceof SignerError)) throw error;
    log.warn({ payer, nonce, err: error }, 'failed to reprice transaction');
  });
  if (!signed) return transaction;
  await store.reprice(id, signed, fees);
  onRepriced?.();
  log.warn({ payer, nonce, hash: signed.hash }, 'transaction repriced');
  return { ...transaction, ...fees, raw: signed.raw, hashes: [...transaction.hashes, signed.hash] };
}

/** Settles a transaction whose nonce is used, or sends it with another one. It waits while the nodes, or later blocks, can still change that. */
async function resolveNonce(
  options: Following,
  transaction: StoredTransaction,
  mined: number,
): Promise<Resolved> {
  const { chain, store, log } = options;
  // Another process can have repriced it. The count was read before, so that no mined form is missed.
  const stored = (await store.get(transaction.id)) ?? transaction;
  const { id, payer, nonce } = stored;
  if (payer !== transaction.payer || nonce !== transaction.nonce) return { transaction: stored };
  // A node can return the new count a moment before the receipts of its block.
  for (let look = 0; look < VERDICT_LOOKS; look++) {
    const receipt = await findConfirmed(options, stored.hashes);
    if (receipt) return { outcome: await settle(options, stored, receipt) };
    await delay(VERDICT_PAUSE_MS);
  }
  const { depth, becomes } = whenDisplaced(stored, options.confirmations);
  if (!(await isUsed(chain, stored, depth))) return { transaction: stored };
  await store.raiseNonce(payer, mined);
  if (becomes === 'renumbered') return { transaction: await options.renumber(stored) };
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
function createPauses({ chain, signal }: Following) {
  let usualLogMs = usualWait();
  return () => {
    const startedAt = performance.now();
    let waitMs = 0;
    let hasLog = false;
    return async (hashes: readonly Hex[], lookMs: number): Promise<void> => {
      // A node can push a log a moment before it returns the receipt.
      waitMs = pauseAfter(waitMs, lookMs, chain.isPushing() && !hasLog ? { usualLogMs } : undefined);
      if (hasLog) return delay(waitMs, undefined, { signal }).catch(() => {});
      hasLog = await chain.awaitLog(hashes, waitMs, signal);
      if (!hasLog) return;
      usualLogMs = usualWait(usualLogMs, performance.now() - startedAt);
      waitMs = 0;
    };
  };
}
