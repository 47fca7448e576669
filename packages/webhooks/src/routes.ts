/** Parts that the routes of services share: the wire form of deliveries, their list, and replay. */
import { badRequest, conflict, instant, notFound, queryInteger } from '@latchkey/http';
import { inBatches } from '@latchkey/service/in-batches';
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { column, type Database, RETENTION_DAYS, replayDeliveries } from './deliveries.ts';
import { isFailed, isWaiting, type Message, type WebhookTables } from './tables.ts';

const moment = z.iso.datetime();
const nullableMoment = moment.nullable();

export const deliveryRecord = z.object({
  id: z.string().meta({ description: '`webhook-id` of all attempts.' }),
  type: z.string(),
  data: z.record(z.string(), z.unknown()).meta({ description: 'As it is sent.' }),
  status: z
    .enum(['waiting', 'delivered', 'failed'])
    .meta({ description: '`waiting`: for its first or next attempt. `failed`: given up.' }),
  attempts: z.int(),
  response_status: z.int().nullable().meta({ description: 'Status of the last reply; null without one.' }),
  error: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
  created_at: moment,
  last_attempt_at: nullableMoment,
  next_attempt_at: nullableMoment,
  delivered_at: nullableMoment,
});
type DeliveryRecord = z.output<typeof deliveryRecord>;

export const deliveryQuery = {
  status: z.enum(['waiting', 'failed']).optional(),
  page_size: queryInteger(1, 1_000, 100),
  before: z
    .guid()
    .optional()
    .meta({ description: 'Id of a delivery: lists those that were stored before it.' }),
};
type DeliveryQuery = {
  status?: 'waiting' | 'failed' | undefined;
  page_size: number;
  before?: string | undefined;
};
export const deliveriesDescription = `The next page begins with \`before\` of the last id. Deliveries are kept for ${RETENTION_DAYS} days.`;

const conditions = { waiting: isWaiting, failed: isFailed };

/** Resolves to deliveries of an endpoint, newest first. Rejects with 404 when it does not have `before`. */
export async function listDeliveries(
  db: Database,
  tables: WebhookTables,
  endpointId: string,
  { status, page_size: limit, before }: DeliveryQuery,
): Promise<DeliveryRecord[]> {
  const { deliveries } = tables;
  if (before !== undefined) await requireDelivery(db, tables, endpointId, before);
  const isEarlier =
    before === undefined
      ? sql``
      : sql`and (created_at, id) < (select created_at, id from ${deliveries} where id = ${before})`;
  const rows = await rowsOf<Row>(
    db,
    sql`
    select id, ${column(deliveries.message)} as message, attempt, response_status, error, created_at, attempted_at, delivered_at,
      case when due_at < 'infinity' then due_at end as due_at
    from ${deliveries} where ${column(deliveries.endpointId)} = ${endpointId}
      ${status === undefined ? sql`` : sql`and ${conditions[status](deliveries)}`} ${isEarlier}
    order by created_at desc, id desc limit ${limit}`,
  );
  return rows.map(toRecord);
}

type Row = {
  id: string;
  message: Message;
  attempt: number;
  response_status: number | null;
  error: string | null;
  created_at: string;
  attempted_at: string | null;
  delivered_at: string | null;
  due_at: string | null;
};

function toRecord(row: Row): DeliveryRecord {
  const iso = (text: string | null) => (text === null ? null : new Date(text).toISOString());
  const ended = row.delivered_at === null ? 'failed' : 'delivered';
  return {
    id: row.id,
    type: row.message.type,
    data: row.message.data,
    status: row.due_at === null ? ended : 'waiting',
    attempts: row.attempt,
    response_status: row.response_status,
    error: row.error,
    created_at: new Date(row.created_at).toISOString(),
    last_attempt_at: iso(row.attempted_at),
    next_attempt_at: iso(row.due_at),
    delivered_at: iso(row.delivered_at),
  };
}

async function requireDelivery(
  db: Database,
  { deliveries }: WebhookTables,
  endpointId: string,
  id: string,
): Promise<void> {
  const isOwn = sql`id = ${id} and ${column(deliveries.endpointId)} = ${endpointId}`;
  const [found] = await rowsOf(db, sql`select id from ${deliveries} where ${isOwn}`);
  if (!found)
    throw notFound('The webhook does not have this delivery.', {
      fix: 'Find it in the list of its deliveries.',
    });
}

export const replayDescription =
  'Either one delivery that has ended, or all that failed and were stored at or after a time. They keep their `webhook-id` and are retried ' +
  'as new ones. A delivery that waits is not sent twice.';
export const replayFields = { delivery_id: z.guid().optional(), failed_since: instant.optional() };
export const replayReply = z.object({
  replayed: z.int().meta({ description: 'Number of deliveries that wait now.' }),
});
type ReplayBody = { delivery_id?: string | undefined; failed_since?: Date | undefined };

/** Queues deliveries of an enabled endpoint again. Rejects with the error for the caller. */
export async function replay(
  db: Database,
  tables: WebhookTables,
  { id: endpointId, isEnabled }: { id: string; isEnabled: boolean },
  { delivery_id: id, failed_since: failedSince }: ReplayBody,
): Promise<z.output<typeof replayReply>> {
  if (!isEnabled) throw conflict('The webhook is disabled.', { fix: 'Enable it, then replay.' });
  if (id !== undefined && failedSince === undefined) {
    await requireDelivery(db, tables, endpointId, id);
    const replayed = await replayDeliveries(db, tables, endpointId, { id });
    if (replayed === 0) throw conflict('The delivery still waits: it is sent without a replay.');
    return { replayed };
  }
  if (id !== undefined || failedSince === undefined)
    throw badRequest('body: expected either delivery_id or failed_since');
  const replayed = await inBatches((limit) =>
    replayDeliveries(db, tables, endpointId, { failedSince, limit }),
  );
  return { replayed };
}
