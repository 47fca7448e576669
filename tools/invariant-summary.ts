/** The summary of the calls of the invariants, by role and by function of the contract. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountConfigAbi } from '@latchkey/protocol';
import { toFunctionSelector } from 'viem';

export const format = (value: number): string => value.toLocaleString('en-US');

/** Returns the lines that the runs have written so far: JSON of `Handlers.summary`. */
export function readRuns(dir: string): string[] {
  const text = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
  return text.join('').split('\n').slice(0, -1);
}

/** Calls, successes and the largest gas by role or function. */
function readSummary(runs: string[]): Map<string, [number, number, number]> {
  const names = new Map<string, string>();
  for (const item of accountConfigAbi) {
    if (item.type === 'function') names.set(toFunctionSelector(item), item.name);
  }
  const totals = new Map<string, [number, number, number]>();
  for (const line of runs) {
    for (const [key, counts] of Object.entries(JSON.parse(line) as Record<string, number[]>)) {
      const name = names.get(key.slice(0, 10)) ?? key;
      const total = totals.get(name) ?? [0, 0, 0];
      const [made = 0, succeeded = 0, gas = 0] = counts;
      totals.set(name, [total[0] + made, total[1] + succeeded, Math.max(total[2], gas)]);
    }
  }
  return totals;
}

/** Prints a line per role and function. */
export function printSummary(runs: string[]): void {
  console.log(
    `\n${'role or function'.padEnd(38)}${'calls'.padStart(12)}${'succeed'.padStart(12)}  largest gas`,
  );
  for (const [name, [made, succeeded, gas]] of readSummary(runs)) {
    console.log(
      `${name.padEnd(38)}${format(made).padStart(12)}${format(succeeded).padStart(12)}  ${format(gas)}`,
    );
  }
}
