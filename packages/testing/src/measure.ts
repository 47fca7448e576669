/** Times a service and its baseline. */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** One iteration. Only `run` is timed. */
export type Task<Prepared = void> = {
  prepare?: () => Promise<Prepared>;
  run: (prepared: Prepared) => Promise<unknown>;
};

export type Figures = { p50Ms: number; p95Ms: number; p99Ms: number; perSecond: number };

export type Comparison = {
  name: string;
  /** Maximum runs in flight. */
  concurrency: number;
  count: number;
  service: Figures;
  baseline: Figures;
  /** Service divided by baseline. */
  ratioP50: number;
  ratioP95: number;
  ratioP99: number;
  ratioPerSecond: number;
  /** CPU time of all processes of the stack per run, in milliseconds. Undefined where it is not measured. */
  cpuMs?: number | undefined;
};

/** Service and baseline take turns in blocks, so that other load on the machine affects both. */
const BLOCKS = 5;

export type Samples = { durationsMs: number[]; wallMs: number };

const noSamples = (): Samples => ({ durationsMs: [], wallMs: 0 });

function add(to: Samples, { durationsMs, wallMs }: Samples): void {
  to.durationsMs.push(...durationsMs);
  to.wallMs += wallMs;
}

/** Runs a task `count` times, `concurrency` in flight. */
export async function measure<Prepared>(
  task: Task<Prepared>,
  count: number,
  concurrency: number,
): Promise<Samples> {
  const into = noSamples();
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const prepared = (await task.prepare?.()) as Prepared;
      const startedAt = performance.now();
      await task.run(prepared);
      into.durationsMs.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  into.wallMs = performance.now() - startedAt;
  return into;
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

/** Warming ends when the p50 of a block differs from that of the block before by less than this share. */
const STABLE_SHARE = 0.1;
const MAX_WARM_BLOCKS = 8;

/** Runs untimed blocks until their p50 is stable. */
export async function warm(block: Block, size: number): Promise<void> {
  let last = Number.NaN;
  for (let blocks = 0; blocks < MAX_WARM_BLOCKS; blocks++) {
    const { p50Ms } = summarize(await block(size));
    if (Math.abs(p50Ms - last) < STABLE_SHARE * last) return;
    last = p50Ms;
  }
}

/** Measures the CPU time from the call until the call of the returned function, without that of an idle stack. */
export type CpuMeter = () => () => number;

/** Time for work that follows a reply: new processes of the pool, the index. It counts as CPU time of the service. */
const AFTER_MS = 300;

/** Runs per client in a block. With fewer, the wait for the last of the block would count most. */
const LEAST_PER_CLIENT = 2;

/** Warms both, and runs both `count` times in blocks that take turns. */
export async function compareBlocks(
  what: Pick<Comparison, 'name' | 'concurrency' | 'count'>,
  { service, baseline, meter }: { service: Block; baseline: Block; meter?: CpuMeter },
): Promise<Comparison> {
  const { concurrency, count } = what;
  const samples = { service: noSamples(), baseline: noSamples() };
  const blocks = Math.max(1, Math.min(BLOCKS, Math.floor(count / (LEAST_PER_CLIENT * concurrency))));
  const size = Math.ceil(count / blocks);
  await warm(service, size);
  await warm(baseline, size);
  let cpu = 0;
  for (let done = 0; done < count; done += size) {
    const block = Math.min(size, count - done);
    if (meter) await delay(AFTER_MS);
    const stop = meter?.();
    add(samples.service, await service(block));
    if (meter) await delay(AFTER_MS);
    cpu += stop?.() ?? 0;
    add(samples.baseline, await baseline(block));
  }
  return { ...compareSamples(what, samples), ...(meter && { cpuMs: cpu / count }) };
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

export function compareSamples(
  what: Pick<Comparison, 'name' | 'concurrency' | 'count'>,
  samples: { service: Samples; baseline: Samples },
): Comparison {
  const [service, baseline] = [summarize(samples.service), summarize(samples.baseline)];
  return {
    ...what,
    service,
    baseline,
    ratioP50: service.p50Ms / baseline.p50Ms,
    ratioP95: service.p95Ms / baseline.p95Ms,
    ratioP99: service.p99Ms / baseline.p99Ms,
    ratioPerSecond: service.perSecond / baseline.perSecond,
  };
}
