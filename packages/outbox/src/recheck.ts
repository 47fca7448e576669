/** Checks what a reorg or a lost block can have undone: the blocks of mined transactions, and the nonces of payers. */
import type { Chain } from '@latchkey/chain/chain';
import type { Logger } from 'pino';
import { type Address, BlockNotFoundError } from 'viem';
import type { Broadcast, Settlements } from './lanes.ts';
import type { MinedBlock, Store, StoredTransaction } from './store.ts';
import { isAhead, type Nonces } from './transitions.ts';

/** Depth below which a block is final. */
const FINAL_BLOCKS = 64n;

type Rechecking = {
  chain: Pick<Chain, 'client' | 'refreshHead'>;
  store: Pick<Store, 'blocksFrom' | 'reopen' | 'nextNonce' | 'lowerNonce'>;
  log: Logger;
};

/** Makes transactions pending again whose blocks are no longer in the chain, and returns them. */
export async function reopenDropped({ chain, store, log }: Rechecking): Promise<StoredTransaction[]> {
  const head = await chain.refreshHead();
  // A node without the block can be behind: only another block at its height shows that it was replaced.
  const isReplaced = async ({ number, hash }: MinedBlock): Promise<boolean> => {
    const block = await chain.client.getBlock({ blockNumber: number }).catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    });
    return block !== undefined && block.hash !== hash;
  };
  const reopened: StoredTransaction[] = [];
  for (const block of await store.blocksFrom(head - FINAL_BLOCKS)) {
    if (!(await isReplaced(block))) continue;
    const dropped = await store.reopen(block);
    log.warn(
      { block: String(block.number), count: dropped.length },
      'a reorg replaced a block with transactions',
    );
    reopened.push(...dropped);
  }
  return reopened;
}

/**
 * Returns a function that lowers the nonce of a payer to the chain's nonce when it was ahead, without a pending transaction, in two
 * calls in a row: a final block was lost, or the database was restored.
 */
export function createNonceHealing({ chain, store, log }: Rechecking): (payer: Address) => Promise<void> {
  const before = new Map<Address, Nonces>();
  return async (payer) => {
    const stored = await store.nextNonce(payer);
    if (stored === undefined) return;
    const inChain = await chain.client.getTransactionCount({ address: payer, blockTag: 'pending' });
    const now = { stored, inChain };
    if (isAhead(before.get(payer), now) && (await store.lowerNonce(payer, stored, inChain)))
      log.warn({ payer, ...now }, 'the nonce of a payer was ahead of the chain');
    before.set(payer, now);
  };
}

/** Follows pending transactions that no process follows, also of payers whose keys are no longer configured. */
export async function resume(
  { settlements, broadcast, log }: { settlements: Settlements; broadcast: Broadcast; log: Logger },
  transactions: StoredTransaction[],
): Promise<void> {
  for (const transaction of transactions) {
    const { id, payer, nonce } = transaction;
    if (settlements.has(id)) continue;
    log.info({ payer, nonce }, 'pending transaction resumed');
    const [isAccepted = false] = await broadcast([transaction]);
    void settlements.settle(transaction, isAccepted);
  }
}
