/** Paired agents of a user. The id of an agent is the hash of its token. */
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { agentTokens } from '../db/schema.ts';

const MAX_LISTED = 1_000;

export type PairedAgent = { id: string; label: string; createdAt: Date; expiresAt: Date };

/** Resolves to the agents of a user, newest first, at most 1,000. */
export function listAgents(db: Database, userId: string): Promise<PairedAgent[]> {
  const { tokenHash: id, label, createdAt, expiresAt } = agentTokens;
  return db
    .select({ id, label, createdAt, expiresAt })
    .from(agentTokens)
    .where(and(eq(agentTokens.userId, userId), gt(expiresAt, sql`now()`)))
    .orderBy(desc(createdAt))
    .limit(MAX_LISTED);
}

/** Revokes an agent of a user. Resolves to false when the user has no such agent. */
export async function revokeAgent(db: Database, userId: string, id: string): Promise<boolean> {
  const revoked = await db
    .delete(agentTokens)
    .where(and(eq(agentTokens.tokenHash, id), eq(agentTokens.userId, userId)))
    .returning({ id: agentTokens.tokenHash });
  return revoked.length > 0;
}
