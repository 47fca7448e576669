/** Checks what a reorg or a lost block can have undone: the blocks of mined transactions, and the nonces of payers. */
import type { Chain } from '@latchkey/chain/chain';
import { toChainError, withoutUrl } from '@latchkey/chain/errors';
import type { Logger } from 'pino';
import { type Address, BlockNotFoundError } from 'viem';
import type { Outcome } from './follow.ts';
import { type Broadcast, MAX_TOGETHER, type Settlements, type Sign, signFiller } from './lanes.ts';
import { type GasMarket, simulate } from './market.ts';
import type { MinedBlock, Store, StoredTransaction } from './store.ts';
import { FINAL_BLOCKS, gap, isAhead, lower, type Nonces } from './transitions.ts';

type Reopening = {
  chain: Pick<Chain, 'agreed' | 'refreshHead'>;
  store: Pick<Store, 'blocksFrom' | 'lastBlock' | 'reopen'>;
  log: Logger;
};

/**
 * Returns a function that makes transactions pending again whose blocks are no longer in the chain, and returns them. It looks at the blocks that
 * were not final at its last call without a failure: the chain can have been out of reach since. A block that fails does not keep the others.
 */
export function createReopening({ chain, store, log }: Reopening): () => Promise<StoredTransaction[]> {
  let checked: bigint | undefined;
  // A node without the block can be behind: only another block at its height shows that it was replaced. One node alone could hide that a reorg has
  // dropped a transaction until it is too late to send it again, or have settled ones pending all the time.
  const isReplaced = async ({ number, hash }: MinedBlock): Promise<boolean> => {
    const block = await chain
      .agreed(
        (client) => client.getBlock({ blockNumber: number }),
        (found) => found.hash,
      )
      .catch((error: unknown) => {
        if (error instanceof BlockNotFoundError) return undefined;
        throw error;
      });
    return block !== undefined && block.hash !== hash;
  };
  return async () => {
    const head = await chain.refreshHead();
    // Before the first call, other processes have looked up to the last block that they stored.
    const before = checked ?? (await store.lastBlock()) ?? head;
    const reopened: StoredTransaction[] = [];
    let hasFailed = false;
    const blocks = await store.blocksFrom(lower(before, head) - FINAL_BLOCKS);
    // Together: a node that loses a reply costs seconds.
    const found = await Promise.allSettled(blocks.map(isReplaced));
    for (const [index, block] of blocks.entries()) {
      const number = String(block.number);
      try {
        const read = found[index];
        if (read?.status === 'rejected') throw withoutUrl(read.reason);
        if (!read?.value) continue;
        const dropped = await store.reopen(block);
        log.warn({ block: number, count: dropped.length }, 'a reorg replaced a block with transactions');
        reopened.push(...dropped);
      } catch (err) {
        hasFailed = true;
        log.error({ err, block: number }, 'failed to check a block with transactions');
      }
    }
    checked = hasFailed ? before : head;
    return reopened;
  };
}

type Reading = {
  chain: Pick<Chain, 'head' | 'heldByTwo'>;
  store: Pick<Store, 'nextNonce' | 'raiseNonce' | 'lowerNonce'>;
};

/** Sets the next nonces of payers to those of the chain and its mempool. */
export async function readNonces({ chain, store }: Reading, payers: readonly Address[]): Promise<void> {
  for (const payer of payers) {
    const known = await store.nextNonce(payer);
    const nonce = await countOf(chain, payer).catch((error: unknown) => {
      throw toChainError(error);
    });
    await store.raiseNonce(payer, nonce);
    if (known !== undefined && known > nonce)
      await store.lowerNonce(payer, known, nonce, firstNotFinal(chain));
  }
}

const countOf = ({ heldByTwo }: Pick<Chain, 'heldByTwo'>, address: Address): Promise<number> =>
  heldByTwo((client) => client.getTransactionCount({ address, blockTag: 'pending' }));
const firstNotFinal = (chain: Pick<Chain, 'head'>): bigint => chain.head() - FINAL_BLOCKS;

type Healing = {
  chain: Pick<Chain, 'client' | 'head' | 'heldByTwo' | 'sendRawTransactions'>;
  store: Pick<Store, 'nextNonce' | 'lowerNonce' | 'firstOpen'>;
  market: Pick<GasMarket, 'fees'>;
  sign: Sign;
  maxPending: number;
  log: Logger;
};

