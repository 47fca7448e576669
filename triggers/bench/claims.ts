/**
 * Forked process: answers sizes with what a claim costs, and how fast one, two and four processes drain the queue, of one trigger and of
 * many with as many waiting runs.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { answer, startForked } from '@latchkey/testing/forked';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../src/db/database.ts';
import { type ClaimedRun, claim, settle } from '../src/runs/claim.ts';
import { finish } from '../src/runs/queue.ts';
import { createTriggersDatabase } from '../test/database.ts';
import type { Drain, Drained } from './claim-process.ts';

/** `seconds` is the length of each drain, in turns. */
type Sizes = { triggers: number; users: number; runs: number; seconds: number };
type Drains = {
  processes: number;
  claimP50Ms: number;
  runsPerSecond: number;
  /** Share of the sessions that wait for a lock of another one. */
  waitingShare: number;
};
type ClaimFigures = { claimCpuMs: number; drains: Drains[] };

const PROCESSES = [1, 2, 4];
const LIMITS = { limit: 16, perUser: 64 };
const CLAIMS = 200;
const SAMPLE_MS = 20;
const FILL_BATCH = 10_000;
/** Turns of a drain, so that other load on the machine affects both queues. */
const TURNS = 5;

/** Adds users, their triggers and queued runs, as many for each. */
async function fill(db: Database, { triggers, users, runs }: Sizes): Promise<void> {
  await db.execute(sql`
    insert into triggers.users (account) select 'user ' || n from generate_series(1, ${users}::int) n`);
  await db.execute(sql`
    insert into triggers.triggers (user_id, name, kind, action_code, default_params, usage_api_key, max_runs_per_minute,
      max_queued_runs, max_concurrent_runs, config)
    select u.id, 'a trigger', 'webhook', 'code', '{}', 'key', 1000000, 1000000, ${LIMITS.perUser}::int, '{}'
    from generate_series(1, ${triggers}::int) n
    join (select id, row_number() over () as n from triggers.users) u on u.n = n.n % ${users}::int + 1`);
  // In batches, because a statement has a time limit.
  for (let first = 0; first < runs; first += FILL_BATCH)
    await db.execute(sql`
      insert into triggers.runs (trigger_id, user_id, number, input, due_at)
      select t.id, t.user_id, g + 1, '{}', now() - g * interval '1 ms'
      from generate_series(${first}::int, ${Math.min(first + FILL_BATCH, runs) - 1}::int) g
      join (select id, user_id, row_number() over (order by id) - 1 as n from triggers.triggers) t
        on t.n = g * ${triggers}::bigint / ${runs}::int`);
  await db.execute(sql`analyze`);
  await settle(db);
}

const success = { status: 'success', response: null, logs: '', costMicros: 0 } as const;
const endAll = (db: Database, runs: ClaimedRun[]) => Promise.all(runs.map((run) => finish(db, run, success)));

/** Resolves to the processor time that the server spends on a claim. Ends are on other connections. */
async function measureCpu(url: string): Promise<number> {
  const { db, close } = await openDatabase({ url, poolSize: 1 });
  const others = await openDatabase({ url, poolSize: 8 });
  const { rows } = (await db.execute(sql`select pg_backend_pid() as pid`)) as unknown as {
    rows: { pid: number }[];
  };
  const cpuMs = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  // The first claims of a connection plan.
  for (let i = 0; i < 5; i++) await endAll(others.db, await claim(db, LIMITS));
  const before = cpuMs();
  for (let i = 0; i < CLAIMS; i++) await endAll(others.db, await claim(db, LIMITS));
  const spent = cpuMs() - before;
  await Promise.all([close(), others.close()]);
  return spent / CLAIMS;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Looks at the sessions until `ended`. Resolves to the share of them that waits for a lock. */
async function watchWaits(db: Database, ended: Promise<unknown>): Promise<number> {
  let isOver = false;
  ended.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  let [active, waiting] = [0, 0];
  while (!isOver) {
    const { rows } = (await db.execute(sql`
      select count(*)::int as active,
        (count(*) filter (where wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple', 'advisory')))::int as waiting
      from pg_stat_activity
      where state <> 'idle' and datname = current_database() and pid <> pg_backend_pid()`)) as unknown as {
      rows: { active: number; waiting: number }[];
    };
    active += rows[0]?.active ?? 0;
    waiting += rows[0]?.waiting ?? 0;
    await delay(SAMPLE_MS);
  }
  return active === 0 ? 0 : waiting / active;
}

/** Drains a queue in turns of some seconds. */
async function startDrain(url: string, processes: number) {
  const watcher = await openDatabase({ url, poolSize: 1 });
  const programs = Array.from({ length: processes }, () =>
    startForked(new URL('claim-process.ts', import.meta.url)),
  );
  const claimsMs: number[] = [];
  const turns: { runsPerSecond: number; waitingShare: number }[] = [];
  return {
    async turn(seconds: number): Promise<void> {
      const asked: Drain = { url, seconds, ...LIMITS };
      const draining = Promise.all(programs.map((program) => program.ask<Drained>(asked)));
      const waitingShare = await watchWaits(watcher.db, draining);
      const drained = await draining;
      claimsMs.push(...drained.flatMap((one) => one.claimsMs));
      turns.push({
        runsPerSecond: drained.reduce((sum, one) => sum + one.runs / one.seconds, 0),
        waitingShare,
      });
    },
    figures: (): Drains => ({
      processes,
      claimP50Ms: median(claimsMs),
      runsPerSecond: median(turns.map(({ runsPerSecond }) => runsPerSecond)),
      waitingShare: median(turns.map(({ waitingShare }) => waitingShare)),
    }),
    async [Symbol.asyncDispose]() {
      for (const program of programs) program[Symbol.dispose]();
      await watcher.close();
    },
  };
}

async function createFilled(sizes: Sizes) {
  const database = await createTriggersDatabase();
  const { db, close } = await openDatabase({ url: database.url, poolSize: 1 });
  await fill(db, sizes);
  await close();
  return database;
}

answer(async (sizes: Sizes): Promise<{ one: ClaimFigures; many: ClaimFigures }> => {
  await using withOne = await createFilled({ ...sizes, triggers: 1, users: 1 });
  await using withMany = await createFilled(sizes);
  const one: ClaimFigures = { claimCpuMs: await measureCpu(withOne.url), drains: [] };
  const many: ClaimFigures = { claimCpuMs: await measureCpu(withMany.url), drains: [] };
  for (const processes of PROCESSES) {
    await using ofOne = await startDrain(withOne.url, processes);
    await using ofMany = await startDrain(withMany.url, processes);
    for (let turn = 0; turn < TURNS; turn++) {
      await ofOne.turn(sizes.seconds / TURNS);
      await ofMany.turn(sizes.seconds / TURNS);
    }
    one.drains.push(ofOne.figures());
    many.drains.push(ofMany.figures());
  }
  return { one, many };
});
