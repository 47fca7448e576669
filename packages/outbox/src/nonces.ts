import { and, eq, gte, min, notExists, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { type Database, payerNonces, transactions } from './tables.ts';

/** The next nonces of payers. */
export type NonceStore = {
  /** Returns the next nonce; undefined for a payer that never had one. */
  nextNonce: (payer: Address) => Promise<number | undefined>;
  /** Raises the next nonce to at least `nonce`. */
  raiseNonce: (payer: Address, nonce: number) => Promise<void>;
  /** Returns the lowest nonce of the payer's pending transactions that is at least `nonce`. */
  firstPending: (payer: Address, nonce: number) => Promise<number | undefined>;
  /** Sets the next nonce from `known` to `nonce`, unless it has changed or a pending transaction has it or a later one. Returns whether it did. */
  lowerNonce: (payer: Address, known: number, nonce: number) => Promise<boolean>;
};

export function createNonces(db: Database): NonceStore {
  const pendingFrom = (payer: Address, nonce: number) =>
    and(eq(transactions.payer, payer), eq(transactions.status, 'pending'), gte(transactions.nonce, nonce));
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
    async firstPending(payer, nonce) {
      const where = pendingFrom(payer, nonce);
      const [row] = await db
        .select({ first: min(transactions.nonce) })
        .from(transactions)
        .where(where);
      return row?.first ?? undefined;
    },
    async lowerNonce(payer, known, nonce) {
      // A transaction that is stored meanwhile changes the nonce: the update waits for it, and then finds another one.
      const lowered = await db
        .update(payerNonces)
        .set({ next: nonce })
        .where(
          and(
            eq(payerNonces.payer, payer),
            eq(payerNonces.next, known),
            notExists(db.select({ id: transactions.id }).from(transactions).where(pendingFrom(payer, nonce))),
          ),
        )
        .returning();
      return lowered.length > 0;
    },
  };
}
