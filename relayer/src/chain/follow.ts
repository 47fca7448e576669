/** Tracks a stored transaction to its final state: broadcast, receipt, repricing, or loss of its nonce. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Address, type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Broadcast } from './broadcast.ts';
import type { Chain } from './chain.ts';
import { withoutUrl } from './errors.ts';
import type { Fees, Outbox, OutboxTransaction, Signed } from './outbox.ts';

const REBROADCAST_MS = 2_000;
/** Shorter than the time after which another process takes the transaction for lost. */
const LONGEST_REBROADCAST_MS = 8_000;
/** Pauses between two looks for a receipt. While logs are pushed, the log of the transaction ends the pause. */
const POLLED = { firstMs: 4, longestMs: 250 };
const PUSHED = { firstMs: 250, longestMs: 2_000 };
/**
 * A transaction that changes nothing, or reverts, has no log. The first pause is so many usual waits for a log, if that
 * is less than `PUSHED.firstMs`: few logs arrive later.
 */
const LOG_OVERDUE = 4;
const VERDICT_LOOKS = 5;
/** A transaction that costs this multiple of the market is missing in blocks for another reason than its fees. */
const HIGHEST_OF_MARKET = 8n;

export type Outcome =
  | { status: 'mined' | 'reverted'; receipt: TransactionReceipt }
  /** Another transaction used its nonce: it can never take effect. */
  | { status: 'replaced' };

type FollowerOptions = {
  chain: Chain;
  outbox: Outbox;
  sign: (payer: Address, nonce: number, call: Fees & { data: Hex; gas: bigint }) => Promise<Signed>;
  broadcast: Broadcast;
  onMined: (account: bigint, block: bigint) => void | Promise<void>;
  onGas: (data: Hex, receipt: Pick<TransactionReceipt, 'gasUsed' | 'status'>) => void;
  repriceAfterMs: number;
  log: Logger;
  /** Ends every `follow`, which then rejects with the signal's reason. */
  signal: AbortSignal;
};

