/** The transactions of all payers, shared by all processes of the relayer. */
import { randomUUID } from 'node:crypto';
import { callForRow } from '@latchkey/service/call-function';
import { driverError } from '@latchkey/service/database-errors';
import { and, asc, eq, inArray, notExists, type SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { type Address, type Hex, numberToHex } from 'viem';
import { payerNonces, type TransactionStatus, transactions } from './tables.ts';

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
export type Signed = { raw: Hex; hash: Hex };
export type Unsigned = Fees & { payer: Address; nonce: number; data: Hex; gas: bigint };

export type StoredTransaction = Unsigned & {
  id: string;
  raw: Hex;
  hashes: Hex[];
  status: TransactionStatus;
  minedHash: Hex | null;
  blockNumber: bigint | null;
  /** Master hash of the account that the call writes to. */
  account: bigint;
};

/** The account key or usage key that pays when the transaction succeeds. */
export type Payment = { key: bigint; amountMicros: bigint; reason: string };

export type NewTransaction = Fees & {
  data: Hex;
  gas: bigint;
  account: bigint;
  idempotencyId: string | undefined;
  payment: Payment | undefined;
  /** Caps that take effect with the transaction, as `change_caps` takes them. */
  capsChange: object | undefined;
  sign: (nonce: number) => Promise<Signed>;
};

export type Store = {
  /**
   * Assigns the payer's next nonce to each transaction, stores it signed and reserves its price, atomically. All are one statement, unless one
   * is refused. A result is the earlier transaction when one with the idempotency id exists, and the database's error of one
   * that is refused.
   */
  add: (
    payer: Address,
    transactions: readonly NewTransaction[],
  ) => Promise<PromiseSettledResult<StoredTransaction>[]>;
  get: (id: string) => Promise<StoredTransaction | undefined>;
  /** Returns the transaction of an idempotent request that has, or can still have, an effect. */
  byIdempotencyId: (idempotencyId: string) => Promise<StoredTransaction | undefined>;
  /** Returns pending transactions of these payers in nonce order that were not touched for `idleSec`. */
  pending: (payers: Address[], idleSec: number) => Promise<StoredTransaction[]>;
  /** Stores another signed form of a pending transaction, before it is broadcast. */
  reprice: (id: string, signed: Signed, fees: Fees) => Promise<void>;
  /** Renews the time at which a process last touched a pending transaction. */
  touch: (id: string) => Promise<void>;
  /**
   * Settles a transaction atomically: on success captures the price, sets the caps unless a later transaction has set
   * them, and raises the head of the account; otherwise releases the price.
   */
  settle: (
    id: string,
    outcome: {
      status: Exclude<TransactionStatus, 'pending'>;
      minedHash?: Hex;
      blockNumber?: bigint;
      /** Required for a mined transaction that changes caps. */
      transactionIndex?: number;
    },
  ) => Promise<void>;
  /** Returns the next nonce; undefined for a payer that never had one. */
  nextNonce: (payer: Address) => Promise<number | undefined>;
  /** Raises the next nonce to at least `nonce`. */
  raiseNonce: (payer: Address, nonce: number) => Promise<void>;
  /** Sets the next nonce from `known` to `nonce`, unless it has changed or the payer has a pending transaction. */
  lowerNonce: (payer: Address, known: number, nonce: number) => Promise<void>;
};

/** The part of a database, or of a transaction on it, that the outbox uses. */
export type Database = Pick<PgDatabase<PgQueryResultHKT>, 'select' | 'insert' | 'update' | 'execute'> & {
  _: { session: Parameters<typeof callForRow>[0]['_']['session'] };
};

type Row = typeof transactions.$inferSelect;

const fromRow = ({
  idempotencyId,
  reserve,
  capsChange,
  createdAt,
  updatedAt,
  ...row
}: Row): StoredTransaction => ({ ...row, account: BigInt(row.account) }) as StoredTransaction;

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
  const state = { status: 'pending', minedHash: null, blockNumber: null } as const;
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

/** Adds the transactions of `add` in one statement, and one after another after a refusal. */
function createAdd(
  db: Database,
  byIdempotencyId: Store['byIdempotencyId'],
  readNonce: Store['nextNonce'],
): Store['add'] {
  /** The next nonce of each payer, as this process knows it: a wrong one costs another signature, not correctness. */
  const nonces = new Map<Address, number>();
  const known = (payer: Address, nonce: number | null | undefined): number => {
    if (typeof nonce !== 'number') throw new Error(`the payer ${payer} has no stored nonce`);
    return nonce;
  };

  /** Resolves to undefined for a transaction whose nonce another process used, or `raiseNonce` corrected. */
  const addAll = async (
    payer: Address,
    added: readonly NewTransaction[],
  ): Promise<(StoredTransaction | undefined)[]> => {
    const first = nonces.get(payer) ?? known(payer, await readNonce(payer));
    const items = await Promise.all(added.map((request, index) => signItem(payer, request, first + index)));
    try {
      const { nexts } = await callForRow<{ nexts: (number | null)[] }>(
        db,
        sql`select add_transactions(${payer}, ${toJson(items.map(({ stored }) => stored))}::jsonb) as nexts`,
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

  return async (payer, added) => {
    let together: (StoredTransaction | undefined)[] = [];
    let failure: { error: unknown } | undefined;
    try {
      together = await addAll(payer, added);
    } catch (error) {
      // One that was refused stored none of them. After another error they can be stored.
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

export function createStore(db: Database): Store {
  const now = sql`now()`;
  const pendingId = (id: string) => and(eq(transactions.id, id), eq(transactions.status, 'pending'));
  const select = async (where: SQL | undefined): Promise<StoredTransaction[]> => {
    const order = [asc(transactions.payer), asc(transactions.nonce)];
    return (
      await db
        .select()
        .from(transactions)
        .where(where)
        .orderBy(...order)
    ).map(fromRow);
  };
  const byIdempotencyId: Store['byIdempotencyId'] = async (id) => {
    const [row] = await select(
      and(eq(transactions.idempotencyId, id), inArray(transactions.status, ['pending', 'mined'])),
    );
    return row;
  };
  const nextNonce: Store['nextNonce'] = async (payer) => {
    const [known] = await db
      .select({ next: payerNonces.next })
      .from(payerNonces)
      .where(eq(payerNonces.payer, payer));
    return known?.next;
  };

  return {
    add: createAdd(db, byIdempotencyId, nextNonce),
    byIdempotencyId,
    nextNonce,
    get: async (id) => (await select(eq(transactions.id, id)))[0],
    pending: (payers, idleSec) =>
      select(
        and(
          eq(transactions.status, 'pending'),
          inArray(transactions.payer, payers),
          sql`${transactions.updatedAt} <= now() - make_interval(secs => ${idleSec}::double precision)`,
        ),
      ),
    async reprice(id, { raw, hash }, fees) {
      const hashes = sql`array_append(${transactions.hashes}, ${hash})`;
      await db
        .update(transactions)
        .set({ ...fees, raw, hashes, updatedAt: now })
        .where(pendingId(id));
    },
    async touch(id) {
      await db.update(transactions).set({ updatedAt: now }).where(pendingId(id));
    },
    async settle(id, { status, minedHash = null, blockNumber = null, transactionIndex = null }) {
      await db.execute(
        sql`select settle_transaction(${id}, ${status}, ${minedHash}, ${blockNumber}::bigint, ${transactionIndex}::integer)`,
      );
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
    async lowerNonce(payer, known, nonce) {
      // A transaction that is stored meanwhile changes the nonce: the update waits for it, and then finds another one.
      const isPending = and(eq(transactions.payer, payer), eq(transactions.status, 'pending'));
      await db
        .update(payerNonces)
        .set({ next: nonce })
        .where(
          and(
            eq(payerNonces.payer, payer),
            eq(payerNonces.next, known),
            notExists(db.select({ id: transactions.id }).from(transactions).where(isPending)),
          ),
        );
    },
  };
}
