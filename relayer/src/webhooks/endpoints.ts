/** The webhooks of an account. Every statement names the account, so that none reaches those of another. */
import { inBatches } from '@latchkey/service/in-batches';
import { removeDeliveries } from '@latchkey/webhooks/deliveries';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { webhookDeliveries, webhookEndpoints } from '../db/schema.ts';

export const MAX_ENDPOINTS = 5;

export const webhookTables = { endpoints: webhookEndpoints, deliveries: webhookDeliveries };

export type Endpoint = typeof webhookEndpoints.$inferSelect;
/** The fields that an owner can change. */
export type EndpointChange = Partial<Omit<Endpoint, 'id' | 'account' | 'createdAt' | 'updatedAt'>>;

/** Resolves to undefined when the account has the maximum number. */
export function addEndpoint(
  db: Database,
  endpoint: typeof webhookEndpoints.$inferInsert,
): Promise<Endpoint | undefined> {
  const { account } = endpoint;
  return db.transaction(async (tx) => {
    // Concurrent additions come one after the other.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${account}`}, 0))`);
    const count = await tx.$count(webhookEndpoints, eq(webhookEndpoints.account, account));
    if (count >= MAX_ENDPOINTS) return undefined;
    const [added] = await tx.insert(webhookEndpoints).values(endpoint).returning();
    return added;
  });
}

export const listEndpoints = (db: Database, account: string): Promise<Endpoint[]> =>
  db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.account, account))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));

const isOwn = (account: string, id: string) =>
  and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.account, account));

export async function findEndpoint(db: Database, account: string, id: string): Promise<Endpoint | undefined> {
  const [found] = await db.select().from(webhookEndpoints).where(isOwn(account, id));
  return found;
}

/** Stores what `change` returns for the endpoint, which is locked meanwhile. Resolves to undefined when the account does not have it. */
export function changeEndpoint(
  db: Database,
  account: string,
  id: string,
  change: (before: Endpoint) => EndpointChange,
): Promise<Endpoint | undefined> {
  return db.transaction(async (tx) => {
    const [before] = await tx.select().from(webhookEndpoints).where(isOwn(account, id)).for('no key update');
    if (!before) return undefined;
    const [after] = await tx
      .update(webhookEndpoints)
      .set({ ...change(before), updatedAt: sql`clock_timestamp()` })
      .where(eq(webhookEndpoints.id, id))
      .returning();
    return after;
  });
}

/** Deletes the endpoint and its deliveries. Resolves to false when the account does not have it. */
export async function removeEndpoint(db: Database, account: string, id: string): Promise<boolean> {
  const found = await changeEndpoint(db, account, id, () => ({ isEnabled: false }));
  if (!found) return false;
  await inBatches((limit) => removeDeliveries(db, webhookTables, id, limit));
  await db.delete(webhookEndpoints).where(isOwn(account, id));
  return true;
}
