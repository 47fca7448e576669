/** Hours of all kinds of traffic together, without an outage: no measure may grow. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, randomFrom } from '@latchkey/testing/random';
import { drained, type Findings, judge } from './checks.ts';
import type { Cluster } from './cluster.ts';
import { type Growth, judgeGrowth } from './growth.ts';
import { describeFailures } from './run.ts';
import { createSampler, noiseOf, type Sampler } from './sampler.ts';
import { createUnits, type Kind, openTenant, startTraffic, type Tenant, type Unit } from './traffic.ts';

/** Of ten units. Each write fires a run by its event. */
const mixture: readonly Kind[] = [
  'webhook',
  'run',
  'webhook',
  'list',
  'webhook',
  'run',
  'webhook',
  'write',
  'webhook',
  'list',
];
const traffic = { runMs: 100, write: 'add_group', hasChainTrigger: true } as const;
/** A third of a run per second. */
const SCHEDULES = 10;
const SLOT_MS = 30_000;

/** Share of the sustained rate. */
export const LOAD = 0.6;
const RAMP_SEC = 10;
const FIRST_RATE = 4;
/** A step of the ramp is sustained when the cluster ends its units at this share of the rate at which they came. */
const SUSTAINED = 0.8;

const ACCEPT_MS = 90_000;
/** Per measure. */
const SAMPLES = 240;
const MAX_INTERVAL_SEC = 30;
const REPORT_MS = 300_000;

type SoakOptions = {
  seconds: number;
  seed: number;
  /** Units per second; undefined for `LOAD` of what the cluster sustains. */
  rate?: number | undefined;
};

type SoakResult = Findings & {
  rate: number;
  replies: Map<number, number>;
  series: Sampler['series'];
  growth: Map<string, Growth>;
};

/** Runs that units fire: one per webhook and per event of a write. */
const runsOf = (units: readonly Unit[]): number =>
  units.filter(({ kind, isAccepted }) => isAccepted && (kind === 'webhook' || kind === 'write')).length;

/** Doubles the rate until units end later than they come. Resolves to the highest rate at which units ended. */
async function findSustainedRate(
  cluster: Cluster,
  random: Random,
  say: (text: string) => void,
): Promise<number> {
  const tenant = await openTenant(cluster, traffic);
  let expected = 0;
  let highest = 0;
  for (let rate = FIRST_RATE; ; rate *= 2) {
    const units = createUnits(rate * RAMP_SEC, mixture);
    const startedAt = performance.now();
    const times = { overMs: RAMP_SEC * 1_000, deadlineMs: ACCEPT_MS };
    await startTraffic(cluster, tenant, { ...traffic, units, ...times }, random).sent;
    expected += runsOf(units);
    await drained(cluster, tenant, expected);
    const ended = (units.length * 1_000) / (performance.now() - startedAt);
    say(`soak: ${rate} units per second came, ${ended.toFixed(1)} ended`);
    highest = Math.max(highest, ended);
    if (ended < SUSTAINED * rate) return highest;
  }
}

/** Collects latencies by kind. `take` returns the 95th percentiles since the last call. */
function createLatencies() {
  let taken = new Map<Kind, number[]>();
  return {
    add(kind: Kind, tookMs: number): void {
      const times = taken.get(kind) ?? [];
      taken.set(kind, times);
      times.push(tookMs);
    },
    take(): [string, number][] {
      const found = [...taken].map(([kind, times]): [string, number] => {
        const sorted = times.toSorted((left, right) => left - right);
        return [`${kind}: p95 ms`, sorted[Math.floor(0.95 * sorted.length)] as number];
      });
      taken = new Map();
      return found;
    },
  };
}

/** Returns how many slots between the first and the last run of each schedule have no run. */
function countMissedSlots(units: readonly (string | null)[]): number {
  const slots = units.flatMap((unit) => (unit?.startsWith('slot ') ? [Date.parse(unit.slice(5))] : []));
  const schedules = [...Map.groupBy(slots, (slot) => slot % SLOT_MS).values()];
  return schedules.reduce(
    (missed, fired) => missed + (Math.max(...fired) - Math.min(...fired)) / SLOT_MS + 1 - new Set(fired).size,
    0,
  );
}

