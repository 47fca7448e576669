/**
 * Forked process: answers numbers of schedules with the time in which two schedulers on one database accept the runs of one second, and of
 * an hour without a scheduler.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fill } from '@latchkey/testing/fill';
import { answer } from '@latchkey/testing/forked';
import { cpuMs } from '@latchkey/testing/process-tree';
import { until } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { startScheduler } from '../src/sources/scheduler.ts';
import { openTestDatabase } from '../test/database.ts';
import { addUser } from '../test/fixtures.ts';

export type Question = {
  /** Schedules, of which all but those that are due fire tomorrow. */
  schedules: number;
  /** Schedules with one slot. */
  due: number;
};

export type Figures = {
  /** From the slot until the last of its runs is accepted, in milliseconds. */
  slotMs: number;
  /** The same for the slots of an hour, from the start of the schedulers. */
  hourMs: number;
  /** CPU time of the schedulers and the database for the runs of the slot, in milliseconds. */
  slotCpuMs: number;
  /** Runs that are missing, or too many. */
  wrong: number;
};

const USERS = 1_000;
/** Counting the runs takes processor time of the database. */
const POLL_MS = 250;
const DEADLINE_MS = 300_000;
/** From the choice of a slot until the slot: for the statement that stores it. */
const READY_MS = 15_000;
const log = pino({ level: 'error' });
const worker = { wake: () => {} };

type Database = Awaited<ReturnType<typeof openTestDatabase>>['db'];

/** Adds schedules of several users that fire at minute 0 of each hour. */
async function addSchedules(db: Database, count: number): Promise<void> {
  const users = await Promise.all(Array.from({ length: USERS }, () => addUser(db)));
  const insert = (first: number, last: number) =>
    db.execute(sql`
      insert into triggers.triggers (user_id, name, kind, default_params, usage_api_key, max_runs_per_minute, max_queued_runs,
        max_concurrent_runs, config, next_slot_at)
      select (${sql.param(users)}::uuid[])[1 + n % ${USERS}], 'a schedule', 'schedule', '{}', '', 60, 100, 1,
        '{"cron": "0 * * * *", "timezone": "UTC", "missed": "one"}', now() + interval '1 day'
      from generate_series(${first}::integer, ${last}::integer) n`);
  await fill('schedules', count, insert);
  await db.execute(sql`vacuum analyze triggers.triggers`);
}

/** Makes schedules due at a time, which is a slot of `cron`, and those of before not. */
async function makeDue(db: Database, count: number, at: Date, cron: string): Promise<void> {
  await db.execute(
    sql`update triggers.triggers set next_slot_at = now() + interval '1 day' where next_slot_at < now() + interval '12 hours'`,
  );
  await db.execute(sql`
    update triggers.triggers
    set next_slot_at = ${at.toISOString()}, config = jsonb_set(config::jsonb, '{cron}', to_jsonb(${cron}::text))
    where id in (select id from triggers.triggers order by md5(id::text) limit ${count}::integer)`);
}

/** Starts two schedulers, and resolves to the milliseconds from `fromMs` until `count` runs are stored. */
async function timeRuns(db: Database, count: number, fromMs: () => number): Promise<number> {
  const schedulers = [0, 1].map(() => startScheduler({ db, log, worker }));
  const stored = async () => {
    await delay(POLL_MS);
    return (await db.$count(sql`triggers.runs`)) >= count;
  };
  await until('all runs are stored', stored, DEADLINE_MS);
  const ms = Date.now() - fromMs();
  await delay(1_000);
  await Promise.all(schedulers.map(({ close }) => close()));
  return ms;
}

async function measure({ schedules, due }: Question): Promise<Figures> {
  const { db, dispose } = await openTestDatabase();
  try {
    await addSchedules(db, schedules);
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    // Missed by an hour: the policy `one` fires the newest of two slots.
    await makeDue(db, due, new Date(hour.getTime() - 3_600_000), '0 * * * *');
    const startedAt = Date.now();
    const hourMs = await timeRuns(db, due, () => startedAt);
    let wrong = Math.abs((await db.$count(sql`triggers.runs`)) - due);
    await db.execute(sql`truncate triggers.runs cascade`);
    const slot = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + READY_MS);
    await makeDue(db, due, slot, `${slot.getUTCSeconds()} ${slot.getUTCMinutes()} * * * *`);
    if (Date.now() > slot.getTime()) throw new Error('the slot came before its schedules were stored');
    const cpuBefore = cpuMs([process.ppid]);
    const slotMs = await timeRuns(db, due, () => slot.getTime());
    const slotCpuMs = cpuMs([process.ppid]) - cpuBefore;
    wrong += Math.abs((await db.$count(sql`triggers.runs`)) - due);
    return { slotMs, hourMs, slotCpuMs, wrong };
  } finally {
    await dispose();
  }
}

answer(measure);
