/** The transactions of wallets on one chain, shared by all processes of the relayer. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { callForRow } from '@latchkey/service/call-function';
import { and, eq, getTableColumns, inArray, isNull, notExists, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { type Address, type Hex, keccak256, numberToHex, type TransactionReceipt } from 'viem';
import { type Adding, createAdd, type Item } from '../add.ts';
import { createRows, type Rows, type StoredRows, type StoredTransaction } from '../store.ts';
import { type Database, fresh, walletNonces, walletTransactions } from '../tables.ts';
import type { SignedForms, ToSign } from './forms.ts';
import type { Ladder } from './ladder.ts';

const TURN_POLL_MS = 20;
/** Far longer than the turn of a process that has died. */
const LONGEST_WAIT_MS = 60_000;

/** A call of a wallet with all that it needs to be stored. */
export type NewWalletTransaction = {
  account: bigint;
  usageKey: bigint;
  runId: string;
  cid: string;
  to: Address | null;
  value: bigint;
  data: Hex;
  gas: bigint;
  cancelGas: bigint;
  ladder: Ladder;
  /** The next nonce by the chain. */
  inChain: number;
  idempotencyId: string | undefined;
  /** Rejects when it takes long. */
  sign: (toSign: ToSign) => Promise<SignedForms>;
};

export type StoredWalletTransaction = StoredTransaction & {
  to: Address | null;
  value: bigint;
  /** 0x and 64 hex digits. */
  usageKey: string;
  broadcastAt: Date | null;
};

export type WalletLimits = {
  /** Maximum number of pending transactions of a wallet on a chain, and of an account. */
  maxPendingPerWallet: number;
  maxPendingPerAccount: number;
};

/** The wallet or the account has too many pending transactions. */
export class PendingLimitError extends Error {
  override readonly name = 'PendingLimitError';
}

export type WalletStore = StoredRows & {
  /** Assigns the wallet's next nonces, in its turn among all processes. See `Store.add`. */
  add: (
    wallet: Address,
    added: readonly NewWalletTransaction[],
  ) => Promise<PromiseSettledResult<StoredTransaction>[]>;
  raiseNonce: (wallet: Address, nonce: number) => Promise<void>;
  /** Stores that a node has accepted these. */
  noteBroadcast: (ids: readonly string[]) => Promise<void>;
  /** Stores where a transaction was mined that does not count yet, or that it no longer is. */
  mark: (id: string, receipt: TransactionReceipt | undefined) => Promise<void>;
  /** Returns the signed forms of the call, in the order of their fees. */
  forms: (id: string) => Promise<Hex[]>;
  /** Makes the cancel form the latest one. Returns the transaction; undefined when it is settled. */
  cancel: (id: string) => Promise<StoredTransaction | undefined>;
};

/** The signed forms stay in the database until they are used. */
const { forms: _forms, cancelRaw: _cancelRaw, ...columns } = getTableColumns(walletTransactions);

export function createWalletStore(db: Database, chainId: number, limits: WalletLimits): WalletStore {
  const table = walletTransactions;
  const where = eq(table.chainId, chainId);
  const stored = createRows(db, {
    // The two tables have the same columns, apart from those that only one kind of sender has.
    ...({ table, columns } as unknown as Pick<Rows, 'table' | 'columns'>),
    where,
    repeatable: ['pending', 'mined', 'reverted', 'replaced'],
    repriceable: isNull(table.cancelRequestedAt),
    reopenable: hasFreeNonce(db),
    settle: (id, { status, minedHash = null, blockNumber = null, blockHash = null, reason = null }) =>
      sql`select settle_wallet_transaction(${id}, ${status}, ${minedHash}, ${blockNumber}::bigint, ${blockHash}, ${reason})`,
  });
  const isPending = (id: string) => and(eq(table.id, id), eq(table.status, 'pending'));
  return {
    ...stored,
    add: createAdd(db, stored.byIdempotencyId, addOfWallets(db, chainId, limits)),
    async raiseNonce(wallet, nonce) {
      await db
        .update(walletNonces)
        .set({ next: sql`greatest(${walletNonces.next}, ${nonce})` })
        .where(and(eq(walletNonces.chainId, chainId), eq(walletNonces.wallet, wallet)));
    },
    async noteBroadcast(ids) {
      await db
        .update(table)
        .set({ broadcastAt: sql`now()` })
        // Callers see the time of pending transactions only.
        .where(and(inArray(table.id, [...ids]), eq(table.status, 'pending'), isNull(table.broadcastAt)));
    },
    async mark(id, receipt) {
      const { transactionHash: minedHash = null, blockNumber = null, blockHash = null } = receipt ?? {};
      await db.update(table).set({ minedHash, blockNumber, blockHash }).where(isPending(id));
    },
    async forms(id) {
      const [row] = await db.select({ forms: table.forms }).from(table).where(eq(table.id, id));
      return (row?.forms ?? []) as Hex[];
    },
    async cancel(id) {
      await db
        .update(table)
        .set({
          raw: sql`${table.cancelRaw}`,
          hashes: sql`array_append(${table.hashes}, ${table.cancelHash})`,
          cancelRequestedAt: sql`now()`,
        })
        .where(and(isPending(id), isNull(table.cancelRequestedAt)));
      const transaction = await stored.get(id);
      return transaction?.status === 'pending' ? transaction : undefined;
    },
  };
}

