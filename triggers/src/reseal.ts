import { SealError, type Sealer } from '@latchkey/service/sealer';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from './db/database.ts';
import { alertWebhooks, revisions, triggers } from './db/schema.ts';
import { sources } from './sources/index.ts';

const BATCH = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

type Options = { db: Database; sealer: Sealer };
export type Resealed = { resealed: number; unopened: string[] };

/**
 * Re-encrypts the secrets of triggers that an older key has sealed with the first sealing key, until none is left or `signal` is
 * aborted. Once none is left, the older keys can be removed from `SEALING_KEYS`.
 *
 * @returns The number of resealed triggers, and the ids of triggers that no key opens (`unopened`).
 */
export const resealTriggers = ({ db, sealer }: Options, signal?: AbortSignal): Promise<Resealed> =>
  resealEach(db, { table: triggers, id: triggers.id }, (tx, id) => resealTrigger(tx, sealer, id), signal);

/** Re-encrypts the secrets of alert webhooks in the same way. The ids are user ids. */
export const resealAlerts = ({ db, sealer }: Options, signal?: AbortSignal): Promise<Resealed> =>
  resealEach(
    db,
    { table: alertWebhooks, id: alertWebhooks.id },
    (tx, id) => resealAlert(tx, sealer, id),
    signal,
  );

/** Calls `reseal` for every row, in a transaction each. `reseal` resolves to true when it changed the row. */
async function resealEach(
  db: Database,
  { table, id }: { table: typeof triggers | typeof alertWebhooks; id: PgColumn },
  reseal: (tx: Database, id: string) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unopened: [] };
  for (let last: string | undefined = FIRST_ID; last !== undefined; ) {
    const batch: { id: string }[] = await db
      .select({ id: sql<string>`${id}` })
      .from(table as typeof triggers)
      .where(gt(id, last))
      .orderBy(asc(id))
      .limit(BATCH);
    for (const row of batch) {
      if (signal?.aborted) return done;
      try {
        if (await db.transaction((tx) => reseal(tx, row.id))) done.resealed++;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        done.unopened.push(row.id);
      }
    }
    last = batch.at(BATCH - 1)?.id;
  }
  return done;
}

async function resealTrigger(tx: Database, sealer: Sealer, id: string): Promise<boolean> {
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

async function resealAlert(tx: Database, sealer: Sealer, userId: string): Promise<boolean> {
  const isThis = eq(alertWebhooks.id, userId);
  const [webhook] = await tx.select().from(alertWebhooks).where(isThis).for('no key update');
  if (!webhook || sealer.isCurrent(webhook.secret)) return false;
  const secret = sealer.seal(sealer.openText(webhook.secret, userId), userId);
  await tx.update(alertWebhooks).set({ secret }).where(isThis);
  return true;
}
