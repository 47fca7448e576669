/**
 * Simulations of what cannot be run on one machine, with the product's own decisions: writes of many relayers over their payers
 * (`chooseLane` and the states of the outbox), and schedules of many trigger processes on one database. The times of a step are
 * options: measure them, as `docs/scaling.md` says.
 */
import { chooseLane, type LaneState } from '@latchkey/outbox/lanes';
import { percentile } from '@latchkey/testing/measure';
import { atLeast, atMost } from '../rows.ts';
import type { ScaleOptions, ScaleRow } from './program.ts';

type Lanes = {
  relayers: number;
  payersPerRelayer: number;
  maxPending: number;
  writesPerSecond: number;
  blockMs: number;
  /** Gas of a block that the writes may take, and of a write. */
  gasOfBlock: number;
  gasOfWrite: number;
  seconds: number;
};

export type LaneFigures = { minedPerSecond: number; p50Ms: number; p99Ms: number; waiting: number };

type Write = { arrivedMs: number; lane: LaneState };

/** Poisson arrivals, each at a random relayer. Blocks take the oldest transactions first, and end the waits for a free payer. */
export function simulateLanes(options: Lanes, random: () => number = Math.random): LaneFigures {
  const {
    relayers,
    payersPerRelayer,
    maxPending,
    writesPerSecond,
    blockMs,
    gasOfBlock,
    gasOfWrite,
    seconds,
  } = options;
  const lanesOf = Array.from({ length: relayers }, () =>
    Array.from(
      { length: payersPerRelayer },
      (): LaneState => ({ isApiPayer: true, restsUntilMs: 0, pending: 0, sending: 0 }),
    ),
  );
  const waiting = lanesOf.map((): number[] => []);
  const mempool: Write[] = [];
  const durationsMs: number[] = [];
  const send = (relayer: number, arrivedMs: number, nowMs: number): boolean => {
    const lane = chooseLane(lanesOf[relayer] ?? [], maxPending, nowMs);
    if (!lane) return false;
    lane.pending++;
    mempool.push({ arrivedMs, lane });
    return true;
  };
  let arrivalMs = 0;
  for (let blockAtMs = blockMs; blockAtMs <= 1_000 * seconds; blockAtMs += blockMs) {
    for (; arrivalMs < blockAtMs; arrivalMs += (-Math.log(1 - random()) * 1_000) / writesPerSecond) {
      const relayer = Math.floor(random() * relayers);
      if (!send(relayer, arrivalMs, arrivalMs)) waiting[relayer]?.push(arrivalMs);
    }
    for (const { arrivedMs, lane } of mempool.splice(0, Math.floor(gasOfBlock / gasOfWrite))) {
      lane.pending--;
      durationsMs.push(blockAtMs - arrivedMs);
    }
    for (const [relayer, own] of waiting.entries()) {
      let sent = 0;
      while (sent < own.length && send(relayer, own[sent] ?? 0, blockAtMs)) sent++;
      own.splice(0, sent);
    }
  }
  const sorted = durationsMs.toSorted((a, b) => a - b);
  return {
    minedPerSecond: durationsMs.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    waiting: waiting.reduce((sum, own) => sum + own.length, mempool.length),
  };
}

type Schedules = {
  processes: number;
  due: number;
  /** Schedules per statement that reads, and per statement that fires. */
  page: number;
  batch: number;
  /** Times of a process: of a statement that reads, and per schedule for its plan. Of the database: per stored run. */
  readMs: number;
  planMs: number;
  storeMs: number;
  /** Cores of the database. */
  cores: number;
};

export type ScheduleFigures = { allAcceptedMs: number; wastedPlans: number };

/**
 * Each process begins at a random schedule and goes round once. The statement of a process waits for a free core of the database, and
 * skips what another process has fired since the page was read.
 */
export function simulateSchedules(options: Schedules, random: () => number = Math.random): ScheduleFigures {
  const { processes, due, page, batch, readMs, planMs, storeMs, cores } = options;
  const fired = new Uint8Array(due);
  const coresFreeAtMs = Array.from({ length: cores }, () => 0);
  const walkers = Array.from({ length: processes }, () => ({
    atMs: 0,
    at: Math.floor(random() * due),
    seen: 0,
    read: [] as number[],
  }));
  let allAcceptedMs = 0;
  let wastedPlans = 0;
  let left = due;
  const onCore = (fromMs: number, workMs: number): number => {
    const core = coresFreeAtMs.indexOf(Math.min(...coresFreeAtMs));
    const endMs = Math.max(fromMs, coresFreeAtMs[core] ?? 0) + workMs;
    coresFreeAtMs[core] = endMs;
    return endMs;
  };
  while (left > 0) {
    const walker = walkers.reduce((a, b) => (b.atMs < a.atMs ? b : a));
    if (walker.read.length === 0) {
      for (; walker.seen < due && walker.read.length < page; walker.seen++) {
        const schedule = (walker.at + walker.seen) % due;
        if (!fired[schedule]) walker.read.push(schedule);
      }
      walker.atMs = walker.read.length === 0 ? Number.POSITIVE_INFINITY : onCore(walker.atMs, readMs);
      continue;
    }
    const planned = walker.read.splice(0, batch);
    const open = planned.filter((schedule) => !fired[schedule]);
    for (const schedule of open) fired[schedule] = 1;
    left -= open.length;
    wastedPlans += planned.length - open.length;
    walker.atMs = onCore(walker.atMs + planned.length * planMs, open.length * storeMs);
    allAcceptedMs = Math.max(allAcceptedMs, walker.atMs);
  }
  return { allAcceptedMs, wastedPlans };
}

const RELAYERS = 100;
const PROCESSES = 100;

export async function measure({ progress }: ScaleOptions): Promise<ScaleRow[]> {
  const writes: Lanes = {
    relayers: RELAYERS,
    payersPerRelayer: 4,
    maxPending: 32,
    writesPerSecond: 100,
    blockMs: 2_000,
    gasOfBlock: 30_000_000,
    gasOfWrite: 100_000,
    seconds: 600,
  };
  const lanes = simulateLanes(writes);
  progress('simulations', 1, 2);
  const schedules = simulateSchedules({
    processes: PROCESSES,
    due: 100_000,
    page: 2_000,
    batch: 200,
    readMs: 40,
    planMs: 0.15,
    storeMs: 0.25,
    cores: 16,
  });
  progress('simulations', 2, 2);
  return [
    {
      what: `writes mined of ${writes.writesPerSecond} a second by ${RELAYERS} relayers`,
      value: lanes.minedPerSecond / writes.writesPerSecond,
      unit: 'x',
      goal: atLeast(0.95),
      figures: `p50 ${lanes.p50Ms.toFixed(0)} ms, p99 ${lanes.p99Ms.toFixed(0)} ms, ${lanes.waiting} waiting at the end`,
    },
    {
      what: `100000 schedules due in one second, ${PROCESSES} processes`,
      value: schedules.allAcceptedMs / 1_000,
      unit: 's',
      goal: atMost(5),
      figures: `${schedules.wastedPlans} planned twice or more`,
    },
  ];
}
