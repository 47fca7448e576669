import { isExpiredRecord } from '@latchkey/http/idempotency-store';
import { inBatches } from '@latchkey/service/in-batches';
import { lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { agentTokens, idempotency, loginNonces, pairings, sessions } from '../db/schema.ts';

/** Deletes expired nonces, sessions, pairings, tokens and outcomes of idempotent requests, until `signal` is aborted. */
export async function removeExpired(db: Database, signal?: AbortSignal): Promise<void> {
  const isExpired = (column: PgColumn) => lt(column, sql`now()`);
  const remove = async (table: PgTable, order: PgColumn, where: SQL | undefined) =>
    inBatches(async (rows) => {
      const old = sql`select ctid from ${table} where ${where} order by ${order} limit ${rows} for update skip locked`;
      const deleted = await db.delete(table).where(sql`ctid = any(array(${old}))`).returning({ at: order });
      return deleted.length;
    }, signal);
  for (const table of [loginNonces, sessions, pairings, agentTokens])
    await remove(table, table.expiresAt, isExpired(table.expiresAt));
  await remove(idempotency, idempotency.createdAt, isExpiredRecord(idempotency));
}
