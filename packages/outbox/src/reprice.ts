/** Higher fees for a pending transaction of a payer. */
import type { Chain } from '@latchkey/chain/chain';
import { SignerError } from '@latchkey/chain/errors';
import type { Logger } from 'pino';
import { readFees } from './fees.ts';
import type { Signed, Store, StoredTransaction, Unsigned } from './store.ts';
import { raiseFees } from './transitions.ts';

export type Repricing = {
  chain: Pick<Chain, 'heldByTwo'>;
  store: Pick<Store, 'reprice'>;
  sign: (transaction: Unsigned) => Promise<Signed>;
  /** The highest maximum fee per gas that payers offer, in wei. */
  feeCeiling?: bigint | undefined;
  onRepriced?: () => void;
  log: Logger;
};

/** Returns the transaction unchanged when its fees are far above the market, would be above the ceiling, or its payer cannot sign. */
export async function reprice(
  { chain, store, sign, feeCeiling, log, onRepriced }: Repricing,
  transaction: StoredTransaction,
): Promise<StoredTransaction> {
  const { id, payer, nonce } = transaction;
  const fees = raiseFees(transaction, await readFees(chain));
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
