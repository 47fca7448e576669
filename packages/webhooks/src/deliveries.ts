/** The queue of deliveries: rows of a table, which any number of processes share. All times are the database's. */
import { rowsOf } from '@latchkey/service/rows';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Message, WebhookTables } from './tables.ts';

/** The part of a database, or of a transaction on it, that the queue uses. */
export type Database = Pick<PgDatabase<PgQueryResultHKT>, 'execute'>;

/** Concurrent attempts per endpoint and process, and while the endpoint fails. */
export const PER_ENDPOINT = 8;
const PER_FAILING_ENDPOINT = 1;
/** Lease of an attempt, which is shorter. */
const LEASE_SEC = 30;
/** Age at which a delivery is given up, and time without a success after which an endpoint is disabled. */
const RETRY_HOURS = 24;
export const RETENTION_DAYS = 30;
/** The retries of a delivery have ended by then: they end with the first attempt at least a day after their start, and attempts are at most an hour apart. */
const LONGEST_RETRIES_HOURS = RETRY_HOURS + 2;
const FIRST_RETRY_SEC = 5;
const LONGEST_RETRY_SEC = 3_600;

const DISABLED_AS_GONE = 'the receiver replied with status 410';
const DISABLED_AS_FAILING = `no delivery succeeded for ${RETRY_HOURS} hours`;

export type Delivery = {
  id: string;
  endpointId: string;
  attempt: number;
  message: Message;
  url: string;
  /** Sealed. */
  secret: string;
};
type Attempt = Pick<Delivery, 'id' | 'endpointId' | 'attempt'>;

export const column = ({ name }: PgColumn): SQL => sql`${sql.identifier(name)}`;
const isOlder = (since: string) => sql.raw(`${since} <= now() - interval '${RETRY_HOURS} hours'`);

/**
 * Leases at most `limit` due deliveries to this process, except those of `busy` endpoints: the oldest one of each endpoint first, then further
 * ones while there are at most `shared` in total. Steps from one endpoint with a waiting delivery to the next by the index of waiting deliveries,
 * so that a long queue of one costs the others nothing.
 */
export function claimDeliveries(
  db: Database,
  { endpoints, deliveries }: WebhookTables,
  { busy, limit, shared }: { busy: string[]; limit: number; shared: number },
): Promise<Delivery[]> {
  const [id, endpointId] = [column(endpoints.id), column(deliveries.endpointId)];
  return rowsOf(
    db,
    sql`
    with recursive waiting (id) as (
      (select d.${endpointId} from ${deliveries} d where d.due_at < 'infinity' order by 1 limit 1)
      union all
      select (
        select d.${endpointId} from ${deliveries} d
        where d.due_at < 'infinity' and d.${endpointId} > w.id order by 1 limit 1
      ) from waiting w where w.id is not null
    ), due as (
      select due.id, due.due_at, row_number() over (partition by w.id order by due.due_at) as turn from waiting w
      join ${endpoints} e on e.${id} = w.id and e.is_enabled and e.${id} <> all (${sql.param(busy)}::uuid[])
      cross join lateral (
        select d.id, d.due_at from ${deliveries} d
        where d.${endpointId} = e.${id} and d.due_at <= now() and d.due_at < 'infinity'
        order by d.due_at
        limit case when e.failing_since is null then ${PER_ENDPOINT}::integer else ${PER_FAILING_ENDPOINT}::integer end
        for update skip locked
      ) due
    ), placed as (
      select id, turn, row_number() over (order by turn, due_at) as place from due
    )
    update ${deliveries} d set attempt = d.attempt + 1, attempted_at = clock_timestamp(),
      due_at = clock_timestamp() + make_interval(secs => ${LEASE_SEC})
    from ${endpoints} e
    where e.${id} = d.${endpointId} and d.id = any (array(
      select id from placed where place <= ${limit}::integer and (turn = 1 or place <= ${shared}::integer)
    ))
    returning d.id, e.${id} as "endpointId", d.attempt, d.${column(deliveries.message)} as message, e.url, e.secret`,
  );
}

/** Stores the success of an attempt, unless a later one has begun. */
export async function storeSuccess(
  db: Database,
  { endpoints, deliveries }: WebhookTables,
  { id, endpointId, attempt }: Attempt,
  responseStatus: number,
): Promise<void> {
  await db.execute(sql`
    with delivered as (
      update ${deliveries} set due_at = 'infinity', delivered_at = clock_timestamp(), response_status = ${responseStatus}, error = null
      where id = ${id} and attempt = ${attempt} returning id
    )
    update ${endpoints} set failing_since = null
    where ${column(endpoints.id)} = ${endpointId} and failing_since is not null and exists (select from delivered)`);
}

