import { isExpiredRecord } from '@latchkey/http/idempotency-store';
import { lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { agentTokens, idempotency, loginNonces, pairings, sessions } from '../db/schema.ts';

/** Deletes expired nonces, sessions, pairings, tokens and outcomes of idempotent requests. */
export async function removeExpired(db: Database): Promise<void> {
  for (const table of [loginNonces, sessions, pairings, agentTokens])
    await db.delete(table).where(lt(table.expiresAt, sql`now()`));
  await db.delete(idempotency).where(isExpiredRecord(idempotency));
}
