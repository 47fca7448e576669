/** Times a service and its baseline. */
import { performance } from 'node:perf_hooks';

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
};

/** Service and baseline take turns in blocks, so that other load on the machine affects both. */
const BLOCKS = 5;

export type Samples = { durationsMs: number[]; wallMs: number };

async function measure<Prepared>(task: Task<Prepared>, count: number, concurrency: number, into: Samples) {
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
  into.wallMs += performance.now() - startedAt;
}

/** Returns the percentile by nearest rank. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function summarize({ durationsMs, wallMs }: Samples): Figures {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  return {
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
    perSecond: (durationsMs.length * 1_000) / wallMs,
  };
}

/** Runs both `count` times, `concurrency` in flight, after one untimed round of each. */
export async function compare<S, B>(
  name: string,
  {
    count,
    concurrency,
    service,
    baseline,
  }: { count: number; concurrency: number; service: Task<S>; baseline: Task<B> },
): Promise<Comparison> {
  const samples = { service: { durationsMs: [], wallMs: 0 }, baseline: { durationsMs: [], wallMs: 0 } };
  const unused = { durationsMs: [], wallMs: 0 };
  await measure(service, concurrency, concurrency, unused);
  await measure(baseline, concurrency, concurrency, unused);
  const size = Math.max(concurrency, Math.ceil(count / BLOCKS));
  for (let done = 0; done < count; done += size) {
    const block = Math.min(size, count - done);
    await measure(service, block, concurrency, samples.service);
    await measure(baseline, block, concurrency, samples.baseline);
  }
  return compareSamples({ name, concurrency, count }, samples);
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
