import { randomUUID } from 'node:crypto';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { changeCaps } from '../billing/caps.ts';
import { endReserves, reserve } from '../billing/ledger.ts';
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
  createdAt: Date;
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
  /** Settles a transaction atomically: captures the price and sets the caps on success, or releases the price. */
  settle: (
    id: string,
    outcome: { status: Exclude<TransactionStatus, 'pending'>; minedHash?: Hex; blockNumber?: bigint },
  ) => Promise<void>;
  /** Raises the next nonce to at least `nonce`. With `exact`, sets it when the payer has no pending transaction. */
  syncNonce: (payer: Address, nonce: number, options?: { exact: boolean }) => Promise<void>;
};

type Row = typeof transactions.$inferSelect;

function fromRow({
  idempotencyId: _,
  reserve: __,
  capsChange: ___,
  updatedAt: ____,
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

  return {
    byIdempotencyId,
    async add({ sign, idempotencyId, account, payment, capsChange = null, ...transaction }) {
      const insert = () =>
        db.transaction(async (tx) => {
          const [locked] = await tx
            .select({ next: payerNonces.next })
            .from(payerNonces)
            .where(eq(payerNonces.payer, transaction.payer))
            .for('update');
          if (!locked) throw new Error(`the payer ${transaction.payer} has no stored nonce`);
          const { raw, hash } = await sign(locked.next);
          const [row] = await tx
            .insert(transactions)
            .values({
              ...transaction,
              id: randomUUID(),
              nonce: locked.next,
              raw,
              hashes: [hash],
              account: hashText(account),
              idempotencyId: idempotencyId ?? null,
              reserve: payment ? await reserve(tx, { ...payment, account }) : null,
              capsChange,
            })
            .returning();
          await tx
            .update(payerNonces)
            .set({ next: locked.next + 1 })
            .where(eq(payerNonces.payer, transaction.payer));
          return fromRow(row as Row);
        });
      try {
        return await insert();
      } catch (error) {
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
    async settle(id, { status, minedHash = null, blockNumber = null }) {
      await db.transaction(async (tx) => {
        const [settled] = await tx
          .update(transactions)
          .set({ status, minedHash, blockNumber, updatedAt: sql`now()` })
          .where(pendingId(id))
          .returning();
        if (!settled) return;
        const { account, capsChange } = settled;
        const isMined = status === 'mined';
        if (isMined && capsChange) await changeCaps(tx, capsChange);
        if (settled.reserve !== null)
          await endReserves(tx, isMined ? 'capture' : 'release', BigInt(account), [settled.reserve]);
      });
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
