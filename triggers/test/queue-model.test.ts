/**
 * Random accepts, claims of several connections, ends, retries, lost leases, pauses, holds, changed limits and removals, compared with
 * `queue-reference.ts`. `QUEUE_STEPS` sets the number of steps, `QUEUE_SEED` the seed.
 */
import { pick, type Random, randomFrom } from '@latchkey/testing/random';
import { until } from '@latchkey/testing/until';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { queueUsers, runs, triggers } from '../src/db/schema.ts';
import { type ClaimedRun, claim, settle } from '../src/runs/claim.ts';
import { finish, type Outcome, renew, requeueLost } from '../src/runs/queue.ts';
import { openTestDatabase } from './database.ts';
import { addTrigger, addUser } from './fixtures.ts';
import { expectState, findDifferences, readState } from './queue-reference.ts';

const STEPS = Number(process.env.QUEUE_STEPS ?? 120);
const seed = Number(process.env.QUEUE_SEED ?? Math.floor(Math.random() * 1e9));
const PER_USER = 4;
const MAX_TRIGGERS = 8;
const HOUR_MS = 3_600_000;

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.dispose());

type Held = Pick<ClaimedRun, 'id' | 'claim' | 'triggerId' | 'attempt'>;
type Model = {
  random: Random;
  users: string[];
  /** Accepted runs that have not ended, with the number of their last claim. */
  open: Map<string, number>;
  held: Map<string, Held>;
};

/** A short time, which passes during the test, or one that does not. */
const someMs = (random: Random) => (random(3) === 0 ? HOUR_MS : random(30));
const inMs = (ms: number) => sql`clock_timestamp() + make_interval(secs => ${ms / 1_000}::double precision)`;

async function pickTrigger({ random }: Model) {
  const all = await db.select().from(triggers).orderBy(triggers.id);
  return all[random(Math.max(all.length, 1))];
}

function take({ random, held }: Model): Held | undefined {
  const run = [...held.values()][random(Math.max(held.size, 1))];
  if (run) held.delete(run.id);
  return run;
}

/** Remembers claimed runs. Each must be open, and not be claimed by another. */
function hold(model: Model, claimed: readonly Held[]): void {
  for (const run of claimed) {
    expect(model.held.has(run.id), `run ${run.id} is claimed twice`).toBe(false);
    expect(model.open.get(run.id)).toBe(run.claim - 1);
    model.open.set(run.id, run.claim);
    model.held.set(run.id, run);
  }
}

async function end(model: Model, outcome: Outcome): Promise<void> {
  const run = take(model);
  if (!run) return;
  const isHeld = await finish(db, run, outcome);
  const [stored] = await db.select({ claim: runs.claim }).from(runs).where(eq(runs.id, run.id));
  // A removed trigger takes its runs along.
  expect(isHeld || stored === undefined).toBe(true);
  if (outcome.status !== 'queued') model.open.delete(run.id);
}

