/** The search over all runs of an account. */
import { instant } from '@latchkey/http';
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../db/database.ts';
import { runs, triggers } from '../../db/schema.ts';
import { hashDeliveryId } from '../../sources/webhook.ts';
import { checkedText } from '../checked-text.ts';
import { runListQuery } from './list.ts';

const text = (maxLength: number) =>
  checkedText(
    (value) => !value.includes('\0'),
    'expected text without NUL characters',
    z.string().min(1).max(maxLength),
  ).optional();

const moment = instant.optional();

/** Escapes of JSON that PostgreSQL cannot read as text: NUL and lone surrogates. */
const UNREADABLE = String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`;

/** Matches text in a field of the error, case-insensitively. */
const contains = (field: 'name' | 'message', wanted: string) => {
  const readable = sql`regexp_replace(${runs.error}::text, ${UNREADABLE}, ${String.raw`\\ufffd`}, 'gi')::json`;
  // The collation of the database may know ASCII only.
  const lower = (value: SQL) => sql`lower((${value}) collate pg_c_utf8)`;
  return sql`strpos(${lower(sql`${readable} ->> ${field}::text`)}, ${lower(sql`${wanted}::text`)}) > 0`;
};

/** Query of a search. A run must match all parameters. */
export const searchQuery = runListQuery.extend({
  trigger_id: z.guid().optional(),
  from: moment.meta({ description: 'Runs accepted at this time or later.' }),
  to: moment.meta({ description: 'Runs accepted before this time.' }),
  error: text(200).meta({ description: 'Failed runs with this text in the name or message of the error.' }),
  relayer_run_id: z.guid().optional().meta({ description: 'The run with this record at the relayer.' }),
  delivery_id: text(4_096).meta({ description: 'Runs fired by the webhook delivery with this id.' }),
});

type Search = Omit<z.output<typeof searchQuery>, 'limit' | 'offset'>;

/** Returns the condition of the runs of a user that match a search. */
export function matches(
  db: Database,
  userId: string,
  {
    status,
    trigger_id: triggerId,
    from,
    to,
    error,
    relayer_run_id: relayerRunId,
    delivery_id: deliveryId,
  }: Search,
): SQL | undefined {
  // The index of dedupe keys begins with the trigger.
  const own = db.select({ id: triggers.id }).from(triggers).where(eq(triggers.userId, userId));
  return and(
    eq(runs.userId, userId),
    status && eq(runs.status, status),
    triggerId === undefined ? undefined : eq(runs.triggerId, triggerId),
    relayerRunId === undefined ? undefined : eq(runs.relayerRunId, relayerRunId),
    from && gte(runs.createdAt, from),
    to && lt(runs.createdAt, to),
    error === undefined
      ? undefined
      : // Only failed runs have an error, and they have an index of their own.
        sql`${runs.status} = 'failed' and (${contains('name', error)} or ${contains('message', error)})`,
    deliveryId === undefined
      ? undefined
      : and(eq(runs.dedupeKey, hashDeliveryId(deliveryId)), inArray(runs.triggerId, own)),
  );
}
