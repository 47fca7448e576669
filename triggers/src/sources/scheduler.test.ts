import { startPostgresProxy } from '@latchkey/testing/message-proxies';
import { and, asc, eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { compareSchedulers } from '../../test/simulated-days.ts';
import { openDatabase } from '../db/database.ts';
import { runs, triggers, users } from '../db/schema.ts';
import { laterVersion } from '../db/version.ts';
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
const createOptions = () => ({ db: database.db, log, worker: { wake: vi.fn() } });
const at = (text: string) => new Date(text);

async function addSchedule(fields: Partial<typeof triggers.$inferInsert> = {}): Promise<string> {
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
const listRuns = (triggerId: string) =>
  database.db.select().from(runs).where(eq(runs.triggerId, triggerId)).orderBy(asc(runs.scheduledFor));
const readNextSlot = async (id: string) => {
  const [trigger] = await database.db.select().from(triggers).where(eq(triggers.id, id));
  return trigger?.nextSlotAt?.toISOString();
};

test('a due slot fires a run and advances the trigger to its next slot', async () => {
  const id = await addSchedule();
  const options = createOptions();
  await fireDueSlots(options, at('2026-01-01T00:59:59Z'));
  expect(await listRuns(id)).toEqual([]);
  expect(options.worker.wake).not.toHaveBeenCalled();

  await fireDueSlots(options, at('2026-01-01T01:00:01Z'));
  const [run, ...more] = await listRuns(id);
  expect(more).toEqual([]);
  expect(run).toMatchObject({
    input: { source: 'schedule', scheduled_at: '2026-01-01T01:00:00.000Z', cron: '0 * * * *' },
    scheduledFor: at('2026-01-01T01:00:00Z'),
    status: 'queued',
  });
  expect(options.worker.wake).toHaveBeenCalled();
  expect(await readNextSlot(id)).toBe('2026-01-01T02:00:00.000Z');
});

test('a slot does not fire again when the clock and the trigger are set back', async () => {
  const id = await addSchedule();
  await fireDueSlots(createOptions(), at('2026-01-01T02:00:01Z'));
  expect(await listRuns(id)).toHaveLength(1);
  await fireDueSlots(createOptions(), at('2026-01-01T01:00:01Z'));
  expect(await listRuns(id)).toHaveLength(1);
  await database.db
    .update(triggers)
    .set({ nextSlotAt: at('2026-01-01T02:00:00Z') })
    .where(eq(triggers.id, id));
  await fireDueSlots(createOptions(), at('2026-01-01T02:00:05Z'));
  expect(await listRuns(id)).toHaveLength(1);
  expect(await readNextSlot(id)).toBe('2026-01-01T03:00:00.000Z');
});

test('paused schedules and other kinds do not fire', async () => {
  const paused = await addSchedule({ enabled: false });
  const other = await addSchedule({ kind: 'webhook', config: {} });
  await fireDueSlots(createOptions(), at('2026-01-01T01:00:01Z'));
  expect(await listRuns(paused)).toEqual([]);
  expect(await listRuns(other)).toEqual([]);
});

test('an invalid schedule does not stop the others', async () => {
  const bad = await addSchedule({ config: { cron: '0 * * * *', timezone: 'Mars/Phobos', missed: 'one' } });
  const good = await addSchedule();
  await fireDueSlots(createOptions(), at('2026-01-01T01:00:01Z'));
  expect(await listRuns(good)).toHaveLength(1);
  expect(await listRuns(bad)).toEqual([]);
});

test('two schedulers fire 60 triggers once each', async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, () => addSchedule()));
  await Promise.all([
    fireDueSlots(createOptions(), at('2026-01-01T01:00:01Z')),
    fireDueSlots(createOptions(), at('2026-01-01T01:00:01Z')),
  ]);
  for (const id of ids) expect(await listRuns(id)).toHaveLength(1);
});

test('50 triggers with one slot cost as many statements as one', async () => {
  let statements = 0;
  const url = new URL(database.url);
  await using proxy = await startPostgresProxy(Number(url.port), (_label, moment) => {
    if (moment === 'sent') statements++;
    return false;
  });
  const { db, close } = await openDatabase({
    url: Object.assign(url, { port: proxy.port }).href,
    poolSize: 1,
  });
  const fire = async (count: number) => {
    await database.db.delete(triggers);
    const ids = await Promise.all(Array.from({ length: count }, () => addSchedule()));
    statements = 0;
    await fireDueSlots({ ...createOptions(), db }, at('2026-01-01T01:00:01Z'));
    for (const id of ids) expect(await listRuns(id)).toHaveLength(1);
    return statements;
  };
  const ofOne = await fire(1);
  // Two statements read the schedules after and before a random one, and one fires them.
  expect(ofOne).toBe(3);
  // The schedules of both parts.
  expect(await fire(50)).toBeLessThanOrEqual(ofOne + 1);
  await close();
});

test('slots over a limit of the trigger are retried in their order', async () => {
  const config = { cron: '0 * * * *', timezone: 'UTC', missed: 'all' };
  const id = await addSchedule({ config, maxQueuedRuns: 2 });
  for (const stored of [2, 4, 6]) {
    await fireDueSlots(createOptions(), at(`2026-01-01T06:00:0${stored}Z`));
    expect(await listRuns(id)).toHaveLength(stored);
    await database.db.update(runs).set({ status: 'success' }).where(eq(runs.triggerId, id));
  }
  const stored = await database.db
    .select()
    .from(runs)
    .where(eq(runs.triggerId, id))
    .orderBy(asc(runs.createdAt));
  expect(stored.map(({ scheduledFor }) => scheduledFor?.getUTCHours())).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await readNextSlot(id)).toBe('2026-01-01T07:00:00.000Z');
});

