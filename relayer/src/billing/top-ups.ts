/**
 * The stored settings and charges of automatic top-ups. A change of an account's takes a lock, so that several relayers keep the limits
 * together, and one charge of an account is open at a time.
 */
import { and, asc, eq, inArray, isNull, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { isOneOf } from '../db/is-one-of.ts';
import { autoTopUps, cardDetachments, type PauseReason, topUpCharges } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import type { EventType } from '../webhooks/event-types.ts';

export type TopUp = typeof autoTopUps.$inferSelect;
/** Stripe's state of a charge. Without an intent Stripe has refused the request. */
export type Charged = {
  intent: string | undefined;
  outcome: 'paid' | 'processing' | 'authentication_required' | 'card_declined';
  declineCode: string | null;
};
export type TopUpCharge = typeof topUpCharges.$inferSelect;

/** Charges of an owner in any 24 hours, whatever their outcome. */
const MAX_CHARGES_PER_DAY = 10;
/** Longer than a charge and the reads of its payment take. When it ends too early, two relayers do the same, with one effect. */
const LEASE_SEC = 120;
const CHECK_MIN = 5;
const BATCH = 20;

const unpaused = { pauseReason: null, declineCode: null, pausedAt: null, dueAt: sql`now()` };
const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds}::int)`;

const ownCharges = sql`from top_up_charges c where c.account = auto_top_ups.account and c.owner = auto_top_ups.owner`;
/** Cents of this calendar month (UTC) that were charged, or can still turn out to be. */
const chargedThisMonth = sql<number>`(select coalesce(sum(c.amount_cents), 0)::int ${ownCharges}
  and c.status <> 'failed' and c.created_at >= date_trunc('month', now(), 'UTC'))`;
/** The credit is low, reserved credit counted as not spent: as in `mark_top_up`. */
const isLow = sql`auto_top_ups.pause_reason is null
  and coalesce((select b.available + b.reserved from credit_balances b where b.account = auto_top_ups.account), 0)
    < auto_top_ups.threshold_micros`;
/** The settings permit a charge. */
const isPermitted = sql`not exists (select from top_up_charges c
    where c.account = auto_top_ups.account and c.status in ('sending', 'waiting', 'closing'))
  and (select count(*) ${ownCharges} and c.created_at > now() - interval '1 day') < ${MAX_CHARGES_PER_DAY}
  and ${chargedThisMonth} + auto_top_ups.amount_cents <= auto_top_ups.monthly_limit_cents`;

/** Makes the changes of an account one after the other. */
const change = <Result>(db: Database, account: string, work: (tx: Database) => Promise<Result>) =>
  db.transaction(async (tx) => {
    await lockTopUp(tx, account);
    return work(tx);
  });

export const lockTopUp = (tx: Database, account: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`top-up ${account}`}, 0))`);

/** Returns the settings, the cents that were charged this month, and the payment that waits for its authentication. */
export async function readTopUp(
  db: Database,
  account: bigint,
): Promise<(TopUp & { chargedCents: number; waiting: TopUpCharge | undefined }) | undefined> {
  const own = eq(autoTopUps.account, hashText(account));
  const isWaiting = and(eq(topUpCharges.account, autoTopUps.account), eq(topUpCharges.status, 'waiting'));
  const [found] = await db
    .select({ topUp: autoTopUps, chargedCents: chargedThisMonth, waiting: topUpCharges })
    .from(autoTopUps)
    .leftJoin(topUpCharges, isWaiting)
    .where(own);
  return found && { ...found.topUp, chargedCents: found.chargedCents, waiting: found.waiting ?? undefined };
}

/** The holder of the stored card has agreed to a lower monthly limit. */
export class LimitRaisedError extends Error {
  override readonly name = 'LimitRaisedError';
}

/**
 * Stores settings, which end the former ones with their pause and, unless it is the same, their card. Resolves to false, and stores nothing,
 * when the card is not new and was removed meanwhile. Rejects with `LimitRaisedError`.
 */
export function saveTopUp(
  db: Database,
  settings: typeof autoTopUps.$inferInsert,
  isNewCard: boolean,
): Promise<boolean> {
  const { account, owner, paymentMethod } = settings;
  return change(db, account, async (tx) => {
    const [former] = await tx.select().from(autoTopUps).where(eq(autoTopUps.account, account));
    const isStored = former?.owner === owner && former.paymentMethod === paymentMethod;
    if (!isNewCard && !isStored) return false;
    // Who has the account key need not have the card.
    if (!isNewCard && former && settings.monthlyLimitCents > former.monthlyLimitCents)
      throw new LimitRaisedError('the monthly limit of a stored card rises');
    await removeFormer(tx, account, paymentMethod);
    await tx.insert(autoTopUps).values(settings);
    // A card that was to be detached is in use again.
    await tx.delete(cardDetachments).where(eq(cardDetachments.paymentMethod, paymentMethod));
    return true;
  });
}

