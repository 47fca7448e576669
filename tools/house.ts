/** `npm run house`: counts of the state of a checkout. See HELP. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseCommand } from '@latchkey/service/parse-command';
import { findCasts } from './house/casts.ts';
import { findCycles, findUndeclared, findUpward, importsOf } from './house/imports.ts';
import { CATALOGUE, findStale, findUntranslated, textsOfDashboard } from './house/messages.ts';
import { describeSize, findOverLimits, findOversize } from './house/sizes.ts';
import { type Checkout, isScript, isTest, readCheckout } from './house/sources.ts';

const HELP = `npm run house -- [--root <dir>] [--list <row> | --check]

  --root <dir>  another checkout, for example a git worktree of an older commit
  --list <row>  prints the findings of a row, for example --list casts
  --check       prints import cycles, undeclared imports, upward imports, product functions over 60 lines and product files
                over 300, texts of the dashboard without t and a catalogue of other texts, and exits with 1 when there is one`;

/** The rows of --check. */
const CHECKED = [
  'cycles',
  'undeclared',
  'upward',
  'functions over 60 lines',
  'files over 300',
  'texts without t',
  'catalogue',
] as const;

const { values } = parseCommand(HELP, {
  root: { type: 'string', default: join(import.meta.dirname, '..') },
  list: { type: 'string' },
  check: { type: 'boolean', default: false },
});

/** Returns a function per row, which finds its entries. */
function rowsOf(checkout: Checkout) {
  const { scripts } = checkout;
  const imports = importsOf(checkout);
  const tests = scripts.filter(({ isTest }) => isTest);
  const sources = scripts.filter(({ isTest }) => !isTest);
  const oversize = () => scripts.flatMap(findOversize);
  const limits = () => findOverLimits(sources);
  return {
    cycles: () => findCycles(imports).map((files) => files.join(', ')),
    undeclared: () => findUndeclared(imports, checkout),
    upward: () => findUpward(imports, checkout),
    casts: () => sources.flatMap(findCasts),
    'casts of tests': () => tests.flatMap(findCasts),
    'functions over 60 lines': () => limits().functions.map(describeSize),
    'files over 300': () => limits().files.map(describeSize),
    'texts without t': () => textsOfDashboard(checkout).flatMap(findUntranslated),
    catalogue: () =>
      findStale(readFileSync(join(checkout.root, CATALOGUE), 'utf8'), textsOfDashboard(checkout)),
    oversize: () => oversize().map(describeSize),
    'lines over size': () =>
      oversize().flatMap(({ name, lines, limit }) => Array<string>(lines - limit).fill(name)),
  };
}

/** Prints the numbers of files and lines of product source, tests, and generated files and data. Pages and images do not count. */
function printSizes({ root, files, data }: Checkout): void {
  const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n').length - 1;
  const sizeOf = (paths: string[]) => ({
    files: paths.length,
    lines: paths.reduce((sum, path) => sum + linesOf(path), 0),
  });
  const code = files.filter((path) => isScript(path) || /\.(sol|sql|css|html)$/.test(path));
  console.table({
    'product source': sizeOf(code.filter((path) => !isTest(path))),
    tests: sizeOf(code.filter(isTest)),
    'generated and data': sizeOf(data),
  });
}

function main(): number {
  const checkout = readCheckout(resolve(values.root));
  const rows = rowsOf(checkout);
  if (values.check) {
    const broken = CHECKED.flatMap((row) => rows[row]().map((finding) => `${row}: ${finding}`));
    for (const finding of broken) console.error(finding);
    return broken.length === 0 ? 0 : 1;
  }
  if (values.list !== undefined) {
    const row = Object.entries(rows).find(([name]) => name === values.list);
    if (!row) {
      console.error(`--list takes ${Object.keys(rows).join(', ')}, not "${values.list}"`);
      return 2;
    }
    console.log(row[1]().join('\n'));
    return 0;
  }
  printSizes(checkout);
  console.table(
    Object.fromEntries(Object.entries(rows).map(([row, find]) => [row, { count: find().length }])),
  );
  return 0;
}

process.exitCode = main();
