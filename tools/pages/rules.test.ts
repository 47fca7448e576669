/** docs/contract.md numbers the rules of the contract. Every citation must exist there. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/contract.md'), 'utf8');
const list = page.split(/^## /m).find((section) => section.startsWith('Rules\n')) ?? '';
const rules = [...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));

/** Matches `rule 9`, `Rules 1–13, 16 and 17`, `invariant 9`, `rule9_NothingStopsAWallet`. */
const CITATION = /\b(?:rule|invariant)s?(?: +\d+(?:(?:,| and| to|–| through) *\d+)*|\d+_)/gi;

function numbersIn(text: string): number[] {
  return [...text.matchAll(CITATION)].flatMap(([cited]) => (cited.match(/\d+/g) ?? []).map(Number));
}

/** Returns each line of tracked text under `path` that may cite a rule. */
function findLines(path: string): string[] {
  const args = ['grep', '-IiE', '--untracked', '(rule|invariant)s? ?[0-9]', '--', path];
  const lines = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  return lines.filter((line) => !line.startsWith('tools/pages/rules.test.ts:'));
}

test('finds the numbers of each form of a citation', () => {
  const text = 'Rules 1–13, 16 and 17; rule 9 (invariant 30) rule21_Waits(); ruled 5, rule of 3';
  expect(numbersIn(text)).toEqual([1, 13, 16, 17, 9, 30, 21]);
});

test('the rules are numbered without a gap', () => {
  expect(rules.length).toBeGreaterThan(0);
  expect(rules).toEqual(rules.map((_, index) => index + 1));
});

test('every rule that the repository cites is in the list', () => {
  const lost = findLines('.').filter((line) => numbersIn(line).some((number) => !rules.includes(number)));
  expect(lost).toEqual([]);
});

test('every rule is cited by a test of the contract', () => {
  const cited = new Set(findLines('test').flatMap(numbersIn));
  expect(rules.filter((number) => !cited.has(number))).toEqual([]);
});
