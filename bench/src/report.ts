import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Comparison, tableRow } from '@latchkey/testing/measure';
import { judge, type Measured, type RowName, rows, type Verdict } from './rows.ts';

const RESULTS = join(import.meta.dirname, '../results');

export const printComparisons = (comparisons: readonly Comparison[]): void =>
  console.table(comparisons.map(tableRow));

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
