/** Adds transactions to the store with the next nonces of their sender. */
import { randomUUID } from 'node:crypto';
import { callForRow } from '@latchkey/service/call-function';
import { driverError } from '@latchkey/service/database-errors';
import { type SQL, sql } from 'drizzle-orm';
import { type Address, numberToHex } from 'viem';
import { type Database, fresh, type NewTransaction, type StoredTransaction } from './tables.ts';

/** A transaction with its nonce, and the row of it that the database stores. */
export type Item = { transaction: StoredTransaction; stored: object };

type Room = { size: number; refusal: Error };

/** How the transactions of one kind of sender are added. */
export type Adding<Request> = {
  /** Returns the nonce of the first one of the next statement, and how many it can add. Others are refused. */
  begin: (sender: Address, added: readonly Request[]) => Promise<{ first: number; room?: Room }>;
  /** Signs a transaction with this nonce. */
  signItem: (sender: Address, request: Request, nonce: number) => Promise<Item>;
  /** Calls the function that stores the items whose nonce is the next one, and returns the next nonce per item as `nexts`. */
  add: (sender: Address, items: string) => SQL;
  /** Called with the next nonce, if it is known, when a statement has ended. */
  end: (sender: Address, next: number | undefined) => void;
};

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner));

/** SQLSTATEs with which the database refuses one transaction of several, and stores none: unique violation, deadlock, the ledger's own. */
const isRefusalOfOne = (error: unknown): boolean =>
  /^(23505|40P01|LK...)$/.test(driverError(error)?.code ?? '');

type Result = PromiseSettledResult<StoredTransaction>;

function known(sender: Address, nonce: number | null | undefined): number {
  if (typeof nonce !== 'number') throw new Error(`the sender ${sender} has no stored nonce`);
  return nonce;
}

/**
 * Returns a function that adds transactions in one statement. A result is undefined for a transaction whose nonce another process used, or
 * that was corrected. One that is not signed takes no nonce: those after it have none yet either.
 */
function createAddAll<Request>(db: Database, { begin, signItem, add, end }: Adding<Request>) {
  return async (sender: Address, added: readonly Request[]): Promise<(Result | undefined)[]> => {
    const { first, room } = await begin(sender, added);
    const sign = async (request: Request, index: number): Promise<Item> => {
      if (room && index >= room.size) throw room.refusal;
      return signItem(sender, request, first + index);
    };
    const results = await Promise.allSettled(added.map(sign));
    const items = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    let next: number | undefined;
    try {
      const { nexts } = await callForRow(
        db,
        { nexts: sql<(number | null)[]>`nexts` },
        add(sender, toJson(items.map(({ stored }) => stored))),
      );
      const isStored = new Set<Item>();
      for (const [index, item] of items.entries()) {
        const assigned = known(sender, nexts[index]);
        if (assigned === item.transaction.nonce) isStored.add(item);
        next = Math.max(next ?? 0, isStored.has(item) ? assigned + 1 : assigned);
      }
      return results.map((result) => {
        if (result.status === 'rejected') return result;
        const { value: item } = result;
        return isStored.has(item) ? { status: 'fulfilled', value: item.transaction } : undefined;
      });
    } finally {
      // The statement can have had an effect when its reply was lost.
      end(sender, next);
    }
  };
}

/** Returns a function that adds transactions in one statement; after a refusal of one of them, one by one. */
export function createAdd<Request extends { idempotencyId: string | undefined }>(
  db: Database,
  byIdempotencyId: (idempotencyId: string) => Promise<StoredTransaction | undefined>,
  adding: Adding<Request>,
) {
  const addAll = createAddAll(db, adding);
  /** Another process stored the same request first: the unique index allows only one. */
  const orEarlier = async ({ idempotencyId }: Request, result: Result): Promise<Result> => {
    if (result.status === 'fulfilled' || idempotencyId === undefined) return result;
    const earlier = await byIdempotencyId(idempotencyId);
    return earlier ? { status: 'fulfilled', value: earlier } : result;
  };
  return async (sender: Address, added: readonly Request[]): Promise<Result[]> => {
    const results: (Result | undefined)[] = added.map(() => undefined);
    let isTogether = true;
    for (;;) {
      const left = [...added.keys()].filter((index) => !results[index]);
      const group = isTogether ? left : left.slice(0, 1);
      if (group.length === 0) break;
      try {
        const found = await addAll(
          sender,
          group.map((index) => added[index] as Request),
        );
        for (const [position, index] of group.entries()) results[index] = found[position];
      } catch (reason) {
        // A refused transaction stored none of them. After another error they can be stored.
        if (group.length > 1 && isRefusalOfOne(reason)) isTogether = false;
        else for (const index of group) results[index] = { status: 'rejected', reason };
      }
    }
    return Promise.all(added.map((request, index) => orEarlier(request, results[index] as Result)));
  };
}

/** How transactions of payers are added. This process keeps the next nonce of each: a wrong one costs another signature, not correctness. */
export function addOfPayers(
  readNonce: (payer: Address) => Promise<number | undefined>,
): Adding<NewTransaction> {
  const nonces = new Map<Address, number>();
  return {
    begin: async (payer) => ({ first: nonces.get(payer) ?? known(payer, await readNonce(payer)) }),
    signItem,
    add: (payer, items) => sql`add_transactions(${payer}, ${items}::jsonb) as nexts`,
    end(payer, next) {
      if (next === undefined) nonces.delete(payer);
      else nonces.set(payer, next);
    },
  };
}

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
  return {
    transaction: { ...values, maxFeePerGas, maxPriorityFeePerGas, account, ...fresh },
    stored: { stored, ...price },
  };
}
