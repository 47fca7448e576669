import type { Logger } from 'pino';
import type { Chain } from './chain.ts';
import { withoutUrl } from './errors.ts';
import type { OutboxTransaction } from './outbox.ts';

/**
 * Broadcasts stored transactions of a payer in the order of their nonces. Returns true for each one that the node accepted now. False is
 * inconclusive: the node can already have it or be down.
 */
export type Broadcast = (transactions: readonly OutboxTransaction[]) => Promise<boolean[]>;

export const createBroadcast =
  (chain: Chain, log: Logger): Broadcast =>
  async (transactions) => {
    const errors = await chain.sendRawTransactions(transactions.map(({ raw }) => raw));
    return transactions.map(({ payer, nonce }, index) => {
      const error = errors[index];
      if (error === undefined) return true;
      log.info({ err: withoutUrl(error), payer, nonce }, 'failed to broadcast transaction');
      return false;
    });
  };
