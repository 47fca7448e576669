/** Browser sessions: who a cookie belongs to. */
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { sessions, users } from '../db/schema.ts';
import { isCurrent } from './authority.ts';
import { newSecret, tokenHashOf } from './secrets.ts';

export const SESSION_SEC = 7 * 24 * 3_600;

/** `authority` as of the login. */
export type Visitor = { id: string; account: string; authority: string };

/**
 * Logs an account in; resolves to the value of the session's cookie. It is new on every login, and the browser's `earlier`
 * session ends, so that a cookie that somebody planted or kept is worth nothing.
 */
export function openSession(
  db: Database,
  { account, authority }: Omit<Visitor, 'id'>,
  earlier: string | undefined,
): Promise<string> {
  const secret = newSecret();
  return db.transaction(async (tx) => {
    const [user] = await tx
      .insert(users)
      .values({ account })
      .onConflictDoUpdate({ target: users.account, set: { account } })
      .returning({ id: users.id });
    if (!user) throw new Error('the user was not stored');
    if (earlier !== undefined) await closeSession(tx, earlier);
    await tx.insert(sessions).values({
      tokenHash: tokenHashOf(secret),
      userId: user.id,
      authority,
      expiresAt: sql`now() + make_interval(secs => ${SESSION_SEC})`,
    });
    return secret;
  });
}

/** Who the session of this cookie is of; undefined when it ended or never was, or when the account has another admin now. */
export async function visitorOf(
  { db, core }: Pick<Context, 'db' | 'core'>,
  secret: string,
): Promise<Visitor | undefined> {
  const [found] = await db
    .select({ id: users.id, account: users.account, authority: sessions.authority })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, tokenHashOf(secret)), gt(sessions.expiresAt, sql`now()`)));
  if (!found || (await isCurrent(core, found))) return found;
  await closeSession(db, secret);
  return undefined;
}

export async function closeSession(db: Database, secret: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHashOf(secret)));
}
