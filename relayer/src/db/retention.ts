import { isExpiredRecord } from '@latchkey/http/idempotency-store';
import { inBatches } from '@latchkey/service/in-batches';
import { rowsOf } from '@latchkey/service/rows';
import { sweepTable } from '@latchkey/service/sweep-table';
import { removeOldDeliveries } from '@latchkey/webhooks/deliveries';
import { and, asc, eq, gt, inArray, isNotNull, lt, ne, notExists, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { webhookTables } from '../webhooks/endpoints.ts';
import { sweepApprovals } from './approvals.ts';
import type { Database } from './database.ts';
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
  const isPastRecord = (at: PgColumn) => lt(at, hoursAgo(24 * runRecordDays));
  await sweepTable(db, runs, { by: runs.endedAt, isOld: isPastRecord(runs.endedAt) }, signal);
  await sweepTable(db, secretEvents, { by: secretEvents.at, isOld: isPastRecord(secretEvents.at) }, signal);
  // Before the idempotency records, which expire with the outcomes of their runs.
  const hasOldOutcome = and(isNotNull(runs.outcome), lt(runs.endedAt, hoursAgo(OUTCOME_RETENTION_HOURS)));
  await sweepTable(db, runs, { by: runs.endedAt, isOld: hasOldOutcome, set: sql`outcome = null` }, signal);
  await sweepIdempotency(db, signal);
  await sweepApprovals(db, runRecordDays, signal);
  await db.delete(newAccountGas).where(lt(newAccountGas.hour, expired));
  await inBatches(async (limit) => {
    const remove = sql`SELECT remove_expired_allowances(${limit}::integer) AS removed`;
    const [row] = await rowsOf<{ removed: number }>(db, remove);
    return row?.removed ?? 0;
  }, signal);
  const { createdAt } = requestSeeds;
  await sweepTable(db, requestSeeds, { by: createdAt, isOld: lt(createdAt, expired) }, signal);
  await sweepTransactions(db, signal);
  await inBatches((limit) => removeOldDeliveries(db, webhookTables, limit), signal);
  await removeOldRequests(db, signal);
}

async function sweepTransactions(db: Database, signal: AbortSignal | undefined): Promise<void> {
  const { createdAt: by, idempotencyId } = transactions;
  const isRepeated = and(isNotNull(idempotencyId), isSettledFor(transactions, RETENTION_HOURS));
  await sweepTable(db, transactions, { by, isOld: isRepeated, set: sql`idempotency_id = null` }, signal);
  for (const table of [transactions, walletTransactions]) {
    const isOld = isSettledFor(table, TRANSACTION_RETENTION_HOURS);
    await sweepTable(db, table, { by: table.createdAt, isOld }, signal);
  }
}

/** Nothing changes a settled transaction later, except for a reorg. By the time of its creation, which has an index, too. */
const isSettledFor = (
  { createdAt, updatedAt, status }: typeof transactions | typeof walletTransactions,
  hours: number,
): SQL | undefined =>
  and(lt(createdAt, hoursAgo(hours)), lt(updatedAt, hoursAgo(hours)), ne(status, 'pending'));

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
