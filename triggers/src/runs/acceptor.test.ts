import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { asc, countDistinct, eq, ne } from 'drizzle-orm';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addRuns, addTrigger, addUser, clear, readRun } from '../../test/fixtures.ts';
import { runs, triggers } from '../db/schema.ts';
import { laterVersion } from '../db/version.ts';
import { createAcceptor } from './accept.ts';
import { accountKeyOf, toStored } from './concurrency-key.ts';

const wake = vi.fn();
const database = disposeAfterAll(await openTestDatabase());
const db = database.db;
beforeEach(async () => {
  wake.mockClear();
  await clear(db);
});

const newTrigger = async (fields: Partial<typeof triggers.$inferInsert> = {}) =>
  addTrigger(db, await addUser(db), fields);
/** Acceptors of two processes. */
const replicas = () => [0, 1].map(() => createAcceptor({ db, worker: { wake } }));
const namesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'stored' : (result.reason as Error).name));

test('runs of a group are stored in their order', async () => {
  const [accept] = replicas();
  const trigger = await newTrigger({ concurrencyKey: 'event.key' });
  const accepted = await Promise.all(
    Array.from({ length: 40 }, (_, n) => accept?.(trigger, { input: { n, event: { key: 1 } } })),
  );
  const stored = await db.select().from(runs).orderBy(asc(runs.createdAt));
  expect(stored.map(({ input }) => input.n)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(stored.map(({ id }) => id)).toEqual(accepted.map((run) => run?.id));
  const [{ times } = { times: 0 }] = await db.select({ times: countDistinct(runs.createdAt) }).from(runs);
  expect(times).toBe(40);
  expect(await db.$count(runs, eq(runs.dueAt, runs.createdAt))).toBe(40);
  expect(new Set(stored.map(({ concurrencyKey }) => concurrencyKey)).size).toBe(1);
  expect(wake).toHaveBeenCalledTimes(40);
});

test('stores a run whose account key contains a NUL, under its hash', async () => {
  const [accept] = replicas();
  const concurrencyKey = toStored({ path: 'key', scope: 'account' });
  const trigger = await newTrigger({ concurrencyKey });
  const run = await accept?.(trigger, { input: { key: 'a\0b' } });
  expect(accountKeyOf((await readRun(db, run?.id ?? '')).concurrencyKey)).toMatch(/^[\w-]{43}$/);
});

test('a run that cannot be stored does not refuse its neighbours', async () => {
  const [accept] = replicas();
  const trigger = await newTrigger();
  const nested = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  const inputs = [{ n: 0 }, { n: 1 }, { nested }, { n: 2 }, { nested }, { n: 3 }];
  const results = await Promise.allSettled(inputs.map((input) => accept?.(trigger, { input })));
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, false, true]);
  const stored = await db.select().from(runs).orderBy(asc(runs.createdAt));
  expect(stored.map(({ input }) => input.n)).toEqual([0, 1, 2, 3]);
});

test('a group settles each of its runs by its own trigger', async () => {
  const [accept] = replicas();
  const [good, paused, full, old] = [
    await newTrigger(),
    await newTrigger({ enabled: false }),
    await newTrigger({ maxQueuedRuns: 1 }),
    await newTrigger(),
  ];
  await db.update(triggers).set({ name: 'renamed', updatedAt: laterVersion }).where(eq(triggers.id, old.id));
  const results = await Promise.allSettled(
    [good, paused, full, full, old, good].map((trigger) => accept?.(trigger, { input: {} })),
  );
  expect(namesOf(results)).toEqual([
    'stored',
    'TriggerDisabledError',
    'stored',
    'QueueFullError',
    'TriggerChangedError',
    'stored',
  ]);
  expect(await db.$count(runs)).toBe(3);
});

test('two processes use each limit of a trigger exactly', async () => {
  for (const limit of [{ maxQueuedRuns: 7 }, { maxRunsPerMinute: 7 }]) {
    const trigger = await newTrigger(limit);
    const results = await Promise.allSettled(
      replicas().flatMap((accept) => Array.from({ length: 20 }, () => accept(trigger, { input: {} }))),
    );
    expect(namesOf(results).filter((name) => name === 'stored')).toHaveLength(7);
    expect(namesOf(results).filter((name) => name === 'QueueFullError')).toHaveLength(33);
    expect(await db.$count(runs, eq(runs.triggerId, trigger.id))).toBe(7);
  }
});

test('two processes store one run per dedupe key, also over the limits', async () => {
  const trigger = await newTrigger({ maxQueuedRuns: 2 });
  const accepted = await Promise.all(
    replicas().flatMap((accept) =>
      Array.from({ length: 20 }, (_, n) => accept(trigger, { input: {}, dedupeKey: `${n % 2}` })),
    ),
  );
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(2);
  expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(2);
  expect(await db.$count(runs)).toBe(2);
});

test('of a group of debounced events the last one is left, whatever the limit of queued runs is', async () => {
  const [accept] = replicas();
  const trigger = await newTrigger({ debounceSeconds: 60, maxQueuedRuns: 2 });
  const accepted = await Promise.all(
    Array.from({ length: 20 }, (_, n) => accept?.(trigger, { input: { n } })),
  );
  const left = await db.select().from(runs).where(eq(runs.status, 'queued'));
  expect(left.map(({ id }) => id)).toEqual([accepted.at(-1)?.id]);
  const replaced = await readRun(db, accepted[0]?.id ?? '');
  expect(replaced.error?.message).toBe(`A newer event replaced this one: run ${accepted.at(-1)?.id}.`);
});

