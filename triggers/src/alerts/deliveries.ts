/** Adds alerts to the queue of deliveries. */
import { rowsOf } from '@latchkey/service/rows';
import type { Message } from '@latchkey/webhooks/tables';
import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { alertDeliveries, alertWebhooks } from '../db/schema.ts';

/** Waiting alerts per account. Further ones are dropped. */
const MAX_WAITING = 100;

/**
 * Queues an alert if the account has an enabled alert webhook, and `failures` is absent or reaches its limit. Resolves to false when
 * nothing was queued. Call in the transaction that causes the alert.
 */
export async function queueAlert(
  tx: Database,
  userId: string,
  type: string,
  data: Message['data'],
  failures?: number,
): Promise<boolean> {
  const alert: Message = { type, timestamp: new Date().toISOString(), data };
  // The lock keeps the webhook until the alert is stored.
  const insert = sql`
    insert into ${alertDeliveries} (user_id, alert)
    select user_id, ${sql.param(alert, alertDeliveries.message)}::json from ${alertWebhooks}
    where user_id = ${userId}::uuid and is_enabled and coalesce(${failures ?? null}::int >= after_failures, true)
      and (select count(*) from (
        select from ${alertDeliveries} where user_id = ${userId}::uuid and due_at < 'infinity' limit ${MAX_WAITING}
      ) w) < ${MAX_WAITING}
    for key share
    returning id`;
  return (await rowsOf(tx, insert)).length > 0;
}
