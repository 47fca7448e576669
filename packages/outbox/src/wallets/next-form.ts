/** Higher fees for a pending transaction of a wallet: the next one of the forms that its run has signed. */
import type { Chain } from '@latchkey/chain/chain';
import type { Logger } from 'pino';
import { type Hex, keccak256, parseTransaction } from 'viem';
import { readFees } from '../fees.ts';
import type { Fees, StoredTransaction } from '../tables.ts';
import { isFarAbove } from '../transitions.ts';
import type { WalletStore } from './store.ts';

type Form = Fees & { raw: Hex };

type NextFormOptions = {
  chain: Pick<Chain, 'heldByTwo'>;
  store: Pick<WalletStore, 'forms' | 'reprice'>;
  onRepriced?: () => void;
  log: Logger;
};

/** Returns a function that stores the next form, and returns the transaction in it; unchanged when it has its last one or is cancelled. */
export function createNextForm({ chain, store, onRepriced, log }: NextFormOptions) {
  return async (transaction: StoredTransaction): Promise<StoredTransaction> => {
    const { id, payer, nonce, raw: present, cancelRequestedAt } = transaction;
    if (cancelRequestedAt) return transaction;
    const forms = await store.forms(id);
    const later = forms.slice(forms.indexOf(present) + 1).map(formOf);
    const next = chooseForm(transaction, later, await readFees(chain));
    if (!next) return transaction;
    const { raw, maxFeePerGas, maxPriorityFeePerGas } = next;
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    const hash = keccak256(raw);
    await store.reprice(id, { raw, hash }, fees);
    onRepriced?.();
    log.warn({ payer, nonce, hash }, 'transaction repriced');
    return { ...transaction, ...fees, raw, hashes: [...transaction.hashes, hash] };
  };
}

function formOf(raw: Hex): Form {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  return { raw, maxFeePerGas, maxPriorityFeePerGas };
}

/** Returns the first form that the market takes, or the last one. Undefined when the transaction is missing in blocks for another reason. */
function chooseForm(present: Fees, later: readonly Form[], market: Fees): Form | undefined {
  const next = later.find(({ maxFeePerGas }) => maxFeePerGas >= market.maxFeePerGas) ?? later.at(-1);
  const isTooLow = present.maxFeePerGas < market.maxFeePerGas;
  return next && (isTooLow || !isFarAbove(next, market)) ? next : undefined;
}