test('a group has the outcomes of its runs stored one after the other', { timeout: 120_000 }, async () => {
  const limit = fc.integer({ min: 1, max: 4 });
  const given = fc.record({
    triggers: fc.array(
      fc.record({
        maxQueuedRuns: limit,
        maxRunsPerMinute: fc.integer({ min: 1, max: 6 }),
        debounceSeconds: fc.constantFrom(null, 30),
        enabled: fc.constantFrom(true, true, true, false),
      }),
      { minLength: 3, maxLength: 3 },
    ),
    /** Runs that are running: they count as recent, and are not in the queue. */
    running: fc.integer({ min: 0, max: 3 }),
    events: fc.array(
      fc.record({
        of: fc.nat({ max: 2 }),
        key: fc.constantFrom('a', 'b', null),
        dedupeKey: fc.constantFrom('1', '2', '3', undefined, undefined),
        share: fc.constantFrom(0.5, 1),
      }),
      { minLength: 2, maxLength: 20 },
    ),
  });
  const concurrency = (key: string | null) => (key === null ? {} : { event: { key } });
  await fc.assert(
    fc.asyncProperty(given, async (setup) => {
      /** Outcomes by event, and what is stored, by position instead of id. */
      const outcomes = async (isGrouped: boolean) => {
        await clear(db);
        const [accept] = replicas() as [ReturnType<typeof createAcceptor>];
        const user = await addUser(db);
        const made: Awaited<ReturnType<typeof addTrigger>>[] = [];
        for (const fields of setup.triggers) {
          const trigger = await addTrigger(db, user, { ...fields, concurrencyKey: 'event.key' });
          await addRuns(db, trigger, setup.running);
          made.push(trigger);
        }
        await db.update(runs).set({ status: 'running', startedAt: new Date() });
        const store = async ({ of, key, dedupeKey, share }: (typeof setup.events)[number]) => {
          const run = { input: concurrency(key), share, ...(dedupeKey !== undefined && { dedupeKey }) };
          return accept(made[of] as (typeof made)[number], run).then(
            ({ id }) => id,
            ({ message }: Error) => message,
          );
        };
        const replies: string[] = [];
        if (isGrouped) replies.push(...(await Promise.all(setup.events.map(store))));
        else for (const event of setup.events) replies.push(await store(event));
        const stored = await db.select().from(runs).where(ne(runs.status, 'running'));
        const withoutIds = stored.map(({ id, triggerId, number, status }) => ({
          event: replies.indexOf(id),
          trigger: made.findIndex((trigger) => trigger.id === triggerId),
          number,
          status,
        }));
        const byEvent = withoutIds.sort((a, b) => a.event - b.event);
        return {
          replies: replies.map((reply) =>
            stored.findIndex(({ id }) => id === reply) < 0 ? reply : replies.indexOf(reply),
          ),
          byEvent,
        };
      };
      expect(await outcomes(true)).toEqual(await outcomes(false));
    }),
    { numRuns: 40 },
  );
});

test('a locked trigger delays its own runs only', async () => {
  const [accept] = replicas();
  const [locked, free] = [await newTrigger(), await newTrigger()];
  const accepted: string[] = [];
  const acceptTo = async (name: string, trigger: typeof free) => {
    await accept?.(trigger, { input: {} });
    accepted.push(name);
  };
  let waiting: Promise<void>[] = [];
  await db.transaction(async (tx) => {
    await tx.select().from(triggers).where(eq(triggers.id, locked.id)).for('no key update');
    waiting = [acceptTo('locked', locked), acceptTo('locked', locked)];
    await Promise.all([acceptTo('free', free), acceptTo('free', free)]);
    await acceptTo('free', free);
    expect(accepted).toEqual(['free', 'free', 'free']);
  });
  await Promise.all(waiting);
  expect(await db.$count(runs, eq(runs.triggerId, locked.id))).toBe(2);
});

/** The database, which counts the statements of acceptors, and fails them after `failure` is set. */
function countingDatabase() {
  const state = { statements: 0, failure: undefined as Error | undefined };
  const counting = new Proxy(db, {
    get(target, name, receiver) {
      if (name === 'select') {
        state.statements++;
        if (state.failure) throw state.failure;
      }
      return Reflect.get(target, name, receiver);
    },
  });
  return { state, accept: createAcceptor({ db: counting, worker: { wake } }) };
}

test('a statement stores at most 64 runs', async () => {
  const { state, accept } = countingDatabase();
  const trigger = await newTrigger();
  // The first run is a group of its own, for which the others wait.
  await Promise.all(Array.from({ length: 1 + 64 + 36 }, () => accept(trigger, { input: {} })));
  expect(state.statements).toBe(3);
});

test('runs are not tried again one by one while the database is unavailable', async () => {
  const { state, accept } = countingDatabase();
  const trigger = await newTrigger();
  state.failure = Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => accept(trigger, { input: {} })));
  expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  expect(state.statements).toBe(2);
});

test('a single run that cannot be stored is tried once', async () => {
  const { state, accept } = countingDatabase();
  state.failure = new Error('refused');
  await expect(accept(await newTrigger(), { input: {} })).rejects.toThrow('refused');
  expect(state.statements).toBe(1);
});
