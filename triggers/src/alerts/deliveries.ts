/** The queue of alerts, stored in the table `alert_deliveries`. A delivered alert is deleted. All times are the database's. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type Alert, alertDeliveries, alertWebhooks } from '../db/schema.ts';

/** Waiting alerts per account. Further ones are dropped. */
const MAX_WAITING = 100;
/** Accounts per batch: one alert of each. */
const BATCH = 16;
/** Lease of an attempt, which is shorter. */
const LEASE_SEC = 30;
const MAX_AGE_HOURS = 24;
const FIRST_RETRY_SEC = 5;
const LONGEST_RETRY_SEC = 3_600;

/**
 * Queues an alert if the account has an alert webhook, and `failures` is absent or reaches its limit. Resolves to false when
 * nothing was queued. Call in the transaction that causes the alert.
 */
export async function queueAlert(
  tx: Database,
  userId: string,
  type: string,
  data: Alert['data'],
  failures?: number,
): Promise<boolean> {
  const alert: Alert = { type, timestamp: new Date().toISOString(), data };
  // The lock keeps the webhook until the alert is stored.
  const { rows } = (await tx.execute(sql`
    insert into ${alertDeliveries} (user_id, alert)
    select user_id, ${sql.param(alert, alertDeliveries.alert)}::json from ${alertWebhooks}
    where user_id = ${userId}::uuid and coalesce(${failures ?? null}::int >= after_failures, true)
      and (select count(*) from (select from ${alertDeliveries} where user_id = ${userId}::uuid limit ${MAX_WAITING}) w)
        < ${MAX_WAITING}
    for key share
    returning id`)) as unknown as { rows: unknown[] };
  return rows.length > 0;
}

export type Delivery = Awaited<ReturnType<typeof claimDeliveries>>[number];

/** Leases due alerts to this process: the oldest one of each account, so that one slow webhook delays no other account. */
export function claimDeliveries(db: Database) {
  const chosen = sql`(
    select id from (
      select distinct on (user_id) id, due_at from ${alertDeliveries}
      where due_at <= now() order by user_id, due_at
    ) oldest
    order by due_at limit ${BATCH}
  ) chosen`;
  return db
    .update(alertDeliveries)
    .set({
      attempt: sql`${alertDeliveries.attempt} + 1`,
      dueAt: sql`clock_timestamp() + make_interval(secs => ${LEASE_SEC})`,
    })
    .from(chosen)
    .innerJoin(alertWebhooks, sql`true`)
    .where(
      and(
        sql`${alertDeliveries.id} = chosen.id`,
        eq(alertWebhooks.userId, alertDeliveries.userId),
        // Another process may have leased it meanwhile.
        sql`${alertDeliveries.dueAt} <= now()`,
      ),
    )
    .returning({
      id: alertDeliveries.id,
      userId: alertDeliveries.userId,
      attempt: alertDeliveries.attempt,
      alert: alertDeliveries.alert,
      url: alertWebhooks.url,
      secret: alertWebhooks.secret,
    });
}

const isAttempt = ({ id, attempt }: Pick<Delivery, 'id' | 'attempt'>) =>
  and(eq(alertDeliveries.id, id), eq(alertDeliveries.attempt, attempt));

export async function removeDelivery(
  db: Database,
  delivery: Pick<Delivery, 'id' | 'attempt'>,
): Promise<void> {
  await db.delete(alertDeliveries).where(isAttempt(delivery));
}

/** Returns the delay after attempt number `attempt`: about 5, 20, 80 s and so on, at most an hour, with jitter. */
export const retryDelaySec = (attempt: number): number =>
  Math.min(FIRST_RETRY_SEC * 4 ** (attempt - 1), LONGEST_RETRY_SEC) * (0.5 + Math.random() / 2);

/** Schedules the next attempt. Deletes the alert, and resolves to false, when it is older than a day. */
export async function retryDelivery(
  db: Database,
  delivery: Pick<Delivery, 'id' | 'attempt'>,
): Promise<boolean> {
  const isOld = sql`${alertDeliveries.createdAt} < now() - make_interval(hours => ${MAX_AGE_HOURS})`;
  const gone = await db
    .delete(alertDeliveries)
    .where(and(isAttempt(delivery), isOld))
    .returning({ id: alertDeliveries.id });
  if (gone.length > 0) return false;
  const delaySec = retryDelaySec(delivery.attempt);
  await db
    .update(alertDeliveries)
    .set({ dueAt: sql`clock_timestamp() + make_interval(secs => ${delaySec}::double precision)` })
    .where(isAttempt(delivery));
  return true;
}
