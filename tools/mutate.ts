/**
 * `npm run mutate -- [--count N | --all] [--seed S] [--file contracts/…] [--only TEXT]`: tests the contracts by
 * mutation; Stryker mutates no Solidity. Every mutant must be killed by a forge test or have its reason in tools/mutation/survivors.json.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Trees } from './mutation/ast.ts';
import {
  builtCodes,
  deployedFiles,
  imports,
  parse,
  readSources,
  solidityFiles,
} from './mutation/compiler.ts';
import { findMutants } from './mutation/mutants.ts';
import { readJson, readReasons } from './mutation/reasons.ts';
import type { Mutant } from './mutation/recorder.ts';
import { progress, run } from './mutation/run.ts';
import type { Result, Task } from './mutation/worker.ts';

/** Compile time grows faster than the number of mutants in a build. */
const TOGETHER = 80;
const LEAST_SCORE = 0.96;
const RESULTS = '.data/mutation.json';
const REASONS = 'tools/mutation/survivors.json';

const HELP = `npm run mutate -- [--count N | --all] [--seed S] [--file contracts/…] [--only TEXT]

  --count N   a sample of N mutants (default 100)
  --all       every mutant; fails below a score of ${100 * LEAST_SCORE} %
  --seed S    another sample (default 1)
  --file F    mutants of the files whose path starts with F
  --only T    mutants whose id contains the text
  --quick     runs the quick suites only and counts their survivors: for work on tests
  --list      prints the ids and runs nothing

Results are kept in ${RESULTS}: killed mutants run again when the code of the contracts changes, survivors when test/
changes.
Reasons of survivors are in ${REASONS}: { "reason": ["id", …] }.`;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string' },
    all: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: 'contracts/' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const count = Number(options.count ?? 100);
if (!Number.isInteger(count) || count < 1) {
  console.error(`--count: "${options.count}" is not a number of mutants`);
  process.exit(1);
}

type Outcome = Omit<Result, 'number'>;
interface Stored {
  contracts: string;
  tests: string;
  results: Record<string, Outcome>;
}

const hash = (texts: Record<string, string>) =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);

/** Returns a number from 0 to 1 that the seed and the text determine. */
function rank(text: string): number {
  return createHash('sha256').update(`${options.seed} ${text}`).digest().readUInt32BE() / 2 ** 32;
}

function sample(mutants: Mutant[], count: number): Mutant[] {
  const chosen = new Set(mutants.toSorted((a, b) => rank(a.id) - rank(b.id)).slice(0, count));
  return mutants.filter((mutant) => chosen.has(mutant));
}

/**
 * Groups mutants that can be switched in one build: in the same contracts, at separate places, or at one place with the
 * same kind.
 */
function batches(numbers: number[], { asts }: Trees, mutants: Mutant[]): number[][] {
  const deployed = deployedFiles(asts).map((file) => [...imports(asts, file)]);
  const containingContracts = (file: string) =>
    deployed.map((files) => Number(files.includes(file))).join('');
  type Place = { file: string; start: number; end: number; kind: string };
  const open: { contracts: string; numbers: number[]; places: Place[] }[] = [];
  for (const number of numbers) {
    const { file, switches = [] } = mutants[number - 1] as Mutant;
    const contracts = containingContracts(file);
    const fits = open.find(
      (batch) =>
        batch.contracts === contracts &&
        batch.numbers.length < TOGETHER &&
        switches.every((s) =>
          batch.places.every(
            (p) =>
              p.file !== s.file ||
              p.end <= s.start ||
              s.end <= p.start ||
              (p.start === s.start && p.end === s.end && p.kind === s.kind),
          ),
        ),
    );
    if (fits) {
      fits.numbers.push(number);
      fits.places.push(...switches);
    } else open.push({ contracts, numbers: [number], places: [...switches] });
  }
  return open.map((batch) => batch.numbers);
}

// The code of a harness contains libraries of the contracts, so it is compiled with their mutants.
const sources = readSources(['contracts', 'test/harness'].flatMap(solidityFiles));
const trees = { asts: parse(sources), sources };
const isContract = (file: string) => file.startsWith('contracts/');
const mutants = findMutants(trees).filter(({ file }) => isContract(file));
const byId = new Map(mutants.map((mutant, i) => [mutant.id, i + 1]));
const selected = mutants.filter(({ file, id }) => file.startsWith(options.file) && id.includes(options.only));
const whole = options.all || options.only !== '';
const chosen = whole ? selected : sample(selected, count);
if (chosen.length === 0) {
  console.error(`no mutant matches --file ${options.file} --only "${options.only}"`);
  process.exit(1);
}
if (options.list) {
  const lines = chosen.map(({ id, line }) => `${id} (line ${line})\n`).join('');
  process.stdout.write(lines, () => process.exit(0));
  await new Promise(() => {});
}

