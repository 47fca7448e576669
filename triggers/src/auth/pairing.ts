/**
 * Pairing: an agent shows the hash of a token that it keeps, a person approves it in a browser, and the agent completes with
 * the token itself. The code in the link is a secret of 32 bytes; every step of it happens once, by one conditional update.
 */
import { randomInt } from 'node:crypto';
import { and, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { agentTokens, pairings, users } from '../db/schema.ts';
import { isCurrent } from './authority.ts';
import { newSecret, tokenHashOf } from './secrets.ts';

export const PAIRING_SEC = 600;
export const TOKEN_SEC = 90 * 24 * 3_600;

/** Consonants only, as RFC 8628, 6.1 proposes: none is taken for another, and they spell no words. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const fourLetters = (): string =>
  Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** @param agent `tokenHash` as `tokenHashOf` makes it, and what the approval page calls the agent. */
export async function startPairing(
  db: Database,
  agent: { tokenHash: string; label: string },
): Promise<{ code: string; userCode: string }> {
  const code = newSecret();
  const userCode = `${fourLetters()}-${fourLetters()}`;
  await db.insert(pairings).values({
    ...agent,
    codeHash: tokenHashOf(code),
    userCode,
    expiresAt: sql`now() + make_interval(secs => ${PAIRING_SEC})`,
  });
  return { code, userCode };
}

const open = (code: string) =>
  and(
    eq(pairings.codeHash, tokenHashOf(code)),
    gt(pairings.expiresAt, sql`now()`),
    isNull(pairings.completedAt),
  );
const unapproved = (code: string) => and(open(code), isNull(pairings.userId));

export type WaitingPairing = { label: string; userCode: string };

/** What waits to be approved; undefined when the code is unknown, expired or used. */
export async function waitingPairing(db: Database, code: string): Promise<WaitingPairing | undefined> {
  const [found] = await db
    .select({ label: pairings.label, userCode: pairings.userCode })
    .from(pairings)
    .where(unapproved(code));
  return found;
}

/** Lets the agent act for the user; undefined, with nothing changed, when the code is unknown, expired or used. */
export async function approvePairing(
  db: Database,
  code: string,
  { id: userId, authority }: { id: string; authority: string },
): Promise<WaitingPairing | undefined> {
  const [approved] = await db
    .update(pairings)
    .set({ userId, authority })
    .where(unapproved(code))
    .returning({ label: pairings.label, userCode: pairings.userCode });
  return approved;
}

/**
 * `gone`: unknown, expired or used, or the account has another admin since the approval. A token that was paired before belongs
 * to who approved it last.
 */
export async function completePairing(
  { db, core }: Pick<Context, 'db' | 'core'>,
  code: string,
  tokenHash: string,
): Promise<'pending' | 'authorized' | 'gone' | 'wrong token'> {
  const { authority } = pairings;
  const [found] = await db
    .select({ tokenHash: pairings.tokenHash, account: users.account, authority })
    .from(pairings)
    .leftJoin(users, eq(users.id, pairings.userId))
    .where(open(code));
  if (!found) return 'gone';
  if (found.tokenHash !== tokenHash) return 'wrong token';
  if (found.account === null || found.authority === null) return 'pending';
  if (!(await isCurrent(core, { account: found.account, authority: found.authority }))) {
    await db.delete(pairings).where(open(code));
    return 'gone';
  }
  return db.transaction(async (tx) => {
    const [completed] = await tx
      .update(pairings)
      .set({ completedAt: sql`now()` })
      .where(and(open(code), isNotNull(pairings.userId)))
      .returning({ userId: pairings.userId, label: pairings.label, authority });
    if (!completed?.userId || completed.authority === null) return 'gone';
    const token = {
      userId: completed.userId,
      label: completed.label,
      authority: completed.authority,
      expiresAt: sql`now() + make_interval(secs => ${TOKEN_SEC})`,
      createdAt: sql`now()`,
    };
    await tx
      .insert(agentTokens)
      .values({ tokenHash, ...token })
      .onConflictDoUpdate({ target: agentTokens.tokenHash, set: token });
    return 'authorized';
  });
}

/** Ends a token; false when it was not paired. */
export async function revokeToken(db: Database, tokenHash: string): Promise<boolean> {
  const revoked = await db
    .delete(agentTokens)
    .where(and(eq(agentTokens.tokenHash, tokenHash), gt(agentTokens.expiresAt, sql`now()`)))
    .returning({ tokenHash: agentTokens.tokenHash });
  return revoked.length > 0;
}
