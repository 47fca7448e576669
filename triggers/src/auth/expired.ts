import { isExpiredRecord } from '@latchkey/http/idempotency-store';
import { sweepTable } from '@latchkey/service/sweep-table';
import { lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { agentTokens, idempotency, loginNonces, pairings, sessions } from '../db/schema.ts';

/** Deletes expired nonces, sessions, pairings, tokens and outcomes of idempotent requests, until `signal` is aborted. */
export async function removeExpired(db: Database, signal?: AbortSignal): Promise<void> {
  for (const table of [loginNonces, sessions, pairings, agentTokens]) {
    const { expiresAt: by } = table;
    await sweepTable(db, table, { by, isOld: lt(by, sql`now()`) }, signal);
  }
  await sweepTable(
    db,
    idempotency,
    { by: idempotency.createdAt, isOld: isExpiredRecord(idempotency) },
    signal,
  );
}
