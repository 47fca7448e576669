/** The transactions of all payers, shared by all processes of the relayer. */
import { rowsOf } from '@latchkey/service/rows';
import { and, asc, eq, getTableColumns, gte, inArray, max, ne, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Address, Hex } from 'viem';
import { addOfPayers, createAdd } from './add.ts';
import { createNonces, type NonceStore } from './nonces.ts';
import {
  type Database,
  type Fees,
  type NewTransaction,
  type Signed,
  type StoredTransaction,
  type TransactionStatus,
  transactions,
  type Unsigned,
} from './tables.ts';

export type { Fees, NewTransaction, Payment, Signed, StoredTransaction, Unsigned } from './tables.ts';

export type MinedBlock = { number: bigint; hash: Hex };

export type Store = NonceStore & {
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
      /** Why it reverted. */
      reason?: string | undefined;
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
  /**
   * Makes the transactions of a block pending again, which a reorg has replaced. Returns them in nonce order. One of a wallet whose nonce another
   * pending one has is left as it is.
   */
  reopen: (block: MinedBlock) => Promise<StoredTransaction[]>;
};

type Row = typeof transactions.$inferSelect;
type Settled = Parameters<Store['settle']>[1];

/** The rows of one kind of sender: of payers, or of wallets on one chain. */
export type Rows = {
  table: typeof transactions;
  /** The columns that are read. */
  columns: PgTableColumns;
  /** Which rows of the table; absent: all. */
  where?: SQL;
  /** The states in which an idempotent request has its transaction. */
  repeatable: readonly TransactionStatus[];
  /** The pending ones that can be repriced; absent: all. */
  repriceable?: SQL;
  /** The settled ones that can be pending again; absent: all. */
  reopenable?: SQL;
  /** Calls the function that settles a transaction. */
  settle: (id: string, outcome: Settled) => SQL;
};
type PgTableColumns = Pick<typeof transactions._.columns, keyof Row>;

const payerRows: Rows = {
  table: transactions,
  columns: getTableColumns(transactions),
  repeatable: ['pending', 'mined'],
  settle: (id, { status, minedHash = null, blockNumber = null, blockHash = null, transactionIndex = null }) =>
    sql`select settle_transaction(${id}, ${status}, ${minedHash}, ${blockNumber}::bigint, ${blockHash}, ${transactionIndex}::integer)`,
};

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
  const nonces = createNonces(db);
  const stored = createRows(db, payerRows);
  return {
    ...stored,
    ...nonces,
    ...createRenumbering(db),
    add: createAdd(db, stored.byIdempotencyId, addOfPayers(nonces.nextNonce)),
  };
}

export type StoredRows = Pick<
  Store,
  | 'get'
  | 'byIdempotencyId'
  | 'pending'
  | 'reprice'
  | 'touch'
  | 'settle'
  | 'blocksFrom'
  | 'lastBlock'
  | 'reopen'
>;

/** The life of stored transactions of one kind of sender. */
export function createRows(db: Database, rows: Rows): StoredRows {
  const { table, columns, where: own, repeatable } = rows;
  const now = sql`now()`;
  const pendingId = (id: string) => and(eq(table.id, id), eq(table.status, 'pending'));
  const select = async (where: SQL | undefined): Promise<StoredTransaction[]> =>
    (
      await db.select(columns).from(table).where(and(own, where)).orderBy(asc(table.payer), asc(table.nonce))
    ).map(fromRow);
  return {
    ...createBlocks(db, rows),
    byIdempotencyId: async (id) =>
      (await select(and(eq(table.idempotencyId, id), inArray(table.status, [...repeatable]))))[0],
    get: async (id) => (await select(eq(table.id, id)))[0],
    pending: (idleSec) =>
      select(
        and(
          eq(table.status, 'pending'),
          sql`${table.updatedAt} <= now() - make_interval(secs => ${idleSec}::double precision)`,
        ),
      ),
    async reprice(id, { raw, hash }, fees) {
      const hashes = sql`array_append(${table.hashes}, ${hash})`;
      await db
        .update(table)
        .set({ ...fees, raw, hashes, updatedAt: now })
        .where(and(pendingId(id), rows.repriceable));
    },
    async touch(id) {
      const touched = db.update(table).set({ updatedAt: now }).where(pendingId(id)).returning(columns);
      return (await touched).map(fromRow)[0];
    },
    async settle(id, outcome) {
      await db.execute(rows.settle(id, outcome));
    },
  };
}

/** Other nonces of transactions. */
function createRenumbering(db: Database): Pick<Store, 'renumber'> {
  return {
    async renumber({ id, payer, nonce }, { raw, hash, ...next }) {
      const { maxFeePerGas, maxPriorityFeePerGas } = next;
      const renumbered = sql`
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
        update payer_nonces set next = next + 1 where payer = ${next.payer} and exists (select from renumbered) returning next`;
      return (await rowsOf(db, renumbered)).length > 0;
    },
  };
}

/** The blocks of mined table. */
function createBlocks(
  db: Database,
  { table, columns, where: own, repeatable, reopenable }: Rows,
): Pick<Store, 'blocksFrom' | 'lastBlock' | 'reopen'> {
  return {
    async blocksFrom(number) {
      const { blockNumber, blockHash } = table;
      const rows = await db
        .selectDistinct({ number: blockNumber, hash: blockHash })
        .from(table)
        .where(and(own, gte(blockNumber, number)))
        .orderBy(asc(blockNumber));
      return rows as MinedBlock[];
    },
    async lastBlock() {
      const [row] = await db
        .select({ last: max(table.blockNumber) })
        .from(table)
        .where(own);
      return row?.last ?? undefined;
    },
    async reopen({ number, hash }) {
      const other = alias(table, 'other');
      const isRepeated = and(
        eq(other.idempotencyId, table.idempotencyId),
        ne(other.id, table.id),
        inArray(other.status, [...repeatable]),
      );
      const again = db.select({ id: other.id }).from(other).where(isRepeated);
      const rows = await db
        .update(table)
        .set({
          status: 'pending',
          minedHash: null,
          blockNumber: null,
          blockHash: null,
          droppedAt: sql`case when ${table.status} = 'mined' then now() else ${table.droppedAt} end`,
          updatedAt: sql`now()`,
          // A request whose transaction reverted can have been repeated since.
          idempotencyId: sql`case when exists ${again} then null else ${table.idempotencyId} end`,
        })
        .where(
          and(
            own,
            eq(table.blockNumber, number),
            eq(table.blockHash, hash),
            ne(table.status, 'pending'),
            reopenable,
          ),
        )
        .returning(columns);
      return rows.map(fromRow).sort((a, b) => a.nonce - b.nonce);
    },
  };
}
