import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Comparison, Figures } from '@latchkey/testing/measure';
import { judge, type Measured, type RowName, rows, type Verdict } from './rows.ts';

const RESULTS = join(import.meta.dirname, '../results');

const digits = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : 1);

export function printComparisons(comparisons: readonly Comparison[]): void {
  const latencies = ({ p50Ms, p95Ms, p99Ms }: Figures) => [p50Ms, p95Ms, p99Ms].map(digits).join(' / ');
  console.table(
    comparisons.map(({ name, concurrency, count, service, baseline, cpuMs, ...ratio }) => ({
      what: name,
      clients: concurrency,
      count,
      'a second': `${digits(service.perSecond)} / ${digits(baseline.perSecond)}`,
      ratio: digits(ratio.ratioPerSecond),
      'service p50/p95/p99 ms': latencies(service),
      'baseline p50/p95/p99 ms': latencies(baseline),
      'ratio p50/p95/p99': [ratio.ratioP50, ratio.ratioP95, ratio.ratioP99].map(digits).join(' / '),
      'CPU ms': cpuMs === undefined ? '' : digits(cpuMs),
    })),
  );
}

/** Prints and returns the measured rows, in the order of their declaration. */
export function printVerdicts(values: Measured['values']): Verdict[] {
  const verdicts = (Object.keys(rows) as RowName[]).flatMap((name) => {
    const measured = values[name];
    return measured === undefined ? [] : [judge(name, measured)];
  });
  if (verdicts.length > 0) console.table(verdicts);
  return verdicts;
}

const describeMachine = () => ({
  cores: cpus().length,
  model: cpus()[0]?.model,
  memoryMb: Math.round(totalmem() / 2 ** 20),
  kernel: release(),
  node: process.version,
});

/** Writes the file of this day and commit. Resolves to its path. */
export async function writeResults(
  count: number,
  verdicts: readonly Verdict[],
  comparisons: readonly Comparison[],
): Promise<string> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const path = join(RESULTS, `${date}-${commit}.json`);
  await mkdir(RESULTS, { recursive: true });
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
  const content = { date, commit, machine: describeMachine(), count, verdicts, comparisons };
  await writeFile(path, `${JSON.stringify(content, rounded, 2)}\n`);
  return path;
}
