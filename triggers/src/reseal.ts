import { SealError, type Sealer } from '@latchkey/service/sealer';
import { and, asc, eq, gt } from 'drizzle-orm';
import type { Database } from './db/database.ts';
import { alertWebhooks, revisions, triggers } from './db/schema.ts';
import { sources } from './sources/index.ts';

const BATCH = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Re-encrypts secrets that an older key has sealed with the first sealing key, until none is left or `signal` is aborted. Once
 * none is left, the older keys can be removed from `SEALING_KEYS`.
 *
 * @returns How many triggers were resealed, and the ids of those (`unopened`) that no key opens.
 */
export async function resealTriggers(
  { db, sealer }: { db: Database; sealer: Sealer },
  signal?: AbortSignal,
): Promise<{ resealed: number; unopened: string[] }> {
  const done = { resealed: 0, unopened: [] as string[] };
  let last: string | undefined;
  do {
    const batch = await db
      .select({ id: triggers.id })
      .from(triggers)
      .where(last === undefined ? undefined : gt(triggers.id, last))
      .orderBy(asc(triggers.id))
      .limit(BATCH);
    for (const { id } of batch) {
      if (signal?.aborted) return done;
      try {
        if (await db.transaction((tx) => resealOne(tx, sealer, id))) done.resealed++;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        done.unopened.push(id);
      }
    }
    last = batch.at(BATCH - 1)?.id;
  } while (last !== undefined);
  return done;
}

async function resealOne(tx: Database, sealer: Sealer, id: string): Promise<boolean> {
  const [trigger] = await tx.select().from(triggers).where(eq(triggers.id, id)).for('no key update');
  if (!trigger) return false;
  let isChanged = false;
  const reseal = (sealed: string): string => {
    if (sealer.isCurrent(sealed)) return sealed;
    isChanged = true;
    return sealer.seal(sealer.openText(sealed, id), id);
  };
  const usageApiKey = reseal(trigger.usageApiKey);
  const config = sources[trigger.kind].reseal?.(trigger.config, reseal) ?? trigger.config;
  if (isChanged) await tx.update(triggers).set({ usageApiKey, config }).where(eq(triggers.id, id));
  for (const earlier of await tx.select().from(revisions).where(eq(revisions.triggerId, id))) {
    const resealed = reseal(earlier.usageApiKey);
    const isThis = and(eq(revisions.triggerId, id), eq(revisions.number, earlier.number));
    if (resealed !== earlier.usageApiKey)
      await tx.update(revisions).set({ usageApiKey: resealed }).where(isThis);
  }
  return isChanged;
}

/** Re-encrypts the secrets of alert webhooks in the same way. `unopened` are ids of users. */
export async function resealAlerts(
  { db, sealer }: { db: Database; sealer: Sealer },
  signal?: AbortSignal,
): Promise<{ resealed: number; unopened: string[] }> {
  const done = { resealed: 0, unopened: [] as string[] };
  for (let last = FIRST_ID; !signal?.aborted; ) {
    const batch = await db
      .select({ userId: alertWebhooks.userId, secret: alertWebhooks.secret })
      .from(alertWebhooks)
      .where(gt(alertWebhooks.userId, last))
      .orderBy(asc(alertWebhooks.userId))
      .limit(BATCH);
    for (const { userId, secret } of batch) {
      if (sealer.isCurrent(secret)) continue;
      try {
        const resealed = sealer.seal(sealer.openText(secret, userId), userId);
        // Not a secret that was rotated meanwhile.
        const isThis = and(eq(alertWebhooks.userId, userId), eq(alertWebhooks.secret, secret));
        await db.update(alertWebhooks).set({ secret: resealed }).where(isThis);
        done.resealed++;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        done.unopened.push(userId);
      }
    }
    const next = batch.at(BATCH - 1)?.userId;
    if (next === undefined) break;
    last = next;
  }
  return done;
}
