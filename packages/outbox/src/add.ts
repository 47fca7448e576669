/** Adds transactions to the store with the next nonces of their payer. */
import { randomUUID } from 'node:crypto';
import { callForRow } from '@latchkey/service/call-function';
import { driverError } from '@latchkey/service/database-errors';
import { sql } from 'drizzle-orm';
import { type Address, numberToHex } from 'viem';
import type { Database, NewTransaction, StoredTransaction } from './tables.ts';

/** A transaction with its nonce, and the arguments that `add_transactions` takes of it. */
type Item = { transaction: StoredTransaction; stored: object };

async function signItem(payer: Address, request: NewTransaction, nonce: number): Promise<Item> {
  const { data, gas, maxFeePerGas, maxPriorityFeePerGas, account, payment } = request;
  const { raw, hash } = await request.sign(nonce);
  const values = { id: randomUUID(), payer, nonce, data, gas, raw, hashes: [hash] };
  const stored = {
    ...values,
    account: numberToHex(account, { size: 32 }),
    max_fee_per_gas: maxFeePerGas,
    max_priority_fee_per_gas: maxPriorityFeePerGas,
    idempotency_id: request.idempotencyId,
    caps_change: request.capsChange,
  };
  const price = payment && {
    payer_key: numberToHex(payment.key, { size: 32 }),
    amount: payment.amountMicros,
    cause: payment.reason,
  };
  const state = { status: 'pending', minedHash: null, blockNumber: null, droppedAt: null } as const;
  return {
    transaction: { ...values, maxFeePerGas, maxPriorityFeePerGas, account, ...state },
    stored: { stored, ...price },
  };
}

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner));

/** SQLSTATEs with which the database refuses one transaction of several, and stores none: unique violation, deadlock, the ledger's own. */
const isRefusalOfOne = (error: unknown): boolean =>
  /^(23505|40P01|LK...)$/.test(driverError(error)?.code ?? '');

type ReadNonce = (payer: Address) => Promise<number | undefined>;
type ById = (idempotencyId: string) => Promise<StoredTransaction | undefined>;

/**
 * Returns a function that adds transactions in one statement. It resolves to undefined for a transaction whose nonce another process used, or
 * that was corrected.
 */
function createAddAll(db: Database, readNonce: ReadNonce) {
  /** The next nonce of each payer, as this process knows it: a wrong one costs another signature, not correctness. */
  const nonces = new Map<Address, number>();
  const known = (payer: Address, nonce: number | null | undefined): number => {
    if (typeof nonce !== 'number') throw new Error(`the payer ${payer} has no stored nonce`);
    return nonce;
  };

  return async (
    payer: Address,
    added: readonly NewTransaction[],
  ): Promise<(StoredTransaction | undefined)[]> => {
    const first = nonces.get(payer) ?? known(payer, await readNonce(payer));
    const items = await Promise.all(added.map((request, index) => signItem(payer, request, first + index)));
    try {
      const { nexts } = await callForRow(
        db,
        { nexts: sql<(number | null)[]>`nexts` },
        sql`add_transactions(${payer}, ${toJson(items.map(({ stored }) => stored))}::jsonb) as nexts`,
      );
      const after = nexts.map((next, index) => (next === first + index ? next + 1 : known(payer, next)));
      nonces.set(payer, Math.max(...after));
      return items.map(({ transaction }, index) =>
        nexts[index] === transaction.nonce ? transaction : undefined,
      );
    } catch (error) {
      // The statement can have had an effect when its reply was lost.
      nonces.delete(payer);
      throw error;
    }
  };
}

/** Adds transactions in one statement; after a refusal of one of them, one by one. */
export function createAdd(db: Database, byIdempotencyId: ById, readNonce: ReadNonce) {
  const addAll = createAddAll(db, readNonce);
  const addOne = async (payer: Address, added: NewTransaction): Promise<StoredTransaction> => {
    for (;;) {
      const [transaction] = await addAll(payer, [added]);
      if (transaction) return transaction;
    }
  };
  /** Another process stored the same request first: the unique index allows only one. */
  const orEarlier = async ({ idempotencyId }: NewTransaction, error: unknown): Promise<StoredTransaction> => {
    const earlier = idempotencyId === undefined ? undefined : await byIdempotencyId(idempotencyId);
    if (earlier) return earlier;
    throw error;
  };

  return async (
    payer: Address,
    added: readonly NewTransaction[],
  ): Promise<PromiseSettledResult<StoredTransaction>[]> => {
    let together: (StoredTransaction | undefined)[] = [];
    let failure: { error: unknown } | undefined;
    try {
      together = await addAll(payer, added);
    } catch (error) {
      // A refused transaction stored none of them. After another error they can be stored.
      if (added.length === 1 || !isRefusalOfOne(error)) failure = { error };
    }
    const results: PromiseSettledResult<StoredTransaction>[] = [];
    for (const [index, transaction] of added.entries()) {
      const store = async (): Promise<StoredTransaction> => {
        if (failure) throw failure.error;
        return together[index] ?? addOne(payer, transaction);
      };
      const stored = store().catch((error: unknown) => orEarlier(transaction, error));
      results.push(...(await Promise.allSettled([stored])));
    }
    return results;
  };
}
