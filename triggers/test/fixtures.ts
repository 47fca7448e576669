/** Adds users, triggers and runs to a database. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { eq, max, sql } from 'drizzle-orm';
import type { Database } from '../src/db/database.ts';
import { runs, triggers, users } from '../src/db/schema.ts';

export const sealer = createSealer([sealingKey(randomBytes(32))]);
export const usageKey = Buffer.alloc(32, 7).toString('base64');

export async function addUser(db: Database): Promise<string> {
  const [user] = await db
    .insert(users)
    .values({ account: `0x${randomBytes(32).toString('hex')}` })
    .returning();
  return (user as { id: string }).id;
}

type NewTrigger = Partial<typeof triggers.$inferInsert>;

export async function addTrigger(db: Database, userId: string, fields: NewTrigger = {}) {
  const id = fields.id ?? randomUUID();
  const [trigger] = await db
    .insert(triggers)
    .values({
      id,
      userId,
      name: 'a trigger',
      kind: 'webhook',
      actionCode: 'code',
      defaultParams: {},
      usageApiKey: sealer.seal(usageKey, id),
      maxRunsPerMinute: 1_000_000,
      maxQueuedRuns: 1_000_000,
      maxConcurrentRuns: 100,
      config: {},
      ...fields,
    })
    .returning();
  return trigger as typeof triggers.$inferSelect;
}

/** Adds `count` queued runs. Resolves to their ids. */
export async function addRuns(
  db: Database,
  { id: triggerId, userId }: { id: string; userId: string },
  count: number,
): Promise<string[]> {
  const [{ last } = { last: null }] = await db
    .select({ last: max(runs.number) })
    .from(runs)
    .where(eq(runs.triggerId, triggerId));
  // Without the columns of later migrations, which tests of migrations do not have. A later number is a later time, as the service stores them.
  const { rows } = (await db.execute(sql`
    insert into triggers.runs (trigger_id, user_id, number, created_at, input)
    select ${triggerId}::uuid, ${userId}::uuid, number, clock_timestamp() + number * interval '1 microsecond', '{}'
    from generate_series(${(last ?? 0) + 1}::int, ${(last ?? 0) + count}::int) as number
    returning id`)) as unknown as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}

export async function readRun(db: Database, id: string) {
  const [run] = await db.select().from(runs).where(eq(runs.id, id));
  if (!run) throw new Error('run not found');
  return run;
}

export async function clear(db: Database): Promise<void> {
  await db.delete(triggers);
}
