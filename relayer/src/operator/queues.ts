/** Queues of this relayer and of its database. */
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { relayerProcesses } from '../db/schema.ts';
import { webhookDeliveries, webhookEndpoints } from '../db/webhook-schema.ts';

export const queueStatus = z.object({
  /** Writes that wait for a payer in this relayer. */
  writes_waiting: z.int(),
  /** Running and waiting runs of this relayer, and their maximum. */
  runs: z.int(),
  max_runs: z.int(),
  /** Deliveries to enabled webhooks, and since when the oldest one is due. */
  webhook_deliveries: z.object({ waiting: z.int(), overdue_sec: z.number() }).nullable(),
  /** Blocks that the indexer is behind the head that this relayer knows. */
  indexer: z
    .object({ version: z.string().nullable(), block: z.int().nullable(), lag_blocks: z.int().nullable() })
    .nullable(),
});

/** Returns the number of relayers on the database that work. */
export async function countRelayers(db: Database): Promise<number> {
  return db.$count(relayerProcesses, sql`${relayerProcesses.seenAt} > now() - interval '10 seconds'`);
}

/** Without those to disabled webhooks, which wait until their owner enables them. */
export async function readDeliveries(db: Database): Promise<{ waiting: number; overdue_sec: number }> {
  const [found] = await rowsOf<{ waiting: number; overdueSec: number }>(
    db,
    sql`
    select count(*)::integer as waiting,
      greatest(coalesce(extract(epoch from now() - min(d.due_at)), 0), 0)::double precision as "overdueSec"
    from ${webhookDeliveries} d join ${webhookEndpoints} e on e.id = d.endpoint_id and e.is_enabled
    where d.due_at < 'infinity'`,
  );
  return { waiting: found?.waiting ?? 0, overdue_sec: found?.overdueSec ?? 0 };
}
