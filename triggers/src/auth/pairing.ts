/**
 * Pairing. An agent sends the hash of its token, a user approves the agent in a browser, and the agent completes the pairing with
 * the token. The code in `authorize_url` is a secret of 32 bytes. Each step is one conditional update, so it happens once.
 */
import { randomInt } from 'node:crypto';
import { and, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { agentTokens, pairings, users } from '../db/schema.ts';
import { type AdminLookup, isCurrent } from './authority.ts';
import { hashToken, newSecret } from './secrets.ts';

export const PAIRING_SEC = 600;
export const TOKEN_DAYS = 90;

/** Permissions of an approved agent, for the reviewer. */
export const GRANTS = [
  'Read, create, change and delete the triggers of the account, and its alert webhook.',
  'Start, stop and replay runs, which are charged to the account.',
  'Read the inputs, results and logs of runs.',
] as const;

/** Consonants only (RFC 8628, section 6.1): easy to tell apart, and they spell no words. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const fourLetters = (): string =>
  Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Stores a pairing request. `tokenHash` comes from `hashToken`; the reviewer sees `label` and the requester's `address`. */
export async function startPairing(
  db: Database,
  agent: { tokenHash: string; label: string; address: string },
): Promise<{ code: string; userCode: string }> {
  const code = newSecret();
  const userCode = `${fourLetters()}-${fourLetters()}`;
  await db.insert(pairings).values({
    ...agent,
    codeHash: hashToken(code),
    userCode,
    expiresAt: sql`now() + make_interval(secs => ${PAIRING_SEC})`,
  });
  return { code, userCode };
}

const isOpen = (code: string) =>
  and(
    eq(pairings.codeHash, hashToken(code)),
    gt(pairings.expiresAt, sql`now()`),
    isNull(pairings.completedAt),
  );
const isPending = (code: string) => and(isOpen(code), isNull(pairings.userId));

export type PendingPairing = {
  label: string;
  userCode: string;
  address: string | null;
  createdAt: Date;
  expiresAt: Date;
};

/** Resolves to a pending pairing, or to undefined when the code is unknown, expired or used. */
export async function findPendingPairing(db: Database, code: string): Promise<PendingPairing | undefined> {
  const { label, userCode, address, createdAt, expiresAt } = pairings;
  const [found] = await db
    .select({ label, userCode, address, createdAt, expiresAt })
    .from(pairings)
    .where(isPending(code));
  return found;
}

type Reviewed = Pick<PendingPairing, 'label' | 'userCode'>;
const reviewed = { label: pairings.label, userCode: pairings.userCode };

/** Approves a pending pairing for a user. Resolves to undefined when the code is unknown, expired or used. */
export async function approvePairing(
  db: Database,
  code: string,
  { id: userId, authority }: { id: string; authority: string },
): Promise<Reviewed | undefined> {
  const [approved] = await db
    .update(pairings)
    .set({ userId, authority })
    .where(isPending(code))
    .returning(reviewed);
  return approved;
}

/** Ends a pending pairing: its code is unknown from now on. Resolves to undefined when the code is unknown, expired or used. */
export async function denyPairing(db: Database, code: string): Promise<Reviewed | undefined> {
  const [denied] = await db.delete(pairings).where(isPending(code)).returning(reviewed);
  return denied;
}

/**
 * Completes an approved pairing. Resolves to `gone` when the code is unknown, expired or used, or when the admin or the account
 * key has changed since the approval. A token that was paired before now belongs to the user of this pairing.
 */
export async function completePairing(
  { db, relayer }: { db: Database; relayer: AdminLookup },
  code: string,
  tokenHash: string,
): Promise<'pending' | 'authorized' | 'gone' | 'wrong token'> {
  const { authority } = pairings;
  const [found] = await db
    .select({ tokenHash: pairings.tokenHash, account: users.account, authority })
    .from(pairings)
    .leftJoin(users, eq(users.id, pairings.userId))
    .where(isOpen(code));
  if (!found) return 'gone';
  if (found.tokenHash !== tokenHash) return 'wrong token';
  if (found.account === null || found.authority === null) return 'pending';
  if (!(await isCurrent(relayer, { account: found.account, authority: found.authority }))) {
    await db.delete(pairings).where(isOpen(code));
    return 'gone';
  }
  return db.transaction(async (tx) => {
    const [completed] = await tx
      .update(pairings)
      .set({ completedAt: sql`now()` })
      .where(and(isOpen(code), isNotNull(pairings.userId)))
      .returning({ userId: pairings.userId, label: pairings.label, authority });
    if (!completed?.userId || completed.authority === null) return 'gone';
    const token = {
      userId: completed.userId,
      label: completed.label,
      authority: completed.authority,
      expiresAt: sql`now() + make_interval(secs => ${TOKEN_DAYS * 86_400})`,
      createdAt: sql`now()`,
      lastUsedAt: null,
    };
    await tx
      .insert(agentTokens)
      .values({ tokenHash, ...token })
      .onConflictDoUpdate({ target: agentTokens.tokenHash, set: token });
    return 'authorized';
  });
}