const error = { name: 'Error', message: 'failed' };
const operations: Record<string, (model: Model) => Promise<unknown>> = {
  async accept(model) {
    const { random } = model;
    const trigger = await pickTrigger(model);
    if (!trigger) return;
    const dueAt = random(4) === 0 ? inMs(someMs(random)) : sql`clock_timestamp()`;
    const values = Array.from({ length: 1 + random(6) }, () => ({
      id: crypto.randomUUID(),
      triggerId: trigger.id,
      userId: trigger.userId,
      number: random(1e9),
      input: {},
      concurrencyKey: pick(random, [null, null, 'a', 'b']),
      createdAt: sql`clock_timestamp()`,
      dueAt,
    }));
    // A claim can find them before the insert has returned here.
    for (const { id } of values) model.open.set(id, 0);
    // The trigger can be removed meanwhile.
    await db
      .insert(runs)
      .values(values)
      .catch(() => {
        for (const { id } of values) model.open.delete(id);
      });
  },
  succeed: (model) => end(model, { status: 'success', response: 1, logs: '', costMicros: 1 }),
  fail: (model) => end(model, { status: 'failed', error, logs: '', costMicros: null }),
  retry: (model) =>
    end(model, {
      status: 'queued',
      delayMs: someMs(model.random),
      executed: model.random(2) === 0 ? 'perhaps' : 'not now',
    }),
  async lose(model) {
    const run = take(model);
    if (!run) return;
    await db
      .update(runs)
      .set({ leaseUntil: inMs(-1) })
      .where(eq(runs.id, run.id));
    await requeueLost(db);
    // A renewal meanwhile has kept the lease.
    const isKept = and(eq(runs.id, run.id), eq(runs.claim, run.claim), eq(runs.status, 'running'));
    if ((await db.$count(runs, isKept)) > 0) model.held.set(run.id, run);
  },
  async renew(model) {
    await renew(db, [...model.held.values()]);
  },
  async pause(model) {
    const trigger = await pickTrigger(model);
    if (trigger) await change(trigger.id, { enabled: !trigger.enabled });
  },
  async hold(model) {
    const trigger = await pickTrigger(model);
    const heldUntil = model.random(2) === 0 ? null : inMs(someMs(model.random));
    if (trigger) await change(trigger.id, { heldUntil });
  },
  async limit(model) {
    const trigger = await pickTrigger(model);
    const throttlePerMinute = pick(model.random, [null, null, 1, 3, 20]);
    if (trigger) await change(trigger.id, { maxConcurrentRuns: 1 + model.random(3), throttlePerMinute });
  },
  async age(model) {
    const trigger = await pickTrigger(model);
    const started = and(
      eq(runs.triggerId, trigger?.id ?? crypto.randomUUID()),
      sql`${runs.startedAt} is not null`,
    );
    await db
      .update(runs)
      .set({ startedAt: inMs(random60(model.random)) })
      .where(started);
  },
  async makeDue(model) {
    const trigger = await pickTrigger(model);
    const waits = and(eq(runs.triggerId, trigger?.id ?? crypto.randomUUID()), eq(runs.status, 'queued'));
    await db.update(runs).set({ dueAt: sql`clock_timestamp()` }).where(waits);
  },
  async skip(model) {
    const queued = db.select({ id: runs.id }).from(runs).where(eq(runs.status, 'queued')).limit(1);
    const isSkipped = and(inArray(runs.id, queued), eq(runs.status, 'queued'));
    const skipped = await db
      .update(runs)
      .set({ status: 'skipped' })
      .where(isSkipped)
      .returning({ id: runs.id });
    for (const { id } of skipped) model.open.delete(id);
  },
  async add({ random, users }) {
    if ((await db.$count(triggers)) < MAX_TRIGGERS)
      await addTrigger(db, pick(random, users), { maxConcurrentRuns: 1 + random(3) });
  },
  async remove(model) {
    const trigger = model.random(6) === 0 ? await pickTrigger(model) : undefined;
    if (!trigger) return;
    await db.transaction(async (tx) => {
      const ofUser = eq(queueUsers.userId, trigger.userId);
      await tx.select().from(queueUsers).where(ofUser).for('no key update');
      await tx.delete(triggers).where(eq(triggers.id, trigger.id));
    });
  },
};

const random60 = (random: Random) => -60_000 + random(60) - 20;
const change = (id: string, set: Record<string, unknown>) =>
  db.update(triggers).set(set).where(eq(triggers.id, id));

/** Claims as a process of the previous version does. */
async function claimAsBefore(model: Model): Promise<void> {
  const { rows } = (await db.execute(sql`
    select run_id as id, run_claim as claim, run_trigger as "triggerId", run_attempt as attempt
    from triggers.claim_runs(2, ${PER_USER}::int, '', 256, 30)`)) as unknown as { rows: Held[] };
  hold(model, rows);
}

async function checkLimits(before: Awaited<ReturnType<typeof readState>>): Promise<void> {
  const after = await readState(db);
  const count = ({ runs }: typeof after, of: (run: (typeof runs)[number]) => string | null) =>
    Map.groupBy(
      runs.filter((run) => run.status === 'running' && of(run) !== null),
      of,
    );
  const [ofTrigger, ofTriggerBefore] = [after, before].map((state) => count(state, (run) => run.triggerId));
  for (const { id, maxConcurrentRuns } of after.triggers) {
    // The limit can be lowered while more run.
    const earlier = before.triggers.find((trigger) => trigger.id === id)?.maxConcurrentRuns ?? 0;
    const allowed = Math.max(maxConcurrentRuns, earlier, ofTriggerBefore?.get(id)?.length ?? 0);
    expect(ofTrigger?.get(id)?.length ?? 0).toBeLessThanOrEqual(allowed);
  }
  for (const [, running] of count(after, (run) => run.userId))
    expect(running.length).toBeLessThanOrEqual(PER_USER);
  const keys = count(after, (run) => run.concurrencyKey && `${run.triggerId} ${run.concurrencyKey}`);
  for (const [key, running] of keys) expect(running, key ?? '').toHaveLength(1);
}

