/** Times a service and its baseline. */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** One iteration. Only `run` is timed. */
export type Task<Prepared = void> = {
  prepare?: () => Promise<Prepared>;
  run: (prepared: Prepared) => Promise<unknown>;
};

export type Figures = {
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  /** NaN where something else than the measured side sets the rate. */
  perSecond: number;
};

export type Comparison = {
  name: string;
  /** Maximum operations in flight. */
  concurrency: number;
  count: number;
  /** Blocks of each side. */
  blocks: number;
  /** Blocks of both sides in which the client used so much CPU time that it may have been the limit. */
  clientBoundBlocks: number;
  service: Figures;
  baseline: Figures;
  /** Service divided by baseline. */
  ratioP50: number;
  ratioP95: number;
  ratioP99: number;
  ratioPerSecond: number;
  /** CPU time of all processes of the stack per operation, in milliseconds. Undefined where it is not measured. */
  cpuMs?: number | undefined;
};

/** Service and baseline take turns in blocks, so that other load on the machine affects both. */
const BLOCKS = 5;

export type Samples = {
  durationsMs: number[];
  /** NaN where something else than the measured side sets the rate, for example a pause. */
  wallMs: number;
  /** Further operations of the same load that are not timed. Their CPU time counts. */
  untimed?: number;
  /** CPU time of the process that sends the load, as a share of one core. */
  clientShare?: number;
};

const noSamples = (): Samples => ({ durationsMs: [], wallMs: 0 });

/** Adds times only. */
function add(to: Samples, { durationsMs, wallMs }: Samples): void {
  to.durationsMs.push(...durationsMs);
  to.wallMs += wallMs;
}