/** Ends the settings of an account, those of `owner` only when given, and their card. Returns whether there were any. */
export const endTopUp = (db: Database, account: string, owner?: string): Promise<boolean> =>
  change(db, account, (tx) => removeFormer(tx, account, undefined, owner));

async function removeFormer(
  tx: Database,
  account: string,
  keptCard: string | undefined,
  owner?: string,
): Promise<boolean> {
  const isFormer = and(
    eq(autoTopUps.account, account),
    owner === undefined ? undefined : eq(autoTopUps.owner, owner),
  );
  const [former] = await tx.delete(autoTopUps).where(isFormer).returning();
  if (!former) return false;
  await tx
    .update(topUpCharges)
    .set({ status: 'closing', leaseUntil: sql`now()` })
    .where(and(eq(topUpCharges.account, account), eq(topUpCharges.status, 'waiting')));
  const { paymentMethod } = former;
  if (paymentMethod !== keptCard)
    await tx.insert(cardDetachments).values({ paymentMethod }).onConflictDoNothing();
  return true;
}

/** Takes settings whose credit was lowered, or that a limit held up. */
export const claimDueTopUps = (db: Database): Promise<TopUp[]> => {
  const due = selectDue(db, autoTopUps, autoTopUps.account, autoTopUps.dueAt);
  return db
    .update(autoTopUps)
    .set({ dueAt: inSeconds(LEASE_SEC) })
    .where(isOneOf(autoTopUps.account, due))
    .returning();
};

/** Limits end at the start of a month, or some time in an hour. */
const nextLook = sql`case when ${isLow} then date_trunc('hour', now(), 'UTC') + interval '1 hour' end`;

/** Stores a charge before it is sent. Resolves to undefined when none is due, and looks again after the next entry that lowers the credit. */
export const beginCharge = (db: Database, { account, owner }: TopUp): Promise<TopUpCharge | undefined> =>
  change(db, account, async (tx) => {
    const isSame = and(eq(autoTopUps.account, account), eq(autoTopUps.owner, owner));
    // Entries of the ledger mark the row: the next statement sees the credit of those before, and those after it mark the row again.
    await tx.select().from(autoTopUps).where(isSame).for('update');
    const { customer: ofCustomer, paymentMethod: card, amountCents: cents } = autoTopUps;
    const looked = { customer: ofCustomer, paymentMethod: card, amountCents: cents };
    const [found] = await tx
      .update(autoTopUps)
      .set({ dueAt: nextLook })
      .where(isSame)
      .returning({ ...looked, isDue: sql<boolean>`${isLow} and ${isPermitted}` });
    if (!found?.isDue) return undefined;
    const { customer, paymentMethod, amountCents } = found;
    const charge = { account, owner, customer, paymentMethod, amountCents, leaseUntil: inSeconds(LEASE_SEC) };
    const [begun] = await tx.insert(topUpCharges).values(charge).onConflictDoNothing().returning();
    return begun;
  });

const isOfCharge = ({ account, owner, paymentMethod }: TopUpCharge) =>
  and(
    eq(autoTopUps.account, account),
    eq(autoTopUps.owner, owner),
    eq(autoTopUps.paymentMethod, paymentMethod),
  );

/** Whether the settings still permit the charge. */
export const isWanted = async (db: Database, charge: TopUpCharge): Promise<boolean> =>
  (await db.$count(autoTopUps, and(isOfCharge(charge), isNull(autoTopUps.pauseReason)))) > 0;

/** Selects the rows whose time has come, which no other process is taking. */
const selectDue = (db: Database, table: PgTable, id: PgColumn, time: PgColumn, isChosen?: SQL) =>
  db
    .select({ id })
    .from(table)
    .where(and(isChosen, lte(time, sql`now()`)))
    .orderBy(asc(time))
    .limit(BATCH)
    .for('update', { skipLocked: true });

/** Takes charges that no process continues. */
export const claimCharges = (db: Database): Promise<TopUpCharge[]> => {
  const isOpen = inArray(topUpCharges.status, ['sending', 'closing']);
  const due = selectDue(db, topUpCharges, topUpCharges.id, topUpCharges.leaseUntil, isOpen);
  return db
    .update(topUpCharges)
    .set({ leaseUntil: inSeconds(LEASE_SEC) })
    .where(isOneOf(topUpCharges.id, due))
    .returning();
};

/** Takes settings whose owner was not compared with the chain for some minutes. */
export const claimChecks = (db: Database): Promise<TopUp[]> => {
  const isOld = lte(autoTopUps.checkedAt, sql`now() - make_interval(mins => ${CHECK_MIN})`);
  const old = selectDue(db, autoTopUps, autoTopUps.account, autoTopUps.checkedAt, isOld);
  return db
    .update(autoTopUps)
    .set({ checkedAt: sql`now()` })
    .where(isOneOf(autoTopUps.account, old))
    .returning();
};