/** Waits until no time is near at which something becomes due, and compares the ready list with the runs. */
async function checkList(): Promise<void> {
  let found: string[] = [];
  await until(
    'the ready list agrees with the runs',
    async () => {
      await settle(db);
      found = findDifferences(await readState(db), PER_USER);
      return found.length === 0;
    },
    5_000,
  ).catch((cause: unknown) => {
    throw new Error(found.join('\n'), { cause });
  });
}

/** A claim without limit returns all that the limits allow. */
async function checkClaim(model: Model): Promise<void> {
  // Short times pass first, so that nothing becomes due between the look and the claim.
  const near = sql`select 1 from triggers.runs where status = 'queued' and due_at between now() and now() + interval '1 s'
    union all select 1 from triggers.triggers where held_until between now() and now() + interval '1 s'
    union all select 1 from triggers.runs where started_at between now() - interval '60 s' and now() - interval '59 s'`;
  await until('nothing is due soon', async () => {
    const { rows } = (await db.execute(near)) as unknown as { rows: unknown[] };
    return rows.length === 0;
  });
  const { users } = expectState(await readState(db), PER_USER);
  const claimed = await claim(db, { limit: 1_000, perUser: PER_USER });
  hold(model, claimed);
  const counts = Map.groupBy(claimed, (run) => run.userId);
  for (const [user, { claimable }] of users)
    expect(counts.get(user)?.length ?? 0).toBe(Math.max(claimable, 0));
}

async function step(model: Model): Promise<void> {
  const { random } = model;
  const before = await readState(db);
  const names = Object.keys(operations);
  const chosen = Array.from({ length: 1 + random(5) }, () =>
    random(2) === 0 ? pick(random, ['accept', 'succeed', 'retry']) : pick(random, names),
  );
  const claiming = Array.from({ length: random(4) }, async () =>
    hold(model, await claim(db, { limit: 1 + random(6), perUser: PER_USER })),
  );
  if (random(6) === 0) claiming.push(claimAsBefore(model));
  await Promise.all([...claiming, ...chosen.map((name) => operations[name]?.(model))]);
  const left = new Set((await db.select({ id: runs.id }).from(runs)).map(({ id }) => id));
  for (const id of model.open.keys()) if (!left.has(id)) model.open.delete(id);
  for (const id of model.held.keys()) if (!left.has(id)) model.held.delete(id);
  await checkLimits(before);
}

test('the ready list, the limits and the claims agree with a simple reference', {
  timeout: 600_000,
}, async () => {
  const random = randomFrom(seed);
  const users = [await addUser(db), await addUser(db), await addUser(db)];
  const model: Model = { random, users, open: new Map(), held: new Map() };
  try {
    for (let n = 0; n < 4; n++) await addTrigger(db, pick(random, users), { maxConcurrentRuns: 2 });
    for (let n = 0; n < STEPS; n++) {
      await step(model);
      if (n % 4 === 0) await checkList();
      if (n % 8 === 0) await checkClaim(model);
    }
    await db.update(triggers).set({ enabled: true, heldUntil: null, throttlePerMinute: null });
    await db.update(runs).set({ dueAt: sql`clock_timestamp()` }).where(eq(runs.status, 'queued'));
    for (;;) {
      hold(model, await claim(db, { limit: 7, perUser: PER_USER }));
      if (model.held.size === 0) break;
      while (model.held.size > 0) await operations.succeed?.(model);
    }
    expect([...model.open.keys()]).toEqual([]);
    expect(await db.$count(runs, inArray(runs.status, ['queued', 'running']))).toBe(0);
    await checkList();
  } catch (error) {
    throw new Error(`QUEUE_SEED=${seed}`, { cause: error });
  }
});