/** Runs a task `count` times, `concurrency` in flight. A task that prepares has no rate. */
export async function measure<Prepared>(
  task: Task<Prepared>,
  count: number,
  concurrency: number,
): Promise<Samples> {
  const durationsMs: number[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const prepared = (await task.prepare?.()) as Prepared;
      const startedAt = performance.now();
      await task.run(prepared);
      durationsMs.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { durationsMs, wallMs: task.prepare ? Number.NaN : performance.now() - startedAt };
}

/**
 * Runs without a pause, `concurrency` in flight, and times `count` runs under constant load: those that end after the first
 * `leadIn`, at least one. All clients continue until the last timed run has ended.
 */
export async function measureSteadily(
  run: () => Promise<unknown>,
  { count, concurrency, leadIn }: { count: number; concurrency: number; leadIn: number },
): Promise<Samples> {
  const durationsMs: number[] = [];
  let ended = 0;
  let fromMs = 0;
  let toMs = 0;
  const client = async (): Promise<void> => {
    while (ended < leadIn + count) {
      const startedAt = performance.now();
      await run();
      const now = performance.now();
      ended++;
      if (ended === leadIn) fromMs = now;
      else if (ended > leadIn && durationsMs.length < count) {
        durationsMs.push(now - startedAt);
        toMs = now;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { durationsMs, wallMs: toMs - fromMs, untimed: ended - count };
}

/** Runs a load of this process, and adds the CPU time that the process used. */
export async function withClientShare(load: () => Promise<Samples>): Promise<Samples> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const samples = await load();
  const { user, system } = process.cpuUsage(before);
  return { ...samples, clientShare: (user + system) / 1_000 / (performance.now() - startedAt) };
}

/** Returns the percentile by nearest rank. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function summarize({ durationsMs, wallMs }: Samples): Figures {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  return {
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
    perSecond: (durationsMs.length * 1_000) / wallMs,
  };
}

/** Runs `count` operations, and resolves to their times. */
export type Block = (count: number) => Promise<Samples>;

/** Warming ends when the p50 of a block differs from the p50 of the block before by less than this share. */
const STABLE_SHARE = 0.1;
const MAX_WARM_BLOCKS = 6;

/**
 * Runs untimed blocks until their p50 is stable. Each is twice as long as the one before: an engine compiles its code bit by bit, so
 * that the p50 of equal blocks seems stable long before it is.
 */
export async function warm(block: Block, size: number): Promise<void> {
  let last = Number.NaN;
  for (let blocks = 0; blocks < MAX_WARM_BLOCKS; blocks++) {
    const { p50Ms } = summarize(await block(size * 2 ** blocks));
    if (Math.abs(p50Ms - last) < STABLE_SHARE * last) return;
    last = p50Ms;
  }
}

/** Measures the CPU time from the call until the call of the returned function, minus the CPU time of an idle stack. */
export type CpuMeter = () => () => number;

/** Time for work that follows a reply, for example of the index. It counts as CPU time of the service. */
const SETTLE_MS = 300;

/** Operations per client in a block. With fewer, the wait for the last of the block would count most. */
const LEAST_PER_CLIENT = 2;

/** A client that uses more of a core than this may limit the rate itself. */
const MAX_CLIENT_SHARE = 0.8;

export type Sides = {
  service: Block;
  baseline: Block;
  meter?: CpuMeter;
  /** Resolves when nothing of the last block is left to do. */
  settle?: () => Promise<unknown>;
};

/** Warms both, and runs both `count` times in blocks that take turns. Each side is first in every second turn. */
export async function compareBlocks(
  what: { name: string; concurrency: number; count: number },
  { service, baseline, meter, settle = () => delay(SETTLE_MS) }: Sides,
): Promise<Comparison> {
  const { concurrency, count } = what;
  const blocks = Math.max(1, Math.min(BLOCKS, Math.floor(count / (LEAST_PER_CLIENT * concurrency))));
  const size = Math.ceil(count / blocks);
  for (const block of [service, baseline]) {
    await warm(block, size);
    await settle();
  }
  const samples = { service: noSamples(), baseline: noSamples() };
  const cpu = { ms: 0, operations: 0 };
  let clientBoundBlocks = 0;
  const time = async (side: 'service' | 'baseline') => {
    const stop = side === 'service' ? meter?.() : undefined;
    const found = await { service, baseline }[side](size);
    await settle();
    add(samples[side], found);
    if ((found.clientShare ?? 0) > MAX_CLIENT_SHARE) clientBoundBlocks++;
    if (!stop) return;
    cpu.ms += stop();
    cpu.operations += found.durationsMs.length + (found.untimed ?? 0);
  };
  const order = ['service', 'baseline'] as const;
  for (let turn = 0; turn < blocks; turn++)
    for (const side of turn % 2 === 0 ? order : order.toReversed()) await time(side);
  const cpuMs = meter && cpu.ms / cpu.operations;
  return reportComparison({ name: what.name, concurrency, blocks, clientBoundBlocks, cpuMs }, samples);
}

/** Runs both tasks in this process, `count` times, `concurrency` in flight. */
export function compare<S, B>(
  name: string,
  {
    count,
    concurrency,
    service,
    baseline,
  }: { count: number; concurrency: number; service: Task<S>; baseline: Task<B> },
): Promise<Comparison> {
  return compareBlocks(
    { name, concurrency, count },
    {
      service: (size) => measure(service, size, concurrency),
      baseline: (size) => measure(baseline, size, concurrency),
    },
  );
}

const digits = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(Math.abs(value) < 10 ? 2 : 1));

/** Returns a comparison as a row of a table. */
export function tableRow({ name, concurrency, count, service, baseline, ...more }: Comparison) {
  const { blocks, clientBoundBlocks, cpuMs = Number.NaN } = more;
  const latencies = ({ p50Ms, p95Ms, p99Ms }: Figures) => [p50Ms, p95Ms, p99Ms].map(digits).join(' / ');
  return {
    what: name,
    clients: concurrency,
    count,
    blocks: clientBoundBlocks === 0 ? String(blocks) : `${blocks} (client bound: ${clientBoundBlocks})`,
    'a second': [service.perSecond, baseline.perSecond].map(digits).filter(Boolean).join(' / '),
    ratio: digits(more.ratioPerSecond),
    'service p50/p95/p99 ms': latencies(service),
    'baseline p50/p95/p99 ms': latencies(baseline),
    'ratio p50/p95/p99': [more.ratioP50, more.ratioP95, more.ratioP99].map(digits).join(' / '),
    'CPU ms': digits(cpuMs),
  };
}

/** Compares, and prints the comparison as one line, so that a later failure does not lose it. */
export function reportComparison(
  what: Pick<Comparison, 'name' | 'concurrency' | 'blocks' | 'clientBoundBlocks' | 'cpuMs'>,
  samples: { service: Samples; baseline: Samples },
): Comparison {
  const [service, baseline] = [summarize(samples.service), summarize(samples.baseline)];
  const comparison = {
    ...what,
    count: samples.service.durationsMs.length,
    service,
    baseline,
    ratioP50: service.p50Ms / baseline.p50Ms,
    ratioP95: service.p95Ms / baseline.p95Ms,
    ratioP99: service.p99Ms / baseline.p99Ms,
    ratioPerSecond: service.perSecond / baseline.perSecond,
  };
  const shown = Object.entries(tableRow(comparison)).filter(([, value]) => value !== '');
  console.log(shown.map(([name, value]) => `${name} ${value}`).join(', '));
  return comparison;
}
