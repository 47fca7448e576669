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
  if (verdicts.length > 0) console.table(verdicts.map(({ values: _, ...shown }) => shown));
  return verdicts;
}

const describeMachine = () => ({
  cores: cpus().length,
  model: cpus()[0]?.model,
  memoryMb: Math.round(totalmem() / 2 ** 20),
  kernel: release(),
  node: process.version,
});

/** Returns the commit, with `-dirty` when files differ from it. */
export function readRevision(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' }).trim();
  const isDirty = git('status', '--porcelain', '--', '.', ':!bench/results') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${isDirty ? '-dirty' : ''}`;
}

/** Writes a new file for this day and revision. Resolves to its path. */
export async function writeResults(
  revision: string,
  count: number,
  verdicts: readonly Verdict[],
  comparisons: readonly Comparison[],
): Promise<string> {
  const date = new Date().toISOString().slice(0, 10);
  await mkdir(RESULTS, { recursive: true });
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
  const content = { date, commit: revision, machine: describeMachine(), count, verdicts, comparisons };
  const text = `${JSON.stringify(content, rounded, 2)}\n`;
  for (let run = 1; ; run++) {
    const path = join(RESULTS, `${date}-${revision}${run === 1 ? '' : `-${run}`}.json`);
    try {
      await writeFile(path, text, { flag: 'wx' });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