test('the longer a slot is refused, the later it is retried, at most a minute', async () => {
  const id = await addSchedule({ maxQueuedRuns: 1 });
  const ask = async (time: string) => {
    await fireDueSlots(createOptions(), at(`2026-01-01T${time}Z`));
    return (await listRuns(id)).length;
  };
  const makeRoom = () => database.db.update(runs).set({ status: 'success' }).where(eq(runs.triggerId, id));
  expect(await ask('01:00:00')).toBe(1);
  // Refused: the next retry is after a second, and then after a minute.
  expect(await ask('02:00:00')).toBe(1);
  expect(await ask('02:30:00')).toBe(1);
  await makeRoom();
  expect(await ask('02:30:59')).toBe(1);
  expect(await ask('02:31:00')).toBe(2);
  expect(await readNextSlot(id)).toBe('2026-01-01T03:00:00.000Z');
  // Refused for a moment.
  expect(await ask('03:00:00')).toBe(2);
  await makeRoom();
  expect(await ask('03:00:01')).toBe(3);
});

test('the scan fires a refused slot when it is time to retry it', async () => {
  const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 600_000);
  const retryAt = new Date(Date.now() + 500);
  const config = { cron: `${slot.getUTCSeconds()} * * * * *`, timezone: 'UTC', missed: 'one' };
  const id = await addSchedule({ config, nextSlotAt: slot, retryAt });
  const scheduler = startScheduler(createOptions());
  await expect.poll(() => listRuns(id)).not.toEqual([]);
  await scheduler.close();
  const [run] = await listRuns(id);
  expect(run?.scheduledFor?.getTime()).toBeGreaterThan(Date.now() - 61_000);
  expect(run?.createdAt.getTime()).toBeGreaterThanOrEqual(retryAt.getTime());
});

test('a schedule that was changed, paused, locked or fired since it was read does not fire', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => addSchedule()));
  const [isChanged = '', isPaused = '', isLocked = '', isFired = '', isSame = ''] = ids;
  await database.db.transaction(async (tx) => {
    await tx.select().from(triggers).where(eq(triggers.id, isLocked)).for('no key update');
    // Changes the schedules after they were read.
    const execute: typeof database.db.execute = (query) =>
      database.db
        .transaction(async (other) => {
          const change = (id: string, set: object) =>
            other.update(triggers).set(set).where(eq(triggers.id, id));
          await change(isChanged, { updatedAt: laterVersion });
          await change(isPaused, { enabled: false });
          await change(isFired, { nextSlotAt: at('2026-01-01T04:00:00Z') });
        })
        .then(() => database.db.execute(query)) as never;
    const db = new Proxy(database.db, {
      get: (target, name) => (name === 'execute' ? execute : Reflect.get(target, name, target)),
    });
    await fireDueSlots({ ...createOptions(), db }, at('2026-01-01T01:00:01Z'));
  });
  const fired = await Promise.all(ids.map(async (id) => (await listRuns(id)).length));
  expect(fired).toEqual([0, 0, 0, 0, 1]);
  expect(await readNextSlot(isFired)).toBe('2026-01-01T04:00:00.000Z');
  expect(await readNextSlot(isSame)).toBe('2026-01-01T02:00:00.000Z');
  for (const id of [isChanged, isPaused, isLocked])
    expect(await readNextSlot(id)).toBe('2026-01-01T01:00:00.000Z');
  await fireDueSlots(createOptions(), at('2026-01-01T01:00:01Z'));
  expect(await listRuns(isLocked)).toHaveLength(1);
});

test('wakes for the next slot, however long it may sleep', async () => {
  const config = { cron: '* * * * * *', timezone: 'UTC', missed: 'one' };
  const slot = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000);
  const id = await addSchedule({ config, nextSlotAt: slot });
  const scheduler = startScheduler({ ...createOptions(), longestSleepMs: 3_600_000 });
  await expect.poll(() => listRuns(id)).toMatchObject([{ scheduledFor: slot }]);
  await scheduler.close();
});

test('two schedulers that crash at random commits store one run per slot', async () => {
  const { slots, crashes, differences } = await compareSchedulers(database.db, Date.UTC(2026, 2, 26), 5, 7);
  expect(differences).toEqual([]);
  expect(slots).toBeGreaterThan(90);
  expect(crashes).toBeGreaterThan(50);
});

test('the scan fires due slots by itself and stops on close', async () => {
  const config = { cron: '* * * * *', timezone: 'UTC', missed: 'one' };
  const missedAt = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 120_000);
  const id = await addSchedule({ config, nextSlotAt: missedAt });
  const schedulers = [startScheduler(createOptions()), startScheduler(createOptions())];
  await expect.poll(() => listRuns(id)).not.toEqual([]);
  await Promise.all(schedulers.map(({ close }) => close()));
  const fired = await listRuns(id);
  const [run] = fired;
  expect(fired.length).toBeLessThanOrEqual(2);
  expect(run?.scheduledFor?.getTime()).toBeGreaterThan(missedAt.getTime());
  const next = nextSlot(config, fired.at(-1)?.scheduledFor ?? missedAt);
  expect(await readNextSlot(id)).toBe(next?.toISOString());
  const [due] = await database.db
    .select()
    .from(triggers)
    .where(and(eq(triggers.id, id), eq(triggers.enabled, true)));
  expect(due?.nextSlotAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
});
