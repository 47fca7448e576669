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
  const ids: string[] = [];
  const [{ last } = { last: null }] = await db
    .select({ last: max(runs.number) })
    .from(runs)
    .where(eq(runs.triggerId, triggerId));
  let number = last ?? 0;
  for (let left = count; left > 0; left -= 1_000) {
    const values = Array.from({ length: Math.min(left, 1_000) }, () => ({
      triggerId,
      userId,
      number: ++number,
      // A later number is a later time, as the service stores them.
      createdAt: sql`clock_timestamp() + ${number} * interval '1 microsecond'`,
      input: {},
    }));
    for (const { id } of await db.insert(runs).values(values).returning({ id: runs.id })) ids.push(id);
  }
  return ids;
}

export async function readRun(db: Database, id: string) {
  const [run] = await db.select().from(runs).where(eq(runs.id, id));
  if (!run) throw new Error('run not found');
  return run;
}

export async function clear(db: Database): Promise<void> {
  await db.delete(triggers);
}
