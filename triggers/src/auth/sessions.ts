/** Browser sessions. */
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { sessions, users } from '../db/schema.ts';
import { type AdminLookup, isCurrent } from './authority.ts';
import { hashToken, newSecret } from './secrets.ts';

export const SESSION_SEC = 7 * 24 * 3_600;

/** User of a browser session. `authority` is the one at login. */
export type SessionUser = { id: string; account: string; authority: string };

/**
 * Logs an account in. Resolves to the value of the session cookie, which is new on every login (session fixation). Closes the
 * browser's `earlier` session.
 */
export function openSession(
  db: Database,
  { account, authority }: Omit<SessionUser, 'id'>,
  earlier: string | undefined,
): Promise<string> {
  const secret = newSecret();
  return db.transaction(async (tx) => {
    const [user] = await tx
      .insert(users)
      .values({ account })
      .onConflictDoUpdate({ target: users.account, set: { account } })
      .returning({ id: users.id });
    if (!user) throw new Error('insert returned no user');
    if (earlier !== undefined) await closeSession(tx, earlier);
    await tx.insert(sessions).values({
      tokenHash: hashToken(secret),
      userId: user.id,
      authority,
      expiresAt: sql`now() + make_interval(secs => ${SESSION_SEC})`,
    });
    return secret;
  });
}

export type SessionOptions = { db: Database; relayer: AdminLookup };

/** Resolves to the user of a session, or to undefined when it is unknown or expired. Closes it when the admin or the account key has changed. */
export async function findSessionUser(
  { db, relayer }: SessionOptions,
  secret: string,
): Promise<SessionUser | undefined> {
  const [found] = await db
    .select({ id: users.id, account: users.account, authority: sessions.authority })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashToken(secret)), gt(sessions.expiresAt, sql`now()`)));
  if (!found || (await isCurrent(relayer, found))) return found;
  await closeSession(db, secret);
  return undefined;
}

/** Deletes the session of this cookie value. */
export async function closeSession(db: Database, secret: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, hashToken(secret)));
}
