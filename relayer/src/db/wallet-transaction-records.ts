import { walletTransactions } from '@latchkey/outbox';
import { and, asc, desc, eq, getTableColumns, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { Database } from './database.ts';
import type { RunOwner } from './run-records.ts';

export const walletTransactionStatuses = [
  'queued',
  'broadcast',
  'mined',
  'confirmed',
  'replaced',
  'failed',
] as const;
export type WalletTransactionStatus = (typeof walletTransactionStatuses)[number];

const table = walletTransactions;
const { forms: _forms, cancelRaw: _cancelRaw, raw: _raw, data, ...columns } = getTableColumns(table);

/** Without its calldata and its signed forms. */
export type WalletTransactionRecord = Omit<typeof table.$inferSelect, 'forms' | 'cancelRaw' | 'raw' | 'data'>;

/** Returns the status that the columns of a transaction tell. */
export function statusOf(
  record: Pick<WalletTransactionRecord, 'status' | 'minedHash' | 'broadcastAt'>,
): WalletTransactionStatus {
  switch (record.status) {
    case 'mined':
      return 'confirmed';
    case 'reverted':
      return 'failed';
    case 'replaced':
      return 'replaced';
    case 'pending':
      if (record.minedHash) return 'mined';
      return record.broadcastAt ? 'broadcast' : 'queued';
  }
}

const isPending = eq(table.status, 'pending');
const conditions: Record<WalletTransactionStatus, SQL | undefined> = {
  queued: and(isPending, isNull(table.minedHash), isNull(table.broadcastAt)),
  broadcast: and(isPending, isNull(table.minedHash), isNotNull(table.broadcastAt)),
  mined: and(isPending, isNotNull(table.minedHash)),
  confirmed: eq(table.status, 'mined'),
  replaced: eq(table.status, 'replaced'),
  failed: eq(table.status, 'reverted'),
};

const ownedBy = ({ account, key }: RunOwner) =>
  and(eq(table.account, account), key === undefined ? undefined : eq(table.usageKey, key));

export type WalletTransactionFilter = {
  wallet?: Address | undefined;
  /** Hash of a usage key: 0x and 64 hex digits. */
  usageKey?: string | undefined;
  status?: WalletTransactionStatus | undefined;
  /** Id of a transaction: selects the older ones. */
  before?: string | undefined;
};

const isSettled = (status: WalletTransactionStatus) => ['confirmed', 'replaced', 'failed'].includes(status);

/** PostgreSQL cannot look into a `case`, and so chooses the index for the other conditions. */
const unindexed = (condition: SQL | undefined) =>
  condition && sql`case when ${condition} then true else false end`;

/** The conditions of a filter. Few transactions of an account are pending: they are found by the account. */
function matching(
  { account, key }: RunOwner,
  { wallet, usageKey, status }: WalletTransactionFilter,
): SQL | undefined {
  const ofAccount = eq(table.account, account);
  const keys = [key, usageKey].filter((wanted) => wanted !== undefined);
  const ofKey = and(...keys.map((wanted) => eq(table.usageKey, wanted)));
  const ofWallet = wallet === undefined ? undefined : eq(table.payer, wallet);
  const inState = status === undefined ? undefined : conditions[status];
  if (status !== undefined && !isSettled(status))
    return and(ofAccount, inState, unindexed(and(ofKey, ofWallet)));
  return and(ofKey ? and(ofKey, unindexed(ofAccount)) : ofAccount, ofWallet, inState);
}

/** Resolves to the transactions that match all of the filter, newest first. */
export async function listWalletTransactions(
  db: Database,
  owner: RunOwner,
  filter: WalletTransactionFilter,
  limit: number,
): Promise<WalletTransactionRecord[]> {
  const { before } = filter;
  const last = db
    .select({ createdAt: table.createdAt, id: table.id })
    .from(table)
    .where(and(ownedBy(owner), before === undefined ? undefined : eq(table.id, before)));
  return db
    .select(columns)
    .from(table)
    .where(
      and(
        matching(owner, filter),
        before === undefined ? undefined : sql`(${table.createdAt}, ${table.id}) < (${last})`,
      ),
    )
    .orderBy(desc(table.createdAt), desc(table.id))
    .limit(limit);
}

/** Resolves to undefined for an unknown transaction and for one of another owner. */
export async function findWalletTransaction(db: Database, owner: RunOwner, id: string) {
  const [found] = await db
    .select({ ...columns, data })
    .from(table)
    .where(and(ownedBy(owner), eq(table.id, id)));
  return found;
}

/** Resolves to the pending transactions, the oldest first; with `since`, also to those that have changed later. */
export async function listChanges(
  db: Database,
  owner: RunOwner,
  since: Date | undefined,
): Promise<WalletTransactionRecord[]> {
  const wanted = since === undefined ? isPending : gt(table.changedAt, since);
  return db
    .select(columns)
    .from(table)
    .where(and(ownedBy(owner), wanted))
    .orderBy(asc(table.changedAt));
}

/** Returns the time of the database, by which changes have their times. */
export async function readClock(db: Database): Promise<Date> {
  const [row] = await db.select({ now: sql<string>`now` }).from(sql`clock_timestamp() now`);
  return new Date(row?.now ?? 0);
}

export type PendingCount = { chainId: number; pending: number; oldestSec: number };

/** Counts the pending transactions of each chain, and the age of its oldest one. */
export async function countPending(db: Database): Promise<PendingCount[]> {
  return db
    .select({
      chainId: table.chainId,
      pending: sql<number>`count(*)::integer`,
      oldestSec: sql<number>`extract(epoch from now() - min(${table.createdAt}))::double precision`,
    })
    .from(table)
    .where(isPending)
    .groupBy(table.chainId);
}
