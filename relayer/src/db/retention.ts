import { isExpiredRecord } from '@latchkey/http/idempotency-store';
import { inBatches } from '@latchkey/service/in-batches';
import { rowsOf } from '@latchkey/service/rows';
import { removeOldDeliveries } from '@latchkey/webhooks/deliveries';
import { and, asc, eq, gt, inArray, isNotNull, lt, ne, notExists, type SQL, sql } from 'drizzle-orm';
import { webhookTables } from '../webhooks/endpoints.ts';
import { sweepApprovals } from './approvals.ts';
import type { Database } from './database.ts';
import { isOneOf } from './is-one-of.ts';
import { removeOldRequests } from './request-records.ts';
import {
  idempotency,
  newAccountGas,
  requestSeeds,
  runs,
  secretEvents,
  transactions,
  walletTransactions,
} from './schema.ts';

const RETENTION_HOURS = 25;
const OUTCOME_RETENTION_HOURS = 7 * 24 + 1;
const TRANSACTION_RETENTION_HOURS = 30 * 24;

const hoursAgo = (hours: number) => sql`now() - make_interval(hours => ${hours}::int)`;

/**
 * Deletes idempotent outcomes and the gas of new accounts after more than the documented 24 hours, outcomes of runs and requests after 7 days, records of
 * runs, expired approvals and events of secrets after `runRecordDays`, and settled transactions and deliveries of webhooks after 30 days. In
 * batches, until `signal` is aborted; several processes share the work.
 */
export async function sweep(db: Database, runRecordDays: number, signal?: AbortSignal): Promise<void> {
  const expired = hoursAgo(RETENTION_HOURS);
  await inBatches(async (limit) => {
    const old = selectRuns(db, lt(runs.endedAt, hoursAgo(24 * runRecordDays)), limit);
    return (await db.delete(runs).where(isOneOf(runs.id, old)).returning({ id: runs.id })).length;
  }, signal);
  await inBatches(async (limit) => {
    const old = db
      .select({ id: secretEvents.id })
      .from(secretEvents)
      .where(lt(secretEvents.at, hoursAgo(24 * runRecordDays)))
      .orderBy(asc(secretEvents.at))
      .limit(limit)
      .for('update', { skipLocked: true });
    const deleted = db.delete(secretEvents).where(isOneOf(secretEvents.id, old));
    return (await deleted.returning({ id: secretEvents.id })).length;
  }, signal);
  // Before the idempotency records, which expire with the outcomes of their runs.
  await inBatches(async (limit) => {
    const isOld = and(isNotNull(runs.outcome), lt(runs.endedAt, hoursAgo(OUTCOME_RETENTION_HOURS)));
    const update = db.update(runs).set({ outcome: null });
    return (await update.where(isOneOf(runs.id, selectRuns(db, isOld, limit))).returning({ id: runs.id }))
      .length;
  }, signal);
  await sweepIdempotency(db, signal);
  await sweepApprovals(db, runRecordDays, signal);
  await db.delete(newAccountGas).where(lt(newAccountGas.hour, expired));
  await inBatches(async (limit) => {
    const remove = sql`SELECT remove_expired_allowances(${limit}::integer) AS removed`;
    const [row] = await rowsOf<{ removed: number }>(db, remove);
    return row?.removed ?? 0;
  }, signal);
  await inBatches(async (limit) => {
    const old = db
      .select({ id: requestSeeds.id })
      .from(requestSeeds)
      .where(lt(requestSeeds.createdAt, expired))
      .orderBy(asc(requestSeeds.createdAt))
      .limit(limit)
      .for('update', { skipLocked: true });
    const deleted = await db
      .delete(requestSeeds)
      .where(isOneOf(requestSeeds.id, old))
      .returning({ id: requestSeeds.id });
    return deleted.length;
  }, signal);
  await sweepTransactions(db, signal);
  await inBatches((limit) => removeOldDeliveries(db, webhookTables, limit), signal);
  await inBatches((limit) => removeOldRequests(db, limit), signal);
}

async function sweepTransactions(db: Database, signal: AbortSignal | undefined): Promise<void> {
  await inBatches(async (limit) => {
    const isOld = and(isNotNull(transactions.idempotencyId), isSettledFor(transactions, RETENTION_HOURS));
    const update = db.update(transactions).set({ idempotencyId: null });
    const old = selectTransactions(db, isOld, limit);
    return (await update.where(isOneOf(transactions.id, old)).returning({ id: transactions.id })).length;
  }, signal);
  for (const table of [transactions, walletTransactions])
    await inBatches(async (limit) => {
      const old = selectTransactions(db, isSettledFor(table, TRANSACTION_RETENTION_HOURS), limit, table);
      return (await db.delete(table).where(isOneOf(table.id, old)).returning({ id: table.id })).length;
    }, signal);
}

/** Nothing changes a settled transaction later, except for a reorg. By the time of its creation, which has an index, too. */
const isSettledFor = (
  { createdAt, updatedAt, status }: typeof transactions | typeof walletTransactions,
  hours: number,
): SQL | undefined =>
  and(lt(createdAt, hoursAgo(hours)), lt(updatedAt, hoursAgo(hours)), ne(status, 'pending'));

/** Rows that another process changes are left to it. */
const selectRuns = (db: Database, where: SQL | undefined, limit: number) =>
  db
    .select({ id: runs.id })
    .from(runs)
    .where(where)
    .orderBy(asc(runs.endedAt))
    .limit(limit)
    .for('update', { skipLocked: true });
const selectTransactions = (
  db: Database,
  where: SQL | undefined,
  limit: number,
  table: typeof transactions | typeof walletTransactions = transactions,
) =>
  db
    .select({ id: table.id })
    .from(table)
    .where(where)
    .orderBy(asc(table.createdAt))
    .limit(limit)
    .for('update', { skipLocked: true });

/** Deletes the expired records, except those of runs that have their outcome: these refuse the Idempotency-Key for another request. */
async function sweepIdempotency(db: Database, signal: AbortSignal | undefined): Promise<void> {
  const { id, createdAt } = idempotency;
  const isOutcomeOf = and(eq(runs.idempotencyId, id), isNotNull(runs.outcome));
  const isUnused = notExists(db.select({ one: sql`1` }).from(runs).where(isOutcomeOf));
  // The time as text: a Date has no microseconds.
  let after = '-infinity';
  await inBatches(async (limit) => {
    const page = await db
      .select({ id, at: sql<string>`${createdAt}::text` })
      .from(idempotency)
      .where(and(isExpiredRecord(idempotency), gt(createdAt, sql`${after}::timestamptz`)))
      .orderBy(asc(createdAt))
      .limit(limit);
    after = page.at(-1)?.at ?? after;
    const ids = page.map((record) => record.id);
    if (ids.length > 0)
      await db.delete(idempotency).where(and(inArray(id, ids), isExpiredRecord(idempotency), isUnused));
    return page.length;
  }, signal);
}
