/** The transactions of all payers, shared by all processes of the relayer. */
import { and, asc, eq, gte, inArray, max, min, ne, notExists, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Address, Hex } from 'viem';
import { createAdd } from './add.ts';
import {
  type Database,
  type Fees,
  type NewTransaction,
  payerNonces,
  type Signed,
  type StoredTransaction,
  type TransactionStatus,
  transactions,
  type Unsigned,
} from './tables.ts';

export type { Fees, NewTransaction, Payment, Signed, StoredTransaction, Unsigned } from './tables.ts';

export type MinedBlock = { number: bigint; hash: Hex };

export type Store = {
  /**
   * Assigns the payer's next nonce to each transaction, stores it signed and reserves its price, atomically. All are one statement, unless
   * one is refused. A result is the earlier transaction when the idempotency id is known, or the database's error for a refused
   * transaction.
   */
  add: (
    payer: Address,
    transactions: readonly NewTransaction[],
  ) => Promise<PromiseSettledResult<StoredTransaction>[]>;
  get: (id: string) => Promise<StoredTransaction | undefined>;
  /** Returns the transaction of an idempotent request that has, or can still have, an effect. */
  byIdempotencyId: (idempotencyId: string) => Promise<StoredTransaction | undefined>;
  /** Returns pending transactions of all payers in nonce order that were not touched for `idleSec`. */
  pending: (idleSec: number) => Promise<StoredTransaction[]>;
  /** Stores another signed form of a pending transaction, before it is broadcast. */
  reprice: (id: string, signed: Signed, fees: Fees) => Promise<void>;
  /**
   * Renews the time at which a process last touched a pending transaction, and returns it as it is stored: another process or the operator
   * can have repriced it. Undefined when it is settled.
   */
  touch: (id: string) => Promise<StoredTransaction | undefined>;
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
      blockHash?: Hex;
      /** Required for a mined transaction that changes caps. */
      transactionIndex?: number;
    },
  ) => Promise<void>;
  /**
   * Gives a pending transaction the next nonce of a payer, in which it is stored signed, unless it has changed or an earlier transaction of its
   * payer is pending. Returns whether it did.
   */
  renumber: (known: StoredTransaction, next: Unsigned & Signed) => Promise<boolean>;
  /** Returns the blocks of mined transactions from this number on, in their order. */
  blocksFrom: (number: bigint) => Promise<MinedBlock[]>;
  /** Returns the number of the last block of a mined transaction. */
  lastBlock: () => Promise<bigint | undefined>;
  /** Makes the transactions of a block pending again, which a reorg has replaced. Returns them in nonce order. */
  reopen: (block: MinedBlock) => Promise<StoredTransaction[]>;
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

type Row = typeof transactions.$inferSelect;

export const fromRow = ({
  idempotencyId,
  reserve,
  capsChange,
  blockHash,
  createdAt,
  updatedAt,
  ...row
}: Row): StoredTransaction => ({ ...row, account: BigInt(row.account) }) as StoredTransaction;

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
  const nonces = createNonces(db);

  return {
    add: createAdd(db, byIdempotencyId, nonces.nextNonce),
    byIdempotencyId,
    ...nonces,
    ...createBlocks(db),
    ...createRenumbering(db),
    get: async (id) => (await select(eq(transactions.id, id)))[0],
    pending: (idleSec) =>
      select(
        and(
          eq(transactions.status, 'pending'),
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
      const touched = db.update(transactions).set({ updatedAt: now }).where(pendingId(id)).returning();
      return (await touched).map(fromRow)[0];
    },
    async settle(
      id,
      { status, minedHash = null, blockNumber = null, blockHash = null, transactionIndex = null },
    ) {
      await db.execute(
        sql`select settle_transaction(${id}, ${status}, ${minedHash}, ${blockNumber}::bigint, ${blockHash}, ${transactionIndex}::integer)`,
      );
    },
  };
}

/** Other nonces of transactions. */
function createRenumbering(db: Database): Pick<Store, 'renumber'> {
  return {
    async renumber({ id, payer, nonce }, { raw, hash, ...next }) {
      const { maxFeePerGas, maxPriorityFeePerGas } = next;
      const renumbered = await db.execute(sql`
        with next_nonce as (
          select payer from payer_nonces where payer = ${next.payer} and next = ${next.nonce} for update
        ), renumbered as (
          update transactions set payer = ${next.payer}, nonce = ${next.nonce}, raw = ${raw}, hashes = array_append(hashes, ${hash}),
            max_fee_per_gas = ${maxFeePerGas}, max_priority_fee_per_gas = ${maxPriorityFeePerGas}, updated_at = now()
          where id = ${id} and status = 'pending' and payer = ${payer} and nonce = ${nonce} and exists (select from next_nonce)
            and not exists (
              select from transactions earlier
              where earlier.payer = ${payer} and earlier.nonce < ${nonce} and earlier.status = 'pending'
            )
          returning id
        )
        update payer_nonces set next = next + 1 where payer = ${next.payer} and exists (select from renumbered) returning next`);
      return (renumbered as unknown as { rows: unknown[] }).rows.length > 0;
    },
  };
}

/** The blocks of mined transactions. */
function createBlocks(db: Database): Pick<Store, 'blocksFrom' | 'lastBlock' | 'reopen'> {
  return {
    async blocksFrom(number) {
      const { blockNumber, blockHash } = transactions;
      const rows = await db
        .selectDistinct({ number: blockNumber, hash: blockHash })
        .from(transactions)
        .where(gte(blockNumber, number))
        .orderBy(asc(blockNumber));
      return rows as MinedBlock[];
    },
    async lastBlock() {
      const [row] = await db.select({ last: max(transactions.blockNumber) }).from(transactions);
      return row?.last ?? undefined;
    },
    async reopen({ number, hash }) {
      const other = alias(transactions, 'other');
      const isRepeated = and(
        eq(other.idempotencyId, transactions.idempotencyId),
        ne(other.id, transactions.id),
        inArray(other.status, ['pending', 'mined']),
      );
      const again = db.select({ id: other.id }).from(other).where(isRepeated);
      const rows = await db
        .update(transactions)
        .set({
          status: 'pending',
          minedHash: null,
          blockNumber: null,
          blockHash: null,
          droppedAt: sql`case when ${transactions.status} = 'mined' then now() else ${transactions.droppedAt} end`,
          updatedAt: sql`now()`,
          // A request whose transaction reverted can have been repeated since.
          idempotencyId: sql`case when exists ${again} then null else ${transactions.idempotencyId} end`,
        })
        .where(
          and(
            eq(transactions.blockNumber, number),
            eq(transactions.blockHash, hash),
            ne(transactions.status, 'pending'),
          ),
        )
        .returning();
      return rows.map(fromRow).sort((a, b) => a.nonce - b.nonce);
    },
  };
}

/** The next nonces of payers. */
function createNonces(db: Database): Pick<Store, 'nextNonce' | 'raiseNonce' | 'firstOpen' | 'lowerNonce'> {
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