export type Failure = { error: string; responseStatus: number | undefined };

/**
 * Stores the failure of an attempt, unless a later one has begun, and the time of the next one: after about 5 seconds, and then after three
 * times the time since the first attempt, at most an hour, with jitter. Gives a delivery up after a day, and disables an endpoint that had
 * no success for a day or replied with status 410.
 */
export async function storeFailure(
  db: Database,
  { endpoints, deliveries }: WebhookTables,
  { id, endpointId, attempt }: Attempt,
  { error, responseStatus }: Failure,
): Promise<{ isGivenUp: boolean; isDisabled: boolean }> {
  const isGone = sql.raw(String(responseStatus === 410));
  const delaySec = sql`least(greatest(3 * extract(epoch from clock_timestamp() - queued_at), ${FIRST_RETRY_SEC}), ${LONGEST_RETRY_SEC})`;
  const isOver = sql`coalesce(${isGone} or ${isOlder('e.failing_since')}, false)`;
  const [stored] = await rowsOf<{ isGivenUp: boolean; isDisabled: boolean }>(
    db,
    sql`
    with failed as (
      update ${deliveries} set error = ${error}, response_status = ${responseStatus ?? null}::integer,
        due_at = case when ${isGone} or ${isOlder('queued_at')} then 'infinity'
          else clock_timestamp() + make_interval(secs => (${delaySec} * (0.5 + random() / 2))::double precision) end
      where id = ${id} and attempt = ${attempt} returning due_at
    ), failing as (
      update ${endpoints} e set failing_since = coalesce(e.failing_since, now()), is_enabled = e.is_enabled and not ${isOver},
        disabled_reason = case when e.is_enabled and ${isOver}
          then ${responseStatus === 410 ? DISABLED_AS_GONE : DISABLED_AS_FAILING} else e.disabled_reason end,
        updated_at = case when e.is_enabled and ${isOver} then clock_timestamp() else e.updated_at end
      from failed where e.${column(endpoints.id)} = ${endpointId} and (e.failing_since is null or ${isOver})
      returning e.is_enabled
    )
    select due_at = 'infinity' as "isGivenUp", exists (select from failing where not is_enabled) as "isDisabled" from failed`,
  );
  return stored ?? { isGivenUp: false, isDisabled: false };
}

/**
 * Queues deliveries of an endpoint that have ended again, with the ids that they have: one of them, or at most `limit` of those that failed
 * and were stored at or after a time. Resolves to their number.
 */
export async function replayDeliveries(
  db: Database,
  { deliveries }: WebhookTables,
  endpointId: string,
  which: { id: string } | { failedSince: Date; limit: number },
): Promise<number> {
  const chosen =
    'id' in which
      ? sql`and id = ${which.id}`
      : sql`and delivered_at is null and created_at >= ${which.failedSince.toISOString()}::timestamptz limit ${which.limit}`;
  const replayed = await rowsOf(
    db,
    sql`
    update ${deliveries} set due_at = now(), queued_at = now(), delivered_at = null
    where id = any (array(
      select id from ${deliveries} where ${column(deliveries.endpointId)} = ${endpointId} and due_at = 'infinity' ${chosen} for update
    )) returning id`,
  );
  return replayed.length;
}

/** Deletes deliveries that ended more than 30 days ago, or wait as long for a disabled endpoint, at most `limit`. Resolves to their number. */
export async function removeOldDeliveries(
  db: Database,
  { deliveries }: WebhookTables,
  limit: number,
): Promise<number> {
  const removed = await rowsOf(
    db,
    sql`
    delete from ${deliveries} where id = any (array(
      select id from ${deliveries}
      where queued_at < now() - make_interval(days => ${RETENTION_DAYS}::integer, hours => ${LONGEST_RETRIES_HOURS}::integer)
      order by queued_at limit ${limit} for update skip locked
    )) returning id`,
  );
  return removed.length;
}

/** Deletes deliveries of an endpoint, at most `limit`. Resolves to their number. */
export async function removeDeliveries(
  db: Database,
  { deliveries }: WebhookTables,
  endpointId: string,
  limit: number,
): Promise<number> {
  const removed = await rowsOf(
    db,
    sql`
    delete from ${deliveries} where id = any (array(
      select id from ${deliveries} where ${column(deliveries.endpointId)} = ${endpointId} limit ${limit}
    )) returning id`,
  );
  return removed.length;
}
