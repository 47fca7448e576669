import { randomUUID } from 'node:crypto';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { throwRefusal } from '../billing/ledger.ts';
import { callFunction, type Database } from '../db/database.ts';
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
  payer: Address;
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
   * Assigns the payer's next nonce, stores the signed transaction with it and reserves its price, atomically. Returns
   * the earlier transaction when one with the idempotency id exists. Rejects with `InsufficientCreditError` or
   * `CapError`.
   */
  add: (transaction: NewTransaction) => Promise<OutboxTransaction>;
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

  /** Stores the transaction if its nonce is the payer's next one. Resolves to the payer's next one. */
  const insert = async (row: Record<string, unknown>, payment: Payment | undefined): Promise<number> => {
    const json = JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    const { key, amountMicros, reason } = payment ?? {};
    const keyHash = key === undefined ? null : hashText(key);
    const { next } = await callFunction<{ next: number | null }>(
      db,
      sql`select add_transaction(${json}::jsonb, ${keyHash}, ${amountMicros ?? null}::bigint, ${reason ?? null}) as next`,
    ).catch(throwRefusal);
    if (next === null) throw new Error(`the payer ${row.payer} has no stored nonce`);
    return next;
  };

  return {
    byIdempotencyId,
    async add({ sign, idempotencyId, account, payment, capsChange, payer, data, gas, ...fees }) {
      const id = randomUUID();
      try {
        for (let nonce = nonces.get(payer) ?? (await nextNonce(payer)); ; ) {
          const { raw, hash } = await sign(nonce);
          const hashes: Hex[] = [hash];
          const row = {
            id,
            payer,
            nonce,
            data,
            gas,
            max_fee_per_gas: fees.maxFeePerGas,
            max_priority_fee_per_gas: fees.maxPriorityFeePerGas,
            raw,
            hashes,
            account: hashText(account),
            idempotency_id: idempotencyId,
            caps_change: capsChange,
          };
          const next = await insert(row, payment);
          if (next === nonce) {
            nonces.set(payer, nonce + 1);
            const state = { status: 'pending', minedHash: null, blockNumber: null } as const;
            return { id, payer, nonce, data, gas, ...fees, raw, hashes, account, ...state };
          }
          // Another process has used the nonce, or `syncNonce` has corrected it.
          nonce = next;
        }
      } catch (error) {
        // The statement can have had an effect when its reply was lost.
        nonces.delete(payer);
        // Another process stored the same request first: the unique index allows only one.
        const earlier = idempotencyId === undefined ? undefined : await byIdempotencyId(idempotencyId);
        if (earlier) return earlier;
        throw error;
      }
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
