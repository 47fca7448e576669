import type { Address } from 'viem';
import type { Outcome } from './follow.ts';
import type { OutboxTransaction } from './outbox.ts';
import { type Payer, whilePending } from './payer-pool.ts';

export type Settlements = {
  /** Follows a transaction until it is settled. Concurrent calls share one follow. */
  settle: (transaction: OutboxTransaction, accepted: boolean) => Promise<Outcome>;
  has: (transactionId: string) => boolean;
  /** Resolves when the transactions followed now are settled or given up. */
  ended: () => Promise<unknown>;
};

type Options = {
  find: (address: Address) => Payer | undefined;
  follow: (transaction: OutboxTransaction, accepted: boolean) => Promise<Outcome>;
};

/** The transactions that this process follows. Each counts as in flight for its payer. */
export function createSettlements({ find, follow }: Options): Settlements {
  const outcomes = new Map<string, Promise<Outcome>>();
  return {
    settle(transaction, accepted) {
      const { id, payer } = transaction;
      const known = outcomes.get(id);
      if (known) return known;
      const outcome = whilePending(find(payer), () => follow(transaction, accepted)).finally(() =>
        outcomes.delete(id),
      );
      // The promise can be without a listener: the request timed out, or belongs to another process.
      outcome.catch(() => {});
      outcomes.set(id, outcome);
      return outcome;
    },
    has: (id) => outcomes.has(id),
    ended: () => Promise.allSettled(outcomes.values()),
  };
}
