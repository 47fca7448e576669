/** The rules of the queue in plain code, to compare its ready list and its claims with. */
import { asc, sql } from 'drizzle-orm';
import type { Database } from '../src/db/database.ts';
import { queueChanges, queueTriggers, queueUsers, runs, triggers } from '../src/db/schema.ts';

/** Runs and triggers at one time of the database. Runs are in the order of their acceptance. */
export async function readState(db: Database) {
  return db.transaction(
    async (tx) => {
      const [clock] = await tx.select({ at: sql<string>`clock_timestamp()` }).from(sql`(select 1) one`);
      const at = new Date(clock?.at ?? 0).getTime();
      const { id, triggerId, userId, status, concurrencyKey, dueAt, startedAt, createdAt } = runs;
      return {
        at,
        triggers: await tx.select().from(triggers),
        runs: await tx
          .select({ id, triggerId, userId, status, concurrencyKey, dueAt, startedAt })
          .from(runs)
          .orderBy(asc(createdAt), asc(id)),
        listed: await tx.select().from(queueTriggers),
        users: await tx.select().from(queueUsers),
        changes: await tx.select().from(queueChanges),
      };
    },
    { isolationLevel: 'repeatable read' },
  );
}

export type State = Awaited<ReturnType<typeof readState>>;
type Run = State['runs'][number];

/** Runs of a trigger that are due and whose concurrency key is free. */
function freeRuns(own: Run[], at: number): Run[] {
  const taken = new Set(own.filter((run) => run.status === 'running').map((run) => run.concurrencyKey));
  return own.filter((run) => {
    if (run.status !== 'queued') return false;
    const isFree = run.concurrencyKey === null || !taken.has(run.concurrencyKey);
    taken.add(run.concurrencyKey);
    return isFree && run.dueAt.getTime() <= at;
  });
}

/** How many runs a trigger can start now, and when it can start one without a change. */
function expectTrigger(trigger: State['triggers'][number], all: Run[], at: number) {
  const own = all.filter((run) => run.triggerId === trigger.id);
  const running = own.filter((run) => run.status === 'running').length;
  const starts = own
    .flatMap(({ startedAt }) => (startedAt === null ? [] : [startedAt.getTime() + 60_000]))
    .filter((until) => until > at)
    .sort((a, b) => b - a);
  const room =
    trigger.heldUntil === null ? trigger.maxConcurrentRuns : Math.min(1, trigger.maxConcurrentRuns);
  if (!trigger.enabled || running >= room) return { running, capacity: 0, wakeAt: null };
  const heldUntil = trigger.heldUntil?.getTime() ?? 0;
  const throttle = trigger.throttlePerMinute ?? Number.POSITIVE_INFINITY;
  const throttledUntil = starts[throttle - 1] ?? 0;
  const opensAt = Math.max(heldUntil, throttledUntil);
  if (opensAt > at) return { running, capacity: 0, wakeAt: opensAt };
  const capacity = Math.min(room - running, throttle - starts.length, freeRuns(own, at).length);
  const later = own.filter((run) => run.status === 'queued').map((run) => run.dueAt.getTime());
  const next = Math.min(...later.filter((dueAt) => dueAt > at));
  return { running, capacity, wakeAt: capacity > 0 || next === Number.POSITIVE_INFINITY ? null : next };
}

/** Returns the ready list that the runs require, and how many runs of each user and trigger a claim without limit must return. */
export function expectState(state: State, perUser: number) {
  const listed = new Map(
    state.triggers.map((trigger) => [trigger.id, expectTrigger(trigger, state.runs, state.at)]),
  );
  const users = state.users.map(({ userId }) => {
    const own = state.triggers.filter((trigger) => trigger.userId === userId).map(({ id }) => listed.get(id));
    const running = own.reduce((sum, trigger) => sum + (trigger?.running ?? 0), 0);
    const capacity = own.reduce((sum, trigger) => sum + (trigger?.capacity ?? 0), 0);
    return [
      userId,
      { running, isReady: capacity > 0, claimable: Math.min(perUser - running, capacity) },
    ] as const;
  });
  return { listed, users: new Map(users) };
}

/** Returns how the ready list differs from the runs. */
export function findDifferences(state: State, perUser: number): string[] {
  const { listed, users } = expectState(state, perUser);
  const found = state.changes.map(({ triggerId }) => `change of ${triggerId} is left`);
  if (state.listed.length !== listed.size) found.push(`${state.listed.length} listed of ${listed.size}`);
  for (const row of state.listed) {
    const expected = listed.get(row.triggerId);
    const actual = { running: row.running, isReady: row.isReady, wakeAt: row.wakeAt?.getTime() ?? null };
    const wanted = {
      running: expected?.running,
      isReady: (expected?.capacity ?? 0) > 0,
      wakeAt: expected?.wakeAt,
    };
    if (JSON.stringify(actual) !== JSON.stringify(wanted))
      found.push(`trigger ${row.triggerId}: ${JSON.stringify({ actual, wanted })}`);
  }
  for (const { userId, running, isReady } of state.users) {
    const wanted = users.get(userId);
    if (running !== wanted?.running || isReady !== wanted.isReady)
      found.push(`user ${userId}: ${JSON.stringify({ actual: { running, isReady }, wanted })}`);
  }
  return found;
}