async function sampleFor(seconds: number, sampler: Sampler, say: (text: string) => void): Promise<void> {
  const intervalMs = Math.min(MAX_INTERVAL_SEC, Math.max(1, seconds / SAMPLES)) * 1_000;
  const startedAt = performance.now();
  let toldAt = startedAt;
  for (let sample = 0; sample * intervalMs <= seconds * 1_000; sample++) {
    await delay(Math.max(0, startedAt + sample * intervalMs - performance.now()));
    await sampler.take().catch((error: Error) => say(`soak: a sample is left out: ${error.message}`));
    if (performance.now() - toldAt < REPORT_MS) continue;
    toldAt = performance.now();
    say(`soak: ${Math.round((toldAt - startedAt) / 60_000)} of ${Math.round(seconds / 60)} minutes`);
  }
}

export async function runSoak(
  cluster: Cluster,
  { seconds, seed, rate: given }: SoakOptions,
  say: (text: string) => void,
): Promise<SoakResult> {
  const random = randomFrom(seed);
  const rate = given ?? LOAD * (await findSustainedRate(cluster, random, say));
  const tenant = await openTenant(cluster, { ...traffic, schedules: SCHEDULES });
  const units = createUnits(Math.ceil(rate * seconds), mixture);
  const latencies = createLatencies();
  const sampler = createSampler(cluster, latencies.take);
  say(`soak: ${rate.toFixed(1)} units per second for ${Math.round(seconds / 60)} minutes begin`);
  const times = { overMs: seconds * 1_000, deadlineMs: ACCEPT_MS };
  const { sent, replies } = startTraffic(
    cluster,
    tenant,
    { ...traffic, units, ...times, onReply: latencies.add },
    random,
  );
  await sampleFor(seconds, sampler, say);
  await sent;
  const found = await judgeTraffic(cluster, tenant, units);
  // A balancer passes over a process that a busy machine delays. Senders repeat what is not 500.
  const faults = replies.get(500) ?? 0;
  if (faults > 0) found.broken.push(`${faults} replies of 500`);
  const growth = new Map(
    [...sampler.series].map(([name, samples]) => [name, judgeGrowth(samples, noiseOf(name))]),
  );
  return { ...found, rate, replies, series: sampler.series, growth };
}

async function judgeTraffic(cluster: Cluster, tenant: Tenant, units: Unit[]): Promise<Findings> {
  await tenant.pauseSchedules();
  const stored = await drained(cluster, tenant, runsOf(units));
  const found = await judge(cluster, tenant, { units, stored, write: traffic.write });
  const missed = countMissedSlots(stored.map(({ unit }) => unit));
  if (missed > 0) found.broken.push(`${missed} slots of schedules have no run`);
  return found;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

const isShown = (name: string, { start, middle, end }: Growth): boolean =>
  name.endsWith('table KiB') ? start !== end : start !== 0 || middle !== 0 || end !== 0;

/** Prints the measures, but tables that keep their size and what is always 0, and what is broken. Returns whether everything holds. */
export function reportSoak({ growth, rate, replies, broken, ...found }: SoakResult): boolean {
  const { accepted, succeeded, lost, twice } = found;
  console.table(
    Object.fromEntries(
      [...growth]
        .filter(([name, found]) => isShown(name, found))
        .map(([name, { start, middle, end, perHour, isGrowing }]) => [
          name,
          {
            start: rounded(start),
            middle: rounded(middle),
            end: rounded(end),
            'per hour': rounded(perHour),
            verdict: isGrowing ? 'GROWS' : 'holds',
          },
        ]),
    ),
  );
  const counts = `${accepted} accepted, ${succeeded} succeeded, ${lost} lost, ${twice} twice`;
  console.log(
    `soak at ${rate.toFixed(1)} units per second: ${counts}; failures: ${describeFailures(replies) || 'none'}`,
  );
  const growing = [...growth].flatMap(([name, { isGrowing }]) => (isGrowing ? [`${name} grows`] : []));
  for (const fault of [...broken, ...growing]) console.log(fault);
  return broken.length === 0 && growing.length === 0 && twice === 0;
}
