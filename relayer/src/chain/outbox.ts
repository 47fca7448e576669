import { randomUUID } from 'node:crypto';
import { callForRow } from '@latchkey/service/call-function';
import { driverError } from '@latchkey/service/database-errors';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { CapError } from '../billing/caps.ts';
import { InsufficientCreditError, throwRefusal } from '../billing/ledger.ts';
import type { Database } from '../db/database.ts';
import { type CapsChange, payerNonces, type TransactionStatus, transactions } from '../db/schema.ts';
import { hashText } from '../db/text.ts';

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
export type Signed = { raw: Hex; hash: Hex };

export type OutboxTransaction = Fees & {
  id: string;
  payer: Address;
  nonce: number;
  data: Hex;
  gas: bigint;
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
  capsChange: CapsChange | undefined;
  sign: (nonce: number) => Promise<Signed>;
};

/** The transactions of all payers, shared by all processes of the relayer. */
export type Outbox = {
  /**
   * Assigns the payer's next nonce to each transaction, stores it signed and reserves its price, atomically. All are one statement, unless one
   * is refused. A result is the earlier transaction when one with the idempotency id exists, and an `InsufficientCreditError` or
   * `CapError` of one that is refused.
   */
  add: (
    payer: Address,
    transactions: readonly NewTransaction[],
  ) => Promise<PromiseSettledResult<OutboxTransaction>[]>;
  get: (id: string) => Promise<OutboxTransaction | undefined>;
  /** Returns the transaction of an idempotent request that has, or can still have, an effect. */
  byIdempotencyId: (idempotencyId: string) => Promise<OutboxTransaction | undefined>;
  /** Returns pending transactions of these payers in nonce order that were not touched for `idleSec`. */
  pending: (payers: Address[], idleSec: number) => Promise<OutboxTransaction[]>;
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
  /** Raises the next nonce to at least `nonce`. With `exact`, sets it when the payer has no pending transaction. */
  syncNonce: (payer: Address, nonce: number, options?: { exact: boolean }) => Promise<void>;
};

type Row = typeof transactions.$inferSelect;

function fromRow({
  idempotencyId: _,
  reserve: __,
  capsChange: ___,
  createdAt: ____,
  updatedAt: _____,
  ...row
}: Row): OutboxTransaction {
  return {
    ...row,
    payer: row.payer as Address,
    data: row.data as Hex,
    raw: row.raw as Hex,
    hashes: row.hashes as Hex[],
    minedHash: row.minedHash as Hex | null,
    account: BigInt(row.account),
  };
}

/** The arguments of `add_transaction`. */
type Item = { stored: Record<string, unknown>; payer_key?: string; amount?: bigint; cause?: string };

/** A transaction with its nonce, and what is stored of it beside. */
type SignedTransaction = { transaction: OutboxTransaction; request: NewTransaction };

async function signed(payer: Address, request: NewTransaction, nonce: number): Promise<SignedTransaction> {
  const { data, gas, maxFeePerGas, maxPriorityFeePerGas, account } = request;
  const { raw, hash } = await request.sign(nonce);
  const state = { status: 'pending', minedHash: null, blockNumber: null } as const;
  return {
    request,
    transaction: {
      ...{ id: randomUUID(), payer, nonce, data, gas, maxFeePerGas, maxPriorityFeePerGas },
      ...{ raw, hashes: [hash], account, ...state },
    },
  };
}

function toItem({ transaction, request: { idempotencyId, capsChange, payment } }: SignedTransaction): Item {
  const { id, payer, nonce, data, gas, maxFeePerGas, maxPriorityFeePerGas, raw, hashes, account } =
    transaction;
  return {
    stored: {
      ...{ id, payer, nonce, data, gas, raw, hashes, account: hashText(account) },
      max_fee_per_gas: maxFeePerGas,
      max_priority_fee_per_gas: maxPriorityFeePerGas,
      idempotency_id: idempotencyId,
      caps_change: capsChange,
    },
    ...(payment && {
      ...{ payer_key: hashText(payment.key), amount: payment.amountMicros, cause: payment.reason },
    }),
  };
}

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner));

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
/** True when the database refused one transaction of several, and therefore stored none. */
const isRefusalOfOne = (error: unknown): boolean =>
  error instanceof InsufficientCreditError ||
  error instanceof CapError ||
  [UNIQUE_VIOLATION, DEADLOCK].includes(driverError(error)?.code ?? '');

