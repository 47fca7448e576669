import { lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { agentTokens, loginNonces, pairings, sessions } from '../db/schema.ts';

/** Deletes expired nonces, sessions, pairings and tokens. */
export async function removeExpired(db: Database): Promise<void> {
  for (const table of [loginNonces, sessions, pairings, agentTokens])
    await db.delete(table).where(lt(table.expiresAt, sql`now()`));
}
