/** Pending transactions, for an operator: why they are not mined, and how to bring them on or end them. */
import type { Chain } from '@latchkey/chain/chain';
import { asc, eq, sql } from 'drizzle-orm';
import { type Address, formatGwei } from 'viem';
import { readFees } from './fees.ts';
import { createSign, type Signer, signFiller } from './lanes.ts';
import { createStore, type Fees, fromRow, type StoredTransaction } from './store.ts';
import { type Database, transactions } from './tables.ts';
import { FINAL_BLOCKS, higher, leastFees } from './transitions.ts';

type StuckChain = Pick<Chain, 'client' | 'chainId' | 'heldByTwo' | 'sendRawTransactions'>;

export type PendingTransaction = { transaction: StoredTransaction; createdAt: Date; reason: string };

/** The transaction cannot be changed so: the message says why. */
export class StuckTransactionError extends Error {
  override readonly name = 'StuckTransactionError';
}

/** Returns all pending transactions by payer and nonce, with the reason why each one is not mined. */
export async function listPending(db: Database, { client }: StuckChain): Promise<PendingTransaction[]> {
  const rows = await db
    .select()
    .from(transactions)
    .where(eq(transactions.status, 'pending'))
    .orderBy(asc(transactions.payer), asc(transactions.nonce));
  const { baseFeePerGas } = await client.getBlock();
  const baseFee = baseFeePerGas ?? 0n;
  const payers = new Map<string, { nonce: number; balance: bigint }>();
  for (const payer of new Set(rows.map((row) => row.payer))) {
    const address = payer as Address;
    const [nonce, balance] = [
      await client.getTransactionCount({ address }),
      await client.getBalance({ address }),
    ];
    payers.set(payer, { nonce, balance });
  }
  return rows.map((row) => {
    const { nonce, balance } = payers.get(row.payer) ?? { nonce: 0, balance: 0n };
    const transaction = fromRow(row);
    return {
      transaction,
      createdAt: row.createdAt,
      reason: reasonOf(transaction, { nonce, balance, baseFee }),
    };
  });
}

function reasonOf(
  { nonce, gas, maxFeePerGas, droppedAt, cancelRequestedAt }: StoredTransaction,
  chain: { nonce: number; balance: bigint; baseFee: bigint },
): string {
  if (nonce < chain.nonce)
    return cancelRequestedAt && !droppedAt
      ? `its nonce is used: it counts as cancelled ${FINAL_BLOCKS} blocks later`
      : `its nonce is used: unless it is mined itself, a relayer sends it again ${FINAL_BLOCKS} blocks later`;
  if (nonce > chain.nonce) return `waits for nonce ${chain.nonce} of its payer`;
  if (maxFeePerGas < chain.baseFee)
    return `offers ${formatGwei(maxFeePerGas)} gwei, and the base fee is ${formatGwei(chain.baseFee)}`;
  if (chain.balance < gas * maxFeePerGas) return 'its payer has too little funds';
  return 'the chain can mine it: retry it, or replace it with higher fees';
}

export type Rescue = {
  /** Broadcasts the latest form again. Rejects with the node's error when it refuses it. */
  retry: (id: string) => Promise<StoredTransaction>;
  /** Signs the same call with this maximum fee per gas, stores it, and broadcasts it. Any form of it can be mined, but only one. */
  replace: (id: string, maxFeePerGas: bigint) => Promise<StoredTransaction>;
  /**
   * Uses up the nonce by a transfer of nothing with this maximum fee per gas. When the transfer is mined before the call, and final, relayers settle
   * the transaction as replaced, and its price is released. One that succeeded before a reorg is sent again with another nonce instead: its
   * request can have been answered. Resolves to the hash of the transfer.
   */
  cancel: (id: string, maxFeePerGas: bigint) => Promise<`0x${string}`>;
};

/** Methods reject with a StuckTransactionError, or with the error of the node. */
export function createRescue(
  chain: StuckChain,
  db: Database,
  { signers, contract }: { signers: readonly Signer[]; contract: Address },
): Rescue {
  const store = createStore(db);
  const lanes = signers.map((signer) => ({ signer, signerFails: false }));
  const sign = createSign(chain.chainId, contract, (payer) =>
    lanes.find(({ signer }) => signer.address === payer),
  );
  const find = async (id: string): Promise<StoredTransaction> => {
    const found = await store.get(id);
    if (found?.status !== 'pending')
      throw new StuckTransactionError(`no pending transaction has the id ${id}`);
    return found;
  };
  const broadcast = async (raw: `0x${string}`): Promise<void> => {
    const [error] = await chain.sendRawTransactions([raw]);
    if (error !== undefined) throw error;
  };
  /** Returns fees that nodes accept for another form of the transaction. */
  const feesWithin = async (transaction: StoredTransaction, maxFeePerGas: bigint): Promise<Fees> => {
    const least = leastFees(transaction);
    if (maxFeePerGas < least.maxFeePerGas)
      throw new StuckTransactionError(
        `nodes replace it for at least ${formatGwei(least.maxFeePerGas)} gwei: it offers ${formatGwei(transaction.maxFeePerGas)}`,
      );
    const market = await readFees(chain);
    const tip = higher(market.maxPriorityFeePerGas, least.maxPriorityFeePerGas);
    return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas };
  };
  return {
    async retry(id) {
      const transaction = await find(id);
      await broadcast(transaction.raw);
      return transaction;
    },
    async replace(id, maxFeePerGas) {
      const transaction = await find(id);
      const fees = await feesWithin(transaction, maxFeePerGas);
      const { raw, hash } = await sign({ ...transaction, ...fees });
      await store.reprice(id, { raw, hash }, fees);
      await broadcast(raw);
      return { ...transaction, ...fees, raw, hashes: [...transaction.hashes, hash] };
    },
    async cancel(id, maxFeePerGas) {
      const transaction = await find(id);
      const fees = await feesWithin(transaction, maxFeePerGas);
      const { raw, hash } = await signFiller(chain, sign, transaction, fees);
      // Otherwise it would be sent again.
      await db.update(transactions).set({ cancelRequestedAt: sql`now()` }).where(eq(transactions.id, id));
      await broadcast(raw);
      return hash;
    },
  };
}
