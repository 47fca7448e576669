/**
 * The credit of every account (master hash) in micro-credits. The rules of double entry, the order of entries and "no
 * reserve beyond the balance" are kept by the database (migrations/0001_ledger.sql). Every function takes the database or a
 * transaction of it: what has to happen together is done in one.
 */
import { driverError } from '@latchkey/service/database-errors';
import { and, asc, desc, eq, inArray, lte, sql, sum } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { creditBalances, ledgerEntries, usageKeyCaps } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { spendUnderCap } from './caps.ts';

/** Of the trigger `ledger_append`. */
const INSUFFICIENT_CREDIT = 'LK402';

/** The account cannot pay. */
export class InsufficientCreditError extends Error {
  override readonly name = 'InsufficientCreditError';
}

export type Entry = Pick<
  typeof ledgerEntries.$inferSelect,
  'number' | 'kind' | 'amountMicros' | 'reserve' | 'keyHash' | 'reason' | 'availableAfter' | 'createdAt'
>;

/** What is to be paid: by which key of the account, and for what in words. */
export type Spending = { account: bigint; key: bigint; amountMicros: bigint; reason: string };

/** Inserts one entry; undefined when its external id or the end of its reserve is there already. */
async function append(
  db: Database,
  entry: Pick<Entry, 'kind' | 'amountMicros' | 'reason'> & {
    account: bigint;
    keyHash?: string;
    externalId?: string;
  },
): Promise<bigint | undefined> {
  const [row] = await db
    .insert(ledgerEntries)
    // The trigger gives the right number and balance.
    .values({ ...entry, account: hashText(entry.account), number: 0n, availableAfter: 0n })
    .returning({ number: ledgerEntries.number })
    .catch((error: unknown) => {
      throw driverError(error)?.code === INSUFFICIENT_CREDIT
        ? new InsufficientCreditError('the account has not enough credit')
        : error;
    });
  return row?.number;
}

/**
 * Takes the amount aside within a transaction and returns the number of the reserve. `InsufficientCreditError` when there is
 * less, `CapError` when the key may not spend it: the transaction has to end with either.
 */
export async function reserve(
  tx: Database,
  { account, key, amountMicros, reason }: Spending,
): Promise<bigint> {
  await spendUnderCap(tx, key, amountMicros);
  const keyHash = hashText(key);
  return (await append(tx, { account, kind: 'reserve', amountMicros, reason, keyHash })) as bigint;
}

/** Ends these reserves within a transaction, paid or given back; the first end of each counts. Returns how many it ended. */
export async function endReserves(
  tx: Database,
  kind: 'capture' | 'release',
  account: bigint,
  reserves: bigint[],
): Promise<number> {
  if (reserves.length === 0) return 0;
  const found = await tx
    .select({
      number: ledgerEntries.number,
      amountMicros: ledgerEntries.amountMicros,
      keyHash: ledgerEntries.keyHash,
      reason: ledgerEntries.reason,
    })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.account, hashText(account)), inArray(ledgerEntries.number, reserves)))
    .orderBy(asc(ledgerEntries.number));
  // Caps are locked before balances, here and in `reserve`.
  if (kind === 'release') await lockCaps(tx, new Set(found.map(({ keyHash }) => keyHash as string)));
  const ended = await tx
    .insert(ledgerEntries)
    .values(
      found.map(({ number: reserve, ...entry }) => ({
        ...entry,
        kind,
        reserve,
        account: hashText(account),
        number: 0n,
        availableAfter: 0n,
      })),
    )
    .returning({ reserve: ledgerEntries.reserve });
  if (kind === 'release')
    await unspend(
      tx,
      account,
      ended.map(({ reserve }) => reserve as bigint),
    );
  return ended.length;
}

async function lockCaps(tx: Database, keys: Set<string>): Promise<void> {
  await tx
    .select({ key: usageKeyCaps.key })
    .from(usageKeyCaps)
    .where(inArray(usageKeyCaps.key, [...keys]))
    .orderBy(asc(usageKeyCaps.key))
    .for('update');
}

/** What was reserved in the present window of a key's cap and is given back counts as not spent. */
async function unspend(tx: Database, account: bigint, reserves: bigint[]): Promise<void> {
  if (reserves.length === 0) return;
  const perKey = await tx
    .select({ key: usageKeyCaps.key, micros: sum(ledgerEntries.amountMicros) })
    .from(ledgerEntries)
    .innerJoin(
      usageKeyCaps,
      and(
        eq(usageKeyCaps.key, ledgerEntries.keyHash),
        lte(usageKeyCaps.windowStartedAt, ledgerEntries.createdAt),
      ),
    )
    .where(and(eq(ledgerEntries.account, hashText(account)), inArray(ledgerEntries.number, reserves)))
    .groupBy(usageKeyCaps.key);
  for (const { key, micros } of perKey)
    await tx
      .update(usageKeyCaps)
      .set({ spentMicros: sql`${usageKeyCaps.spentMicros} - ${micros}` })
      .where(eq(usageKeyCaps.key, key));
}

/** Adds credit, or takes it back (below zero where it was spent), once for each external id; false when it was done. */
export async function move(
  db: Database,
  account: bigint,
  kind: 'credit' | 'reverse',
  amountMicros: bigint,
  cause: { externalId: string; reason: string },
): Promise<boolean> {
  return (await append(db, { account, kind, amountMicros, ...cause })) !== undefined;
}

/** What the account can spend; below zero it owes. */
export async function availableMicros(db: Database, account: bigint): Promise<bigint> {
  const [row] = await db
    .select({ available: creditBalances.available })
    .from(creditBalances)
    .where(eq(creditBalances.account, hashText(account)));
  return row?.available ?? 0n;
}

/** The latest entries first, and how many there are. */
export async function entriesOf(
  db: Database,
  account: bigint,
  page: { offset: number; limit: number },
): Promise<{ entries: Entry[]; total: bigint }> {
  const [balance] = await db
    .select({ total: creditBalances.entries })
    .from(creditBalances)
    .where(eq(creditBalances.account, hashText(account)));
  const total = balance?.total ?? 0n;
  // Numbers have no gaps: a page is a range of them, and stays the same while entries are added.
  const last = total - BigInt(page.offset);
  const entries = await db
    .select({
      number: ledgerEntries.number,
      kind: ledgerEntries.kind,
      amountMicros: ledgerEntries.amountMicros,
      reserve: ledgerEntries.reserve,
      keyHash: ledgerEntries.keyHash,
      reason: ledgerEntries.reason,
      availableAfter: ledgerEntries.availableAfter,
      createdAt: ledgerEntries.createdAt,
    })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.account, hashText(account)), lte(ledgerEntries.number, last)))
    .orderBy(desc(ledgerEntries.number))
    .limit(page.limit);
  return { entries, total };
}

/** Micro-credits of all accounts together. */
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
