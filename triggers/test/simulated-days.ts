/**
 * Compares schedules with the oracle over simulated days: `dueSlots` alone, and two schedulers on one database that crash at commits.
 *
 *   node triggers/test/simulated-days.ts [--days 10000]
 *
 * `--days` is the total over all zones.
 */
import { parseArgs } from 'node:util';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import type { Database } from '../src/db/database.ts';
import { runs, triggers, users } from '../src/db/schema.ts';
import { dueSlots, nextSlot } from '../src/sources/schedule.ts';
import { fireDueSlots } from '../src/sources/scheduler.ts';
import { openTestDatabase } from './database.ts';
import { oracleSlots, type Pattern, randomPattern, seededRandom, toCron, zones } from './slot-oracle.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export type Difference = { zone: string; cron: string; missing: string[]; extra: string[] };

const iso = (ms: number) => new Date(ms).toISOString();

function difference(
  zone: string,
  pattern: Pattern,
  found: number[],
  right: number[],
): Difference | undefined {
  const twice = found.filter((slot, index) => found.indexOf(slot) !== index);
  const missing = right.filter((slot) => !found.includes(slot));
  const extra = [...found.filter((slot) => !right.includes(slot)), ...twice];
  return missing.length + extra.length === 0
    ? undefined
    : { zone, cron: toCron(pattern), missing: missing.map(iso), extra: extra.map(iso) };
}

/** Compares one pattern, with a clock that advances by up to 90 minutes and sometimes goes back by up to two hours. */
export function comparePure(
  pattern: Pattern,
  zone: string,
  fromMs: number,
  days: number,
  random: () => number,
): { slots: number; difference?: Difference | undefined } {
  const timing = { cron: toCron(pattern), timezone: zone };
  const toMs = fromMs + days * DAY_MS;
  const found: number[] = [];
  let next = nextSlot(timing, new Date(fromMs - 1));
  for (let now = fromMs; now < toMs; now = Math.min(now + Math.ceil(random() * 90 * MINUTE_MS), toMs - 1)) {
    const clock = new Date(random() < 0.1 ? now - random() * 120 * MINUTE_MS : now);
    if (next && next <= clock) {
      found.push(...dueSlots(timing, next, clock, 'all').slots.map((slot) => slot.getTime()));
      next = nextSlot(timing, clock);
    }
    if (now === toMs - 1 && (!next || next.getTime() >= toMs)) break;
  }
  const right = oracleSlots(pattern, zone, fromMs, toMs);
  return { slots: right.length, difference: difference(zone, pattern, found, right) };
}

class Crash extends Error {}

/** Wraps a database so that the statement that fires slots crashes before its commit in 20 % of cases, and after it in 20 %. */
function withCrashes(db: Database, random: () => number): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'execute') return Reflect.get(target, name, target);
      return async (query: Parameters<Database['execute']>[0]) => {
        const fate = random();
        const result = await target.transaction(async (tx) => {
          const done = await tx.execute(query);
          if (fate < 0.2) throw new Crash('before the commit');
          return done;
        });
        if (fate > 0.8) throw new Crash('after the commit');
        return result;
      };
    },
  });
}

/** Fires one schedule per zone over `days` with two concurrent schedulers whose statements crash in 40 % of cases. */
export async function compareSchedulers(db: Database, fromMs: number, days: number, seed: number) {
  const random = seededRandom(seed);
  const log = pino({ level: 'silent' });
  const worker = { wake: () => {} };
  const toMs = fromMs + days * DAY_MS;
  const [user] = await db
    .insert(users)
    .values({ account: `0x${seed}` })
    .returning();
  const schedules = zones.map((zone) => ({
    zone,
    pattern: {
      second: 0,
      minutes: [Math.floor(random() * 60)],
      hours: [Math.floor(random() * 4)],
    } satisfies Pattern,
  }));
  const made = await db
    .insert(triggers)
    .values(
      schedules.map(({ zone, pattern }) => {
        const timing = { cron: toCron(pattern), timezone: zone };
        return {
          userId: user?.id ?? '',
          name: zone,
          kind: 'schedule' as const,
          defaultParams: {},
          usageApiKey: '',
          maxRunsPerMinute: 1_000_000,
          maxQueuedRuns: 1_000_000,
          maxConcurrentRuns: 1,
          config: { ...timing, missed: 'all' },
          nextSlotAt: nextSlot(timing, new Date(fromMs - 1)),
        };
      }),
    )
    .returning({ id: triggers.id, name: triggers.name });
  const right = schedules.map(({ zone, pattern }) => oracleSlots(pattern, zone, fromMs, toMs));
  const instants = [...new Set(right.flat())].sort((a, b) => a - b);
  let crashes = 0;
  for (const instant of instants) {
    const replica = () =>
      fireDueSlots({ db: withCrashes(db, random), log, worker }, new Date(instant + random() * 20_000)).catch(
        (error: unknown) => {
          if (!(error instanceof Crash)) throw error;
          crashes++;
        },
      );
    await Promise.all([replica(), replica()]);
    // One process with a clock that is up to a day behind, then the restarted processes.
    await fireDueSlots(
      { db: withCrashes(db, random), log, worker },
      new Date(instant - random() * DAY_MS),
    ).catch(() => {});
    await Promise.all([replica(), replica()]);
  }
  // The last processes may have crashed.
  await fireDueSlots({ db, log, worker }, new Date(toMs - 1));
  const differences: Difference[] = [];
  let slots = 0;
  for (const [index, { zone, pattern }] of schedules.entries()) {
    const id = made.find(({ name }) => name === zone)?.id ?? '';
    const stored = await db.select({ at: runs.scheduledFor }).from(runs).where(eq(runs.triggerId, id));
    const found = stored.map(({ at }) => at?.getTime() ?? 0);
    slots += found.length;
    const wrong = difference(zone, pattern, found, right[index] ?? []);
    if (wrong) differences.push(wrong);
  }
  return { slots, crashes, differences };
}

async function deep(days: number): Promise<boolean> {
  const fromMs = Date.UTC(2026, 0, 1);
  const daysOfZone = Math.ceil(days / zones.length);
  const random = seededRandom(days);
  let [slots, compared, wrong] = [0, 0, 0];
  for (const zone of zones)
    for (let day = 0; day < daysOfZone; day += 100) {
      const some = Math.min(100, daysOfZone - day);
      const result = comparePure(randomPattern(random), zone, fromMs + day * DAY_MS, some, random);
      slots += result.slots;
      compared += some;
      if (result.difference) {
        wrong++;
        console.log(JSON.stringify(result.difference));
      }
    }
  console.log(`pure: ${compared} days in ${zones.length} zones, ${slots} slots, ${wrong} patterns differ`);
  const database = await openTestDatabase();
  try {
    const result = await compareSchedulers(database.db, fromMs, daysOfZone, days);
    wrong += result.differences.length;
    console.log(
      `scheduler: ${daysOfZone * zones.length} days, ${result.slots} runs, ${result.crashes} crashes, ${result.differences.length} schedules differ`,
    );
    for (const one of result.differences) console.log(JSON.stringify(one));
  } finally {
    await database.dispose();
  }
  return wrong === 0;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { days: { type: 'string', default: '10000' } } });
  const days = Number(values.days);
  if (!Number.isSafeInteger(days) || days < 1) {
    console.error('node triggers/test/simulated-days.ts [--days N]');
    process.exit(2);
  }
  process.exitCode = (await deep(days)) ? 0 : 1;
}
