/** Paired agents of a user. The id of an agent is the hash of its token. */
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { agentTokens } from '../db/schema.ts';

const MAX_LISTED = 1_000;
const USE_PRECISION_MS = 3_600_000;

export const agentId = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected 43 characters of A-Z a-z 0-9 - _');

/** `lastUsedAt` is exact to an hour, null before the first use. */
export type PairedAgent = {
  id: string;
  label: string;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
};

/** Resolves to the agents of a user, newest first, at most 1,000. */
export function listAgents(db: Database, userId: string): Promise<PairedAgent[]> {
  const { tokenHash: id, label, createdAt, expiresAt, lastUsedAt } = agentTokens;
  return db
    .select({ id, label, createdAt, expiresAt, lastUsedAt })
    .from(agentTokens)
    .where(and(eq(agentTokens.userId, userId), gt(expiresAt, sql`now()`)))
    .orderBy(desc(createdAt))
    .limit(MAX_LISTED);
}

/** Revokes an agent, with `userId` only an agent of this user. Resolves to false when there is none. */
export async function revokeAgent(db: Database, id: string, userId?: string): Promise<boolean> {
  const { tokenHash, expiresAt } = agentTokens;
  const isOwn = userId === undefined ? undefined : eq(agentTokens.userId, userId);
  const revoked = await db
    .delete(agentTokens)
    .where(and(eq(tokenHash, id), gt(expiresAt, sql`now()`), isOwn))
    .returning({ id: agentTokens.tokenHash });
  return revoked.length > 0;
}

/** Stores that the agent was used now, at most once per hour: a use costs no statement otherwise. */
export async function noteUse(
  db: Database,
  { id, lastUsedAt }: { id: string; lastUsedAt: Date | null },
): Promise<void> {
  if (lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < USE_PRECISION_MS) return;
  await db.update(agentTokens).set({ lastUsedAt: sql`now()` }).where(eq(agentTokens.tokenHash, id));
}
