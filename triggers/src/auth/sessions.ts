/** Sessions of people: a browser has the secret in a cookie, the dashboard sends it as a bearer token. */
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { sessions, users } from '../db/schema.ts';
import { type AdminLookup, isCurrent, type Login } from './authority.ts';
import { hashToken, newSecret } from './secrets.ts';

export const BROWSER_SESSION_SEC = 7 * 24 * 3_600;
export const LOGIN_TOKEN_SEC = 12 * 3_600;

/** User of a session. `authority` is the one at login; `tokenHash` identifies the session. */
export type SessionUser = Login & { id: string; tokenHash: string };

/**
 * Logs an account in. Resolves to the secret of the session, which is new on every login (session fixation). Closes the browser's
 * `earlier` session.
 */
export function openSession(
  db: Database,
  { account, authority }: Login,
  { lifetimeSec, earlier }: { lifetimeSec: number; earlier?: string | undefined },
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = newSecret();
  return db.transaction(async (tx) => {
    const [user] = await tx
      .insert(users)
      .values({ account })
      .onConflictDoUpdate({ target: users.account, set: { account } })
      .returning({ id: users.id });
    if (!user) throw new Error('insert returned no user');
    if (earlier !== undefined) await closeSession(tx, hashToken(earlier));
    const [session] = await tx
      .insert(sessions)
      .values({
        tokenHash: hashToken(secret),
        userId: user.id,
        authority,
        expiresAt: sql`now() + make_interval(secs => ${lifetimeSec})`,
      })
      .returning({ expiresAt: sessions.expiresAt });
    if (!session) throw new Error('insert returned no session');
    return { secret, expiresAt: session.expiresAt };
  });
}

export type SessionOptions = { db: Database; relayer: AdminLookup };

/** Resolves to the user of a session, or to undefined when it is unknown or expired. Closes it when the admin or the account key has changed. */
export async function findSessionUser(
  { db, relayer }: SessionOptions,
  secret: string,
): Promise<SessionUser | undefined> {
  const { tokenHash, authority } = sessions;
  const [found] = await db
    .select({ id: users.id, account: users.account, authority, tokenHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(tokenHash, hashToken(secret)), gt(sessions.expiresAt, sql`now()`)));
  if (!found || (await isCurrent(relayer, found))) return found;
  await closeSession(db, found.tokenHash);
  return undefined;
}

/** Deletes a session. */
export async function closeSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}