/** No pending transaction of the wallet has the nonce. */
function hasFreeNonce(db: Database): SQL {
  const table = walletTransactions;
  const other = alias(table, 'other_pending');
  const hasNonce = and(
    eq(other.chainId, table.chainId),
    eq(other.payer, table.payer),
    eq(other.nonce, table.nonce),
    eq(other.status, 'pending'),
  );
  return notExists(db.select({ id: other.id }).from(other).where(hasNonce));
}

async function signItem(
  chainId: number,
  wallet: Address,
  request: NewWalletTransaction,
  nonce: number,
): Promise<Item> {
  const { account, to, value, data, gas, cancelGas, ladder, idempotencyId } = request;
  const signed = await request.sign({ ...ladder, nonce, gas, cancelGas });
  const [fees, raw] = [ladder.forms[0], signed.forms[0]];
  if (!fees || !raw) throw new Error('a transaction has no form');
  const values = { id: randomUUID(), nonce, data, gas, raw, hashes: [keccak256(raw)] };
  const usageKey = numberToHex(request.usageKey, { size: 32 });
  const more = { to, value, usageKey, broadcastAt: null };
  const transaction: StoredWalletTransaction = {
    ...values,
    payer: wallet,
    ...fees,
    account,
    ...fresh,
    ...more,
  };
  const stored = {
    ...values,
    max_fee_per_gas: fees.maxFeePerGas,
    max_priority_fee_per_gas: fees.maxPriorityFeePerGas,
    account: numberToHex(account, { size: 32 }),
    idempotency_id: idempotencyId,
    chain_id: chainId,
    wallet,
    receiver: to,
    value,
    usage_key: usageKey,
    run_id: request.runId,
    cid: request.cid,
    forms: signed.forms,
    cancel_raw: signed.cancel,
    cancel_hash: keccak256(signed.cancel),
  };
  return { transaction, stored };
}

/** How transactions of wallets are added: processes sign in turns, because a signature takes long and a run signs few times. */
function addOfWallets(db: Database, chainId: number, limits: WalletLimits): Adding<NewWalletTransaction> {
  const process = randomUUID();
  const columns = {
    nonce: sql<number | null>`nonce`,
    ofWallet: sql<number>`of_wallet`,
    ofAccount: sql<number>`of_account`,
  };
  const { maxPendingPerWallet, maxPendingPerAccount } = limits;
  return {
    async begin(wallet, added) {
      const inChain = Math.max(...added.map((request) => request.inChain));
      const account = added[0]?.account ?? 0n;
      const deadline = performance.now() + LONGEST_WAIT_MS;
      for (;;) {
        const { nonce, ofWallet, ofAccount } = await callForRow(
          db,
          columns,
          sql`take_wallet_turn(${chainId}::bigint, ${wallet}, ${process}, ${inChain}::integer, ${numberToHex(account, { size: 32 })}, ${maxPendingPerWallet}::integer, ${maxPendingPerAccount}::integer)`,
        );
        if (nonce === null) {
          if (performance.now() > deadline)
            throw new Error(`other processes use the wallet ${wallet} all the time`);
          await delay(TURN_POLL_MS);
          continue;
        }
        const [inWallet, inAccount] = [maxPendingPerWallet - ofWallet, maxPendingPerAccount - ofAccount];
        const refusal = new PendingLimitError(
          inWallet <= inAccount
            ? `the wallet has ${maxPendingPerWallet} pending transactions on chain ${chainId}: wait until one is mined, or cancel one`
            : `the account has ${maxPendingPerAccount} pending transactions: wait until one is mined, or cancel one`,
        );
        return { first: nonce, room: { size: Math.min(inWallet, inAccount), refusal } };
      }
    },
    signItem: (wallet, request, nonce) => signItem(chainId, wallet, request, nonce),
    add: (wallet, items) =>
      sql`add_wallet_transactions(${chainId}::bigint, ${wallet}, ${process}, ${items}::jsonb) as nexts`,
    end() {},
  };
}