/**
 * Returns a function that corrects what it found in two calls in a row: a nonce of a payer that is ahead of the chain, without a pending
 * transaction there, becomes the chain's; nonces without a transaction before a pending one are filled with transfers of nothing. A block with
 * transactions of other programs was lost, or the database was restored. More nonces than those of a payer in flight and of blocks that a reorg can
 * drop were never in use: each transfer costs gas, so none of them is filled.
 */
export function createNonceHealing(options: Healing): (payer: Address) => Promise<void> {
  const { chain, store, market, sign, maxPending, log } = options;
  const before = new Map<Address, Nonces>();
  const mostFilled = maxPending + Number(FINAL_BLOCKS);
  const fill = async (payer: Address, { inChain }: Nonces, missing: number): Promise<void> => {
    for (let nonce = inChain; nonce < inChain + missing; nonce++) {
      const { raw, hash } = await signFiller(chain, sign, { payer, nonce }, await market.fees());
      const [error] = await chain.sendRawTransactions([raw]);
      const err = error === undefined ? undefined : withoutUrl(error);
      log.warn({ payer, nonce, hash, err }, 'transactions of a payer waited for a nonce without one');
    }
  };
  return async (payer) => {
    const stored = await store.nextNonce(payer);
    if (stored === undefined) return;
    const inChain = await countOf(chain, payer);
    const notFinal = firstNotFinal(chain);
    const now = { stored, inChain, firstOpen: await store.firstOpen(payer, inChain, notFinal) };
    const isLowered =
      isAhead(before.get(payer), now) && (await store.lowerNonce(payer, stored, inChain, notFinal));
    if (isLowered) log.warn({ payer, ...now }, 'the nonce of a payer was ahead of the chain');
    const missing = gap(before.get(payer), now);
    if (missing <= mostFilled) await fill(payer, now, missing);
    else log.error({ payer, ...now }, 'pending transactions of a payer have nonces far ahead of the chain');
    before.set(payer, now);
  };
}

type Resuming = {
  settlements: Settlements;
  broadcast: Broadcast;
  /** Called with the outcome of a transaction that had succeeded before a reorg. */
  onLost?: (transaction: StoredTransaction, outcome: Outcome) => Promise<void>;
  log: Logger;
};

/**
 * Follows pending transactions that no process follows, also of payers whose keys are no longer configured. They are broadcast together: hundreds
 * can wait when blocks were lost, and a node that loses a reply costs seconds.
 *
 * @param transactions - In nonce order.
 */
export async function resume(
  { settlements, broadcast, onLost, log }: Resuming,
  transactions: readonly StoredTransaction[],
): Promise<void> {
  const left = transactions.filter(({ id }) => !settlements.has(id));
  for (let start = 0; start < left.length; start += MAX_TOGETHER) {
    const together = left.slice(start, start + MAX_TOGETHER);
    const verdicts = await broadcast(together);
    for (const [index, transaction] of together.entries()) {
      const { payer, nonce } = transaction;
      log.info({ payer, nonce }, 'pending transaction resumed');
      // A node can have it from an earlier broadcast.
      const verdict = verdicts[index] === 'accepted' ? 'accepted' : 'unknown';
      const outcome = settlements.settle(transaction, verdict);
      if (transaction.droppedAt) outcome.then((ended) => onLost?.(transaction, ended)).catch(() => {});
    }
  }
}

type LossLog = { chain: Pick<Chain, 'client'>; contract: Address; log: Logger };

/** Returns a function that logs when a request was answered with a success that the chain no longer has, and cannot have again. */
export function createLossLog({ chain, contract, log }: LossLog) {
  return async ({ payer, account, data }: StoredTransaction, outcome: Outcome): Promise<void> => {
    if (outcome.status !== 'reverted') return;
    const { blockNumber, transactionHash: hash } = outcome.receipt;
    const cause = await simulate(chain, { from: payer, to: contract, data }, blockNumber).catch(
      (error: unknown) => error,
    );
    log.error(
      { err: cause, payer, account: String(account), hash },
      'a write that a reorg dropped reverts in the new chain: its price is returned',
    );
  };
}
