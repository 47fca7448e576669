import { and, eq, gte, min, notExists, or, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { type Database, payerNonces, transactions } from './tables.ts';

/** The next nonces of payers. */
export type NonceStore = {
  /** Returns the next nonce; undefined for a payer that never had one. */
  nextNonce: (payer: Address) => Promise<number | undefined>;
  /** Raises the next nonce to at least `nonce`. */
  raiseNonce: (payer: Address, nonce: number) => Promise<void>;
  /**
   * Returns the lowest nonce, at least `nonce`, of the payer's transactions that are pending or that a reorg can make pending: mined in block
   * `firstNotFinal` or later.
   */
  firstOpen: (payer: Address, nonce: number, firstNotFinal: bigint) => Promise<number | undefined>;
  /** Sets the next nonce from `known` to `nonce`, unless it has changed or `firstOpen` has a result. Returns whether it did. */
  lowerNonce: (payer: Address, known: number, nonce: number, firstNotFinal: bigint) => Promise<boolean>;
};

export function createNonces(db: Database): NonceStore {
  const openFrom = (payer: Address, nonce: number, firstNotFinal: bigint) => {
    const isFrom = and(eq(transactions.payer, payer), gte(transactions.nonce, nonce));
    const isPending = and(eq(transactions.status, 'pending'), isFrom);
    return or(isPending, and(gte(transactions.blockNumber, firstNotFinal), isFrom));
  };
  return {
    async nextNonce(payer) {
      const [known] = await db
        .select({ next: payerNonces.next })
        .from(payerNonces)
        .where(eq(payerNonces.payer, payer));
      return known?.next;
    },
    async raiseNonce(payer, nonce) {
      await db
        .insert(payerNonces)
        .values({ payer, next: nonce })
        .onConflictDoUpdate({
          target: payerNonces.payer,
          set: { next: sql`greatest(${payerNonces.next}, ${nonce})` },
        });
    },
    async firstOpen(payer, nonce, firstNotFinal) {
      const [row] = await db
        .select({ first: min(transactions.nonce) })
        .from(transactions)
        .where(openFrom(payer, nonce, firstNotFinal));
      return row?.first ?? undefined;
    },
    async lowerNonce(payer, known, nonce, firstNotFinal) {
      const open = db
        .select({ id: transactions.id })
        .from(transactions)
        .where(openFrom(payer, nonce, firstNotFinal));
      // A transaction that is stored meanwhile changes the nonce: the update waits for it, and then finds another one.
      const lowered = await db
        .update(payerNonces)
        .set({ next: nonce })
        .where(and(eq(payerNonces.payer, payer), eq(payerNonces.next, known), notExists(open)))
        .returning();
      return lowered.length > 0;
    },
  };
}