export function createOutbox(db: Database): Outbox {
  const pendingId = (id: string) => and(eq(transactions.id, id), eq(transactions.status, 'pending'));

  const byIdempotencyId: Outbox['byIdempotencyId'] = async (idempotencyId) => {
    const [row] = await db
      .select()
      .from(transactions)
      .where(
        and(
          eq(transactions.idempotencyId, idempotencyId),
          inArray(transactions.status, ['pending', 'mined']),
        ),
      );
    return row && fromRow(row);
  };

  /** The next nonce of each payer, as this process knows it: a wrong one costs another signature, not correctness. */
  const nonces = new Map<Address, number>();
  const nextNonce = async (payer: Address): Promise<number> => {
    const [known] = await db
      .select({ next: payerNonces.next })
      .from(payerNonces)
      .where(eq(payerNonces.payer, payer));
    if (!known) throw new Error(`the payer ${payer} has no stored nonce`);
    return known.next;
  };

  /** Stores the transactions whose nonces are the payer's next ones. Resolves to the payer's next nonce, per transaction. */
  const insert = async (payer: Address, items: Item[]): Promise<number[]> => {
    const { nexts } = await callForRow<{ nexts: (number | null)[] }>(
      db,
      sql`select add_transactions(${payer}, ${toJson(items)}::jsonb) as nexts`,
    ).catch(throwRefusal);
    return nexts.map((next) => {
      if (next === null) throw new Error(`the payer ${payer} has no stored nonce`);
      return next;
    });
  };

  /** Resolves to undefined for a transaction whose nonce another process used, or `syncNonce` corrected. */
  const addAll = async (
    payer: Address,
    added: readonly NewTransaction[],
  ): Promise<(OutboxTransaction | undefined)[]> => {
    const first = nonces.get(payer) ?? (await nextNonce(payer));
    const stored = await Promise.all(added.map((request, index) => signed(payer, request, first + index)));
    try {
      const nexts = await insert(payer, stored.map(toItem));
      nonces.set(payer, Math.max(...nexts.map((next, index) => (next === first + index ? next + 1 : next))));
      return stored.map(({ transaction }, index) =>
        nexts[index] === transaction.nonce ? transaction : undefined,
      );
    } catch (error) {
      // The statement can have had an effect when its reply was lost.
      nonces.delete(payer);
      throw error;
    }
  };

  const addOne = async (payer: Address, added: NewTransaction): Promise<OutboxTransaction> => {
    for (;;) {
      const [transaction] = await addAll(payer, [added]);
      if (transaction) return transaction;
    }
  };
  /** Another process stored the same request first: the unique index allows only one. */
  const orEarlier = async ({ idempotencyId }: NewTransaction, error: unknown): Promise<OutboxTransaction> => {
    const earlier = idempotencyId === undefined ? undefined : await byIdempotencyId(idempotencyId);
    if (earlier) return earlier;
    throw error;
  };

  return {
    byIdempotencyId,
    async add(payer, added) {
      let together: (OutboxTransaction | undefined)[] = [];
      let failure: { error: unknown } | undefined;
      try {
        together = await addAll(payer, added);
      } catch (error) {
        // One that was refused stored none of them. After another error they can be stored.
        if (added.length === 1 || !isRefusalOfOne(error)) failure = { error };
      }
      const results: PromiseSettledResult<OutboxTransaction>[] = [];
      for (const [index, transaction] of added.entries()) {
        const store = async (): Promise<OutboxTransaction> => {
          if (failure) throw failure.error;
          return together[index] ?? addOne(payer, transaction);
        };
        const stored = store().catch((error: unknown) => orEarlier(transaction, error));
        results.push(...(await Promise.allSettled([stored])));
      }
      return results;
    },
    async get(id) {
      const [row] = await db.select().from(transactions).where(eq(transactions.id, id));
      return row && fromRow(row);
    },
    async pending(payers, idleSec) {
      const rows = await db
        .select()
        .from(transactions)
        .where(
          and(
            eq(transactions.status, 'pending'),
            inArray(transactions.payer, payers),
            sql`${transactions.updatedAt} <= now() - make_interval(secs => ${idleSec}::double precision)`,
          ),
        )
        .orderBy(asc(transactions.payer), asc(transactions.nonce));
      return rows.map(fromRow);
    },
    async reprice(id, { raw, hash }, fees) {
      await db
        .update(transactions)
        .set({
          ...fees,
          raw,
          hashes: sql`array_append(${transactions.hashes}, ${hash})`,
          updatedAt: sql`now()`,
        })
        .where(pendingId(id));
    },
    async touch(id) {
      await db.update(transactions).set({ updatedAt: sql`now()` }).where(pendingId(id));
    },
    async settle(id, { status, minedHash = null, blockNumber = null, transactionIndex = null }) {
      await db.execute(
        sql`select settle_transaction(${id}, ${status}, ${minedHash}, ${blockNumber}::bigint, ${transactionIndex}::integer)`,
      );
    },
    async syncNonce(payer, nonce, { exact } = { exact: false }) {
      await db.insert(payerNonces).values({ payer, next: nonce }).onConflictDoNothing();
      await db.transaction(async (tx) => {
        const [locked] = await tx
          .select({ next: payerNonces.next })
          .from(payerNonces)
          .where(eq(payerNonces.payer, payer))
          .for('update');
        const [oldest] = await tx
          .select({ nonce: transactions.nonce })
          .from(transactions)
          .where(and(eq(transactions.payer, payer), eq(transactions.status, 'pending')))
          .limit(1);
        const next = exact && !oldest ? nonce : Math.max(nonce, locked?.next ?? 0);
        await tx.update(payerNonces).set({ next }).where(eq(payerNonces.payer, payer));
      });
    },
  };
}