export function createFollower({
  chain,
  outbox,
  sign,
  broadcast,
  onMined,
  onGas,
  repriceAfterMs,
  log,
  signal,
}: FollowerOptions) {
  const { client } = chain;
  let usualLogMs = PUSHED.firstMs;

  const findReceipt = async (hashes: Hex[]): Promise<TransactionReceipt | undefined> => {
    for (const hash of hashes.toReversed()) {
      const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      });
      if (receipt) return receipt;
    }
    return undefined;
  };

  const settle = async (transaction: OutboxTransaction, receipt: TransactionReceipt): Promise<Outcome> => {
    const { blockNumber, transactionIndex, transactionHash } = receipt;
    const status = receipt.status === 'success' ? 'mined' : 'reverted';
    chain.saw(blockNumber);
    await outbox.settle(transaction.id, {
      ...{ status, minedHash: transactionHash },
      ...{ blockNumber, transactionIndex },
    });
    onGas(transaction.data, receipt);
    if (status === 'mined') await onMined(transaction.account, blockNumber);
    return { status, receipt };
  };

  /** Returns the transaction unchanged when its fees are far above the market. */
  const reprice = async (transaction: OutboxTransaction): Promise<OutboxTransaction> => {
    const { id, payer, nonce, data, gas } = transaction;
    const market = await client.estimateFeesPerGas();
    // Nodes replace a pending transaction only when both fees are at least a tenth higher.
    const raised = (old: bigint, current: bigint) => {
      const least = (old * 1125n) / 1000n + 1n;
      return current > least ? current : least;
    };
    const fees = {
      maxFeePerGas: raised(transaction.maxFeePerGas, market.maxFeePerGas),
      maxPriorityFeePerGas: raised(transaction.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
    };
    const isInMarket =
      fees.maxFeePerGas <= HIGHEST_OF_MARKET * market.maxFeePerGas &&
      fees.maxPriorityFeePerGas <= HIGHEST_OF_MARKET * market.maxPriorityFeePerGas;
    // A market tip of zero allows no higher tip, but a maximum fee below the base fee needs another form.
    if (!isInMarket && transaction.maxFeePerGas >= market.maxFeePerGas) return transaction;
    const signed = await sign(payer, nonce, { data, gas, ...fees });
    await outbox.reprice(id, signed, fees);
    log.warn({ payer, nonce, hash: signed.hash }, 'transaction repriced');
    return { ...transaction, ...fees, raw: signed.raw, hashes: [...transaction.hashes, signed.hash] };
  };

  /** Checks whether the nonce is used. If it is, a form of the transaction was mined, or the transaction is lost. */
  const resolveNonce = async (transaction: OutboxTransaction, mined: number): Promise<Outcome> => {
    // Another process can have repriced it. The count was read before, so that no mined form is missed.
    const stored = (await outbox.get(transaction.id)) ?? transaction;
    // A node can return the new count a moment before the receipts of its block.
    for (let look = 0; look < VERDICT_LOOKS; look++) {
      const receipt = await findReceipt(stored.hashes);
      if (receipt) return settle(stored, receipt);
      await delay(POLLED.longestMs);
    }
    await outbox.syncNonce(stored.payer, mined);
    await outbox.settle(stored.id, { status: 'replaced' });
    log.warn({ payer: stored.payer, nonce: stored.nonce }, 'another transaction used the nonce');
    return { status: 'replaced' };
  };

  /** Resolves when the chain has decided. `accepted` says whether the node accepted the last broadcast. */
  const follow = async (stored: OutboxTransaction, accepted: boolean): Promise<Outcome> => {
    let transaction = stored;
    const startedAt = performance.now();
    let pricedAt = startedAt;
    let pricedIn: bigint | undefined;
    let sentAt = accepted ? startedAt : Number.NEGATIVE_INFINITY;
    let rebroadcastMs = REBROADCAST_MS;
    const nextPause = createPauses(chain.isPushing);
    if (accepted && chain.isPushing()) await nextPause(transaction.hashes);
    for (;;) {
      signal.throwIfAborted();
      try {
        const receipt = await findReceipt(transaction.hashes);
        if (receipt) return await settle(transaction, receipt);
        if (performance.now() - sentAt > rebroadcastMs) {
          sentAt = performance.now();
          rebroadcastMs = Math.min(2 * rebroadcastMs, LONGEST_REBROADCAST_MS);
          const mined = await client.getTransactionCount({ address: transaction.payer });
          if (mined > transaction.nonce) return await resolveNonce(transaction, mined);
          await outbox.touch(transaction.id);
          if (mined === transaction.nonce) {
            const head = await chain.refreshHead();
            pricedIn ??= head;
            // A chain without new blocks would take no transaction at any price.
            if (head > pricedIn && sentAt - pricedAt > repriceAfterMs) {
              [pricedAt, pricedIn] = [sentAt, head];
              transaction = await reprice(transaction);
            }
          }
          await broadcast([transaction]);
        }
      } catch (error) {
        const { payer, nonce } = transaction;
        log.warn({ err: withoutUrl(error), payer, nonce }, 'transaction not settled yet');
      }
      await nextPause(transaction.hashes);
    }
  };

  const pushed = () => ({ ...PUSHED, firstMs: Math.min(LOG_OVERDUE * usualLogMs, PUSHED.firstMs) });

  /** Returns the pause before the next look: until the log of the transaction arrives, or a growing time. */
  const createPauses = (isPushing: () => boolean) => {
    const startedAt = performance.now();
    let waitMs = 0;
    let hasLog = false;
    return async (hashes: readonly Hex[]): Promise<void> => {
      // A node can push a log a moment before it returns the receipt.
      const { firstMs, longestMs } = isPushing() && !hasLog ? pushed() : POLLED;
      waitMs = Math.min(Math.max(1.5 * waitMs, firstMs), longestMs);
      if (hasLog) return delay(waitMs, undefined, { signal }).catch(() => {});
      hasLog = await chain.awaitLog(hashes, waitMs, signal);
      if (!hasLog) return;
      usualLogMs += (performance.now() - startedAt - usualLogMs) / 4;
      waitMs = 0;
    };
  };

  return follow;
}