/** Takes cards that are to be detached. */
export const claimDetachments = async (db: Database): Promise<string[]> => {
  const due = selectDue(db, cardDetachments, cardDetachments.paymentMethod, cardDetachments.dueAt);
  const claimed = await db
    .update(cardDetachments)
    .set({ dueAt: inSeconds(LEASE_SEC) })
    .where(isOneOf(cardDetachments.paymentMethod, due))
    .returning();
  return claimed.map(({ paymentMethod }) => paymentMethod);
};

/** Forgets a card that was detached, unless it is in use again. */
export async function forgetDetached(db: Database, paymentMethod: string): Promise<void> {
  await db.delete(cardDetachments).where(eq(cardDetachments.paymentMethod, paymentMethod));
}

/** Ends a charge, without a pause: `paid`, when its payment was credited or returned, or `failed`, when it was not made. */
export async function endCharge(
  db: Database,
  { id, account, status }: TopUpCharge,
  end: 'paid' | 'failed',
): Promise<void> {
  const isSame = and(eq(topUpCharges.id, id), eq(topUpCharges.status, status));
  await db.update(topUpCharges).set({ status: end }).where(isSame);
  // The credit can still be low.
  await db.update(autoTopUps).set({ dueAt: sql`now()` }).where(eq(autoTopUps.account, account));
}

/** Ends a charge that was refused, and pauses the top-up. Its payment waits for the authentication if that can complete it. */
export const failCharge = (
  db: Database,
  charge: TopUpCharge,
  { intent, outcome, declineCode }: Charged & { outcome: PauseReason },
): Promise<void> =>
  change(db, charge.account, async (tx) => {
    const isSending = and(eq(topUpCharges.id, charge.id), eq(topUpCharges.status, 'sending'));
    const set = { status: 'failed' as const, ...(intent !== undefined && { intent }) };
    const [failed] = await tx.update(topUpCharges).set(set).where(isSending).returning();
    if (!failed) return;
    const isPaused = await pause(tx, isOfCharge(charge), outcome, declineCode);
    if (outcome !== 'authentication_required' || intent === undefined) return;
    const status = isPaused ? 'waiting' : 'closing';
    await tx
      .update(topUpCharges)
      .set({ status, leaseUntil: sql`now()` })
      .where(eq(topUpCharges.id, charge.id));
  });

/** Pauses these settings and tells their account, once. */
async function pause(
  tx: Database,
  which: SQL | undefined,
  reason: PauseReason,
  declineCode: string | null,
): Promise<boolean> {
  const [paused] = await tx
    .update(autoTopUps)
    .set({ pauseReason: reason, declineCode, pausedAt: sql`now()` })
    .where(and(which, isNull(autoTopUps.pauseReason)))
    .returning();
  if (!paused) return false;
  const type: EventType = 'auto_top_up.paused';
  const data = { reason, decline_code: declineCode, amount_cents: paused.amountCents };
  await tx.execute(sql`select queue_webhook(${paused.account}, ${type}, ${JSON.stringify(data)}::json)`);
  return true;
}

/**
 * Ends the charge of a successful payment, in the transaction that credits it, and the pause for its authentication; one that is being sent is
 * ended by `endCharge`. Call with the lock of the account's top-up, taken before its balance changes. A payment that was taken back pauses the top-up of the account: the card would be charged again for what its holder disputes.
 */
export async function settleTopUp(
  tx: Database,
  {
    intent,
    status,
    account,
    charge: id,
  }: { intent: string; status: string; account: bigint; charge?: string | undefined },
  news: readonly { kind: 'credit' | 'reverse' }[],
): Promise<void> {
  if (id !== undefined && status === 'succeeded') {
    const isUnpaid = and(eq(topUpCharges.id, id), ne(topUpCharges.status, 'paid'));
    const [before] = await tx.select().from(topUpCharges).where(isUnpaid);
    // Whether its owner still owned the account is not known: the process that continues it returns the payment otherwise.
    const isOpen = before?.status === 'sending';
    await tx
      .update(topUpCharges)
      .set(isOpen ? { intent } : { intent, status: 'paid' })
      .where(isUnpaid);
    const isPaused = before && and(isOfCharge(before), eq(autoTopUps.pauseReason, 'authentication_required'));
    if (before?.status === 'waiting') await tx.update(autoTopUps).set(unpaused).where(isPaused);
  }
  if (news.some(({ kind }) => kind === 'reverse'))
    await pause(tx, eq(autoTopUps.account, hashText(account)), 'payment_taken_back', null);
}
