import { and, asc, eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { compareSchedulers } from '../../test/simulated-days.ts';
import { runs, triggers, users } from '../db/schema.ts';
import { nextSlot } from './schedule.ts';
import { fireDueSlots, startScheduler } from './scheduler.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await database.db.delete(triggers);
});

const log = pino({ level: 'silent' });
const contextOf = () => ({ db: database.db, log, worker: { wake: vi.fn() } });
const at = (text: string) => new Date(text);

async function scheduleOf(fields: Partial<typeof triggers.$inferInsert> = {}): Promise<string> {
  const [user] = await database.db.insert(users).values({ account: crypto.randomUUID() }).returning();
  const [made] = await database.db
    .insert(triggers)
    .values({
      userId: user?.id ?? '',
      name: 'a schedule',
      kind: 'schedule',
      defaultParams: {},
      usageApiKey: '',
      maxRunsPerMinute: 10_000,
      maxQueuedRuns: 10_000,
      maxConcurrentRuns: 1,
      config: { cron: '0 * * * *', timezone: 'UTC', missed: 'one' },
      nextSlotAt: at('2026-01-01T01:00:00Z'),
      ...fields,
    })
    .returning();
  return made?.id ?? '';
}
const runsOf = (triggerId: string) =>
  database.db.select().from(runs).where(eq(runs.triggerId, triggerId)).orderBy(asc(runs.scheduledFor));
const nextOf = async (id: string) => {
  const [trigger] = await database.db.select().from(triggers).where(eq(triggers.id, id));
  return trigger?.nextSlotAt?.toISOString();
};

test('a due slot becomes a run with flat parameters, and the trigger waits for the next', async () => {
  const id = await scheduleOf();
  const context = contextOf();
  await fireDueSlots(context, at('2026-01-01T00:59:59Z'));
  expect(await runsOf(id)).toEqual([]);
  expect(context.worker.wake).not.toHaveBeenCalled();

  await fireDueSlots(context, at('2026-01-01T01:00:01Z'));
  const [run, ...more] = await runsOf(id);
  expect(more).toEqual([]);
  expect(run).toMatchObject({
    input: { source: 'schedule', scheduled_at: '2026-01-01T01:00:00.000Z', cron: '0 * * * *' },
    scheduledFor: at('2026-01-01T01:00:00Z'),
    status: 'queued',
  });
  expect(context.worker.wake).toHaveBeenCalled();
  expect(await nextOf(id)).toBe('2026-01-01T02:00:00.000Z');
});

test('a clock that is set back fires nothing again, even where the trigger was set back with it', async () => {
  const id = await scheduleOf();
  await fireDueSlots(contextOf(), at('2026-01-01T02:00:01Z'));
  expect(await runsOf(id)).toHaveLength(1);
  await fireDueSlots(contextOf(), at('2026-01-01T01:00:01Z'));
  expect(await runsOf(id)).toHaveLength(1);
  await database.db
    .update(triggers)
    .set({ nextSlotAt: at('2026-01-01T02:00:00Z') })
    .where(eq(triggers.id, id));
  await fireDueSlots(contextOf(), at('2026-01-01T02:00:05Z'));
  expect(await runsOf(id)).toHaveLength(1);
  expect(await nextOf(id)).toBe('2026-01-01T03:00:00.000Z');
});

test('neither a paused schedule nor another kind fires', async () => {
  const paused = await scheduleOf({ enabled: false });
  const other = await scheduleOf({ kind: 'webhook', config: {} });
  await fireDueSlots(contextOf(), at('2026-01-01T01:00:01Z'));
  expect(await runsOf(paused)).toEqual([]);
  expect(await runsOf(other)).toEqual([]);
});

test('one that makes no sense here does not stop the others', async () => {
  const bad = await scheduleOf({ config: { cron: '0 * * * *', timezone: 'Mars/Phobos', missed: 'one' } });
  const good = await scheduleOf();
  await fireDueSlots(contextOf(), at('2026-01-01T01:00:01Z'));
  expect(await runsOf(good)).toHaveLength(1);
  expect(await runsOf(bad)).toEqual([]);
});

test('60 at once, more than a batch', async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, () => scheduleOf()));
  await Promise.all([
    fireDueSlots(contextOf(), at('2026-01-01T01:00:01Z')),
    fireDueSlots(contextOf(), at('2026-01-01T01:00:01Z')),
  ]);
  for (const id of ids) expect(await runsOf(id)).toHaveLength(1);
});

test('two schedulers that die at every second commit: one run a slot', async () => {
  const { slots, crashes, differences } = await compareSchedulers(database.db, Date.UTC(2026, 2, 26), 5, 7);
  expect(differences).toEqual([]);
  expect(slots).toBeGreaterThan(90);
  expect(crashes).toBeGreaterThan(50);
});

test('the loop looks by itself, and nothing of it is left when it is closed', async () => {
  const config = { cron: '* * * * *', timezone: 'UTC', missed: 'one' };
  const missedAt = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 120_000);
  const id = await scheduleOf({ config, nextSlotAt: missedAt });
  const schedulers = [startScheduler(contextOf()), startScheduler(contextOf())];
  await expect.poll(() => runsOf(id), { timeout: 10_000 }).not.toEqual([]);
  await Promise.all(schedulers.map(({ close }) => close()));
  const fired = await runsOf(id);
  const [run] = fired;
  expect(fired.length).toBeLessThanOrEqual(2);
  expect(run?.scheduledFor?.getTime()).toBeGreaterThan(missedAt.getTime());
  const next = nextSlot(config, fired.at(-1)?.scheduledFor ?? missedAt);
  expect(await nextOf(id)).toBe(next?.toISOString());
  const [due] = await database.db
    .select()
    .from(triggers)
    .where(and(eq(triggers.id, id), eq(triggers.enabled, true)));
  expect(due?.nextSlotAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
});