const reasons = readReasons(REASONS);
const build = spawnSync(process.execPath, ['tools/forge.ts', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
const stored = readJson<Stored>(RESULTS, { contracts: '', tests: '', results: {} });
const now = {
  contracts: hash(
    builtCodes(Object.fromEntries(Object.entries(trees.asts).filter(([file]) => isContract(file)))),
  ),
  tests: hash(readSources(['test', 'script'].flatMap(solidityFiles))),
};
const outcomes = new Map<string, Outcome>(
  Object.entries(stored.contracts === now.contracts ? stored.results : {}).filter(
    ([, { status }]) => status !== 'survived' || stored.tests === now.tests,
  ),
);

function save(): void {
  mkdirSync('.data', { recursive: true });
  const results = [...outcomes].filter(([, { status }]) => status !== 'survived' || !options.quick);
  writeFileSync(RESULTS, JSON.stringify({ ...now, results: Object.fromEntries(results) }));
}

/**
 * Runs all mutants without an outcome. Survivors of a shared build are built alone next, as they would be deployed, so that the results
 * of an interrupted command include them.
 */
async function runOpen(): Promise<void> {
  const open = chosen.filter(({ id }) => !outcomes.has(id)).map(({ id }) => byId.get(id) as number);
  const switchable = open.filter((number) => mutants[number - 1]?.switches);
  const queue: Task[] = batches(switchable, trees, mutants).map((numbers) => ({ type: 'together', numbers }));
  const alone = open.filter((number) => !mutants[number - 1]?.switches);
  queue.push(...alone.map((number): Task => ({ type: 'alone', numbers: [number] })));
  if (open.length === 0) return;
  // An interrupted run has results of every file.
  queue.sort((a, b) => rank(`${a.numbers}`) - rank(`${b.numbers}`));

  let finished = 0;
  const show = progress(open.length);
  const isExcused = (number: number) => options.quick || reasons.has(mutants[number - 1]?.id ?? '');
  const excused = new Set(open.filter(isExcused));
  await run({ trees, mutants, excused }, queue, (task, { number, ...outcome }) => {
    const { id } = mutants[number - 1] as Mutant;
    if (outcome.status === 'alone') {
      queue.unshift({ type: 'alone', numbers: [number] });
    } else if (task.type === 'together' && outcome.status === 'survived' && !excused.has(number)) {
      queue.unshift({ type: 'survivors', numbers: [number] });
    } else {
      outcomes.set(id, outcome);
      if (outcome.status === 'survived' && !reasons.has(id)) console.log(`survived: ${id}`);
      show(++finished);
      save();
    }
  });
}

/** Prints the table and the failures. Returns true when there are none. */
function report(): boolean {
  const readStatus = ({ id }: Mutant) => outcomes.get(id)?.status;
  const countOf = (of: Mutant[], status: Result['status']) =>
    of.filter((m) => readStatus(m) === status).length;
  const score = (of: Mutant[]) => {
    const [killed, survived] = [countOf(of, 'killed'), countOf(of, 'survived')];
    return killed + survived === 0 ? 1 : killed / (killed + survived);
  };
  const rows = [...Map.groupBy(chosen, ({ file }) => file), ['all', chosen] as const].map(([file, of]) => ({
    file,
    mutants: of.length,
    killed: countOf(of, 'killed'),
    survived: countOf(of, 'survived'),
    'same code': countOf(of, 'equal'),
    invalid: countOf(of, 'invalid'),
    score: `${(100 * score(of)).toFixed(1)} %`,
  }));
  console.table(rows);

  const unexplained = chosen.filter((m) => readStatus(m) === 'survived' && !reasons.has(m.id));
  const stale = [...reasons.keys()].filter((id) => {
    const mutant = mutants[(byId.get(id) ?? 0) - 1];
    return !mutant || !['survived', undefined].includes(readStatus(mutant));
  });
  for (const { id, file, line } of unexplained)
    console.log(`survived without a reason: ${id} (${file}:${line})`);
  for (const id of stale) console.log(`reason without a survivor: ${id}`);
  const low = whole && score(chosen) < LEAST_SCORE;
  if (low) console.log(`the score is below ${100 * LEAST_SCORE} %`);
  return unexplained.length === 0 && stale.length === 0 && !low;
}

await runOpen();
process.exit(report() ? 0 : 1);
