import { rowsOf } from '@latchkey/service/rows';
import { sweepTable } from '@latchkey/service/sweep-table';
import { and, desc, lt, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { hasExactly, hasHash } from './hashed.ts';
import { accountRequests } from './schema.ts';

export { requestOutcomes } from './request-schema.ts';

type RequestRecord = typeof accountRequests.$inferSelect;
export type NewRequest = Omit<RequestRecord, 'id'>;

const RETENTION_DAYS = 7;

/** Stores all of them by one statement with one parameter. */
export async function storeRequests(db: Database, requests: readonly NewRequest[]): Promise<void> {
  await rowsOf(
    db,
    sql`insert into account_requests (account, request_id, key, method, route, outcome, status, error, duration_ms, charged_micros, at, omitted)
    select account, "requestId", key, method, route, outcome, status, error, "durationMs", "chargedMicros", at, omitted
    from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as r(account text, "requestId" text, key text, method text, route text,
      outcome text, status integer, error text, "durationMs" integer, "chargedMicros" bigint, at timestamptz, omitted integer)`,
  );
}

/** At most one: an index has exactly the requests of one filter. */
export type RequestFilter = { [Name in 'outcome' | 'key' | 'route']?: RequestRecord[Name] | undefined };

/** Resolves to the requests of an account that match the filter, newest first, before the one with this id. */
export function listRequests(
  db: Database,
  {
    account,
    filter,
    before,
    limit,
  }: { account: string; filter: RequestFilter; before?: number | undefined; limit: number },
): Promise<RequestRecord[]> {
  const { id } = accountRequests;
  const compared = [
    { value: accountRequests.account, wanted: account },
    { value: accountRequests.outcome, wanted: filter.outcome },
    { value: accountRequests.key, wanted: filter.key },
    { value: accountRequests.route, wanted: filter.route },
  ].flatMap(({ value, wanted }) => (wanted === undefined ? [] : [{ value, wanted }]));
  return db
    .select()
    .from(accountRequests)
    .where(and(hasHash(compared), hasExactly(compared), before === undefined ? undefined : lt(id, before)))
    .orderBy(desc(id))
    .limit(limit);
}

/** Deletes requests that are too old. */
export async function removeOldRequests(db: Database, signal?: AbortSignal): Promise<void> {
  const { at } = accountRequests;
  const isOld = lt(at, sql`now() - make_interval(days => ${RETENTION_DAYS}::int)`);
  await sweepTable(db, accountRequests, { by: at, isOld }, signal);
}
