/** The measures of a soak: per process, per table, files and lags. */
import { readdirSync } from 'node:fs';
import { processTree, rssMb } from '@latchkey/testing/process-tree';
import type { Cluster } from './cluster.ts';
import type { Sample } from './growth.ts';
import type { DatabaseName } from './postgres.ts';
import { measureProcess } from './processes.ts';

/**
 * The growth over the second half that counts as noise, by the last words of the name of a measure. Less can be a cache, a connection of a pool
 * or the load of the machine.
 */
const NOISE = {
  'rss MiB': 16,
  'heap MiB': 12,
  handles: 8,
  sockets: 16,
  processes: 4,
  files: 16,
  'table KiB': 1_024,
  rows: 200,
  'lag s': 1,
  'lag blocks': 20,
  'p95 ms': 250,
} as const;

/** Returns the noise of a measure, for example of `relayer 0: rss MiB`. */
export function noiseOf(name: string): number {
  const kind = (Object.keys(NOISE) as (keyof typeof NOISE)[]).find((kind) => name.endsWith(kind));
  if (kind === undefined) throw new Error(`no noise for ${name}`);
  return NOISE[kind];
}

export const describeNoise = (): string =>
  Object.entries(NOISE)
    .map(([kind, noise]) => `${noise} ${kind}`)
    .join(', ');

/** Tables by the beginnings of their names that keep what happened, until a sweep after days. They grow with the traffic. */
const KEPT = [
  'runs',
  'ledger_',
  'idempotency',
  'transactions',
  'action_code_uses',
  'request_seeds',
  'attempts',
  'fired_logs',
];

const TABLES = `select c.relname as name, pg_total_relation_size(c.oid) / 1024 as kib from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;

async function measureTables({ postgres }: Cluster, database: DatabaseName): Promise<Measured[]> {
  const tables = await postgres.query<{ name: string; kib: string }>(database, TABLES);
  return tables
    .filter(({ name }) => !KEPT.some((kept) => name.startsWith(kept)))
    .map(({ name, kib }) => [`${database}.${name}: table KiB`, Number(kib)]);
}

async function countRows({ postgres }: Cluster): Promise<Measured[]> {
  const count = async (name: string, database: DatabaseName, from: string): Promise<Measured> => {
    const [row] = await postgres.query<{ n: string }>(database, `select count(*) as n from ${from}`);
    return [name, Number(row?.n)];
  };
  return Promise.all([
    count('waiting runs: rows', 'triggers', `triggers.runs where status in ('queued', 'running')`),
    count('pending transactions: rows', 'relayer', `transactions where status = 'pending'`),
    count('sessions of PostgreSQL: rows', 'relayer', 'pg_stat_activity'),
  ]);
}

type Measured = [name: string, value: number];

/** Returns a function that reads a metric, as the highest of its labels. */
async function scrape(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(url, { signal: AbortSignal.timeout(10_000) })).text();
  return (name) => {
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return Math.max(...lines.map((line) => Number(line.slice(line.lastIndexOf(' ')))));
  };
}

const MEBIBYTE = 2 ** 20;

/** A service, with the measures that its metrics add. */
async function measureService(
  name: string,
  { pid, metricsUrl }: { pid: number; metricsUrl: string },
  own: (metric: (name: string) => number) => Measured[] = () => [],
): Promise<Measured[]> {
  const outside = Object.entries(measureProcess(pid)).map(
    ([measure, value]): Measured => [`${name}: ${measure}`, value],
  );
  // On a busy machine a scrape can come too late: this sample has no metrics then.
  const metric = await scrape(metricsUrl).catch(() => undefined);
  if (metric === undefined) return outside;
  return [
    ...outside,
    [`${name}: heap MiB`, metric('nodejs_heap_size_used_bytes') / MEBIBYTE],
    [`${name}: event loop p99 lag s`, metric('nodejs_eventloop_lag_p99_seconds')],
    ...own(metric),
  ];
}

/** Returns every measure of the cluster by name. */
async function measureCluster(cluster: Cluster): Promise<Measured[]> {
  const { relayers, triggers, runners, indexer, directories } = cluster;
  const head = Number(await cluster.chain.client.getBlockNumber());
  const found = await Promise.all([
    ...relayers.map((replica, index) =>
      measureService(`relayer ${index}`, replica.process(), (metric) => [
        [`relayer ${index}: lag blocks`, Math.max(0, head - metric('chain_head_block'))],
      ]),
    ),
    ...triggers.map((replica, index) =>
      measureService(`triggers ${index}`, replica.process(), (metric) => [
        [`triggers ${index}: oldest waiting run, lag s`, metric('runs_oldest_waiting_seconds')],
        [`triggers ${index}: chain, lag s`, metric('chain_follower_lag_seconds')],
        [`triggers ${index}: chain, lag blocks`, Math.max(0, head - metric('chain_follower_block'))],
      ]),
    ),
    ...runners.map((replica, index) =>
      measureService(`runner ${index}`, replica.process(), (metric) => [
        [`runner ${index}: processes`, metric('runner_processes')],
        [`runner ${index} and its processes: rss MiB`, rssMb(processTree([replica.process().pid]))],
        [`runner ${index}: oldest waiting run, lag s`, metric('runner_oldest_waiting_seconds')],
      ]),
    ),
    measureService('indexer', indexer.process(), (metric) => [
      ['indexer: lag s', metric('indexer_lag_seconds')],
      ['indexer: lag blocks', Math.max(0, head - metric('indexer_block'))],
    ]),
    measureTables(cluster, 'relayer'),
    measureTables(cluster, 'triggers'),
    countRows(cluster),
  ]);
  const files = Object.entries(directories).map(
    ([name, path]): Measured => [
      `${name}: files`,
      // A file can disappear while its directory is read.
      readdirSync(path, { recursive: true }).length,
    ],
  );
  return [...found.flat(), ...files];
}

export type Sampler = {
  /** Samples of every measure, by name. */
  series: Map<string, Sample[]>;
  /** Adds one sample to every measure. */
  take: () => Promise<void>;
};

/** @param more - Further measures, for example latencies since the last sample. */
export function createSampler(cluster: Cluster, more: () => Measured[]): Sampler {
  const series = new Map<string, Sample[]>();
  return {
    series,
    async take() {
      const atSec = performance.now() / 1_000;
      for (const [name, value] of [...(await measureCluster(cluster)), ...more()]) {
        const samples = series.get(name) ?? [];
        series.set(name, samples);
        samples.push({ atSec, value });
      }
    },
  };
}
