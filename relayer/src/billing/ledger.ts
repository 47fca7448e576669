/**
 * The credit of every account (master hash) in micro-credits. The database enforces double entry, the order of entries
 * and "no reserve beyond the balance" (migrations/0001_ledger_append.sql). Every function takes the database or a transaction:
 * use one transaction for changes that must be atomic.
 */
import { callForRow, callFunction } from '@latchkey/service/call-function';
import { driverError } from '@latchkey/service/database-errors';
import { and, eq, sql, sum } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { creditBalances, type EntryKind, ledgerEntries } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { CapError } from './caps.ts';

/** SQLSTATE raised by the trigger `ledger_append`. */
const INSUFFICIENT_CREDIT = 'LK402';
/** SQLSTATE raised by the function `reserve_credit`. */
const CAP_REACHED = 'LK403';

/** The account cannot pay. */
export class InsufficientCreditError extends Error {
  override readonly name = 'InsufficientCreditError';
}

export type Entry = Pick<
  typeof ledgerEntries.$inferSelect,
  'number' | 'kind' | 'amountMicros' | 'reserve' | 'keyHash' | 'reason' | 'availableAfter' | 'createdAt'
>;

/** A payment by a key of the account, with the reason as text. */
export type Spending = { account: bigint; key: bigint; amountMicros: bigint; reason: string };

/** Inserts one entry; undefined when its external id or the end of its reserve already exists. */
async function append(
  db: Database,
  entry: Pick<Entry, 'kind' | 'amountMicros' | 'reason'> & {
    account: bigint;
    externalId?: string;
  },
): Promise<bigint | undefined> {
  const [row] = await db
    .insert(ledgerEntries)
    // The trigger sets the number and the balance.
    .values({ ...entry, account: hashText(entry.account), number: 0n, availableAfter: 0n })
    .returning({ number: ledgerEntries.number });
  return row?.number;
}

/**
 * Reserves the amount within a transaction and returns the number of the entry. Throws `InsufficientCreditError` when
 * the balance is lower and `CapError` when the key is not permitted to spend it: roll the transaction back after
 * either.
 */
export async function reserve(
  tx: Database,
  { account, key, amountMicros, reason }: Spending,
): Promise<bigint> {
  const { number } = await callForRow(
    tx,
    { number: sql<string>`number` },
    sql`reserve_credit(${hashText(account)}, ${hashText(key)}, ${amountMicros}::bigint, ${reason}) as number`,
  ).catch(throwRefusal);
  return BigInt(number);
}

/** Throws the error of a refused reserve as `InsufficientCreditError` or `CapError`, and any other error unchanged. */
export function throwRefusal(error: unknown): never {
  const { code, detail, column = 'spend_cap_cents' } = driverError(error) ?? {};
  if (code === INSUFFICIENT_CREDIT)
    throw new InsufficientCreditError('the account does not have enough credit');
  if (code === CAP_REACHED)
    throw new CapError(column as CapError['cap'], detail ? new Date(1_000 * Number(detail)) : undefined);
  throw error;
}

/**
 * Ends these reserves within a transaction by capture or release. The first end of each reserve counts. Returns how
 * many it ended.
 */
export async function endReserves(
  tx: Database,
  kind: 'capture' | 'release',
  account: bigint,
  reserves: bigint[],
): Promise<number> {
  if (reserves.length === 0) return 0;
  const { ended } = await callForRow(
    tx,
    { ended: sql<number>`ended` },
    sql`end_reserves(${kind}, ${hashText(account)}, ${sql.param(reserves)}::bigint[]) as ended`,
  );
  return ended;
}

/**
 * Adds credit, or reverses it (the balance can become negative), once per external id. Returns false when the id was
 * already used.
 */
export async function move(
  db: Database,
  account: bigint,
  kind: 'credit' | 'reverse',
  amountMicros: bigint,
  cause: { externalId: string; reason: string },
): Promise<boolean> {
  return (await append(db, { account, kind, amountMicros, ...cause })) !== undefined;
}

/** Returns the entry of an account that credits the payment with this external id. */
export async function findPayment(
  db: Database,
  account: bigint,
  externalId: string,
): Promise<Pick<Entry, 'amountMicros' | 'createdAt'> | undefined> {
  const { amountMicros, createdAt, kind } = ledgerEntries;
  const isOwn = eq(ledgerEntries.account, hashText(account));
  const [found] = await db
    .select({ amountMicros, createdAt })
    .from(ledgerEntries)
    .where(and(isOwn, eq(ledgerEntries.externalId, externalId), eq(kind, 'credit')));
  return found;
}

/** Returns the available credit. Negative when the account owes. */
export async function availableMicros(db: Database, account: bigint): Promise<bigint> {
  const [row] = await db
    .select({ available: creditBalances.available })
    .from(creditBalances)
    .where(eq(creditBalances.account, hashText(account)));
  return row?.available ?? 0n;
}

/**
 * Returns a page of entries, latest first, and their total number. `archived` is the number of the last entry whose month was moved to an
 * archive, 0 without: reserves up to it, and their ends, are not in pages.
 */
export async function listEntries(
  db: Database,
  account: bigint,
  page: { offset: number; limit: number },
): Promise<{ entries: Entry[]; total: bigint; archived: bigint }> {
  const [balance] = await db
    .select({ total: creditBalances.entries, archived: lastArchived(hashText(account)) })
    .from(creditBalances)
    .where(eq(creditBalances.account, hashText(account)));
  const total = balance?.total ?? 0n;
  // Numbers have no gaps: a page is a range of them and stays the same while entries are added.
  const last = total - BigInt(page.offset);
  const first = last - BigInt(page.limit) + 1n;
  const rows = await callFunction(
    db,
    {
      number: sql<string>`number`,
      kind: sql<EntryKind>`kind`,
      amountMicros: sql<string>`amount_micros`,
      reserve: sql<string | null>`reserve`,
      keyHash: sql<string | null>`key_hash`,
      reason: sql<string>`reason`,
      availableAfter: sql<string>`available_after`,
      createdAt: sql<Date>`created_at`.mapWith(ledgerEntries.createdAt),
    },
    sql`list_entries(${hashText(account)}, ${first}::bigint, ${last}::bigint)`,
  );
  const entries = rows.map(({ number, amountMicros, reserve, availableAfter, ...entry }) => ({
    ...entry,
    number: BigInt(number),
    amountMicros: BigInt(amountMicros),
    reserve: reserve === null ? null : BigInt(reserve),
    availableAfter: BigInt(availableAfter),
  }));
  return { entries, total, archived: BigInt(balance?.archived ?? 0) };
}

const lastArchived = (account: string) => sql<string>`coalesce((
  select c.entries from ledger_closings c join ledger_archives a on a.month = c.month
    where c.account = decode(${account.slice(2)}, 'hex') and a.removed_at is not null order by c.month desc limit 1), 0)`;

/** Returns the micro-credits of all accounts together. */
export async function totals(
  db: Database,
): Promise<Record<'available' | 'reserved' | 'credited' | 'captured' | 'reversed', bigint>> {
  const [row] = await db
    .select({
      available: sum(creditBalances.available),
      reserved: sum(creditBalances.reserved),
      credited: sum(creditBalances.credited),
      captured: sum(creditBalances.captured),
      reversed: sum(creditBalances.reversed),
    })
    .from(creditBalances);
  const of = (text: string | null | undefined) => BigInt(text ?? 0);
  return {
    available: of(row?.available),
    reserved: of(row?.reserved),
    credited: of(row?.credited),
    captured: of(row?.captured),
    reversed: of(row?.reversed),
  };
}
