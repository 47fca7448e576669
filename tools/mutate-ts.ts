/**
 * `npm run mutate:ts -- [--count N | --all] [--seed S] [--only PATH] [--id TEXT]`: tests modules of the services by mutation, with
 * Stryker. Every mutant of the sample must be killed by a test or have its reason in tools/mutation/survivors-ts.json.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readReasons } from './mutation/reasons.ts';
import { findMutants, type Mutant, place, type Reported } from './mutation/typescript/mutants.ts';

/** Files to mutate, and the tests that must notice. */
const MODULES = [
  { files: 'relayer/src/auth/*.ts', tests: ['relayer/src/auth/**/*.test.ts'] },
  {
    files: 'relayer/src/billing/*.ts',
    tests: ['relayer/src/billing/!(crashes|overspend).test.ts'],
  },
  { files: 'relayer/src/keys/*.ts', tests: ['relayer/src/keys/**/*.test.ts'] },
  { files: 'relayer/src/runs/*.ts', tests: ['relayer/src/runs/**/*.test.ts'] },
  { files: 'packages/chain/src/*.ts', tests: ['packages/chain/**/*.test.ts'] },
  {
    files: 'packages/outbox/src/!(refill|stuck).ts',
    tests: [
      'packages/outbox/**/*.test.ts',
      'relayer/src/chain/store.test.ts',
      'relayer/src/chain/store-nonces.test.ts',
    ],
  },
  {
    files: 'packages/outbox/src/{refill,stuck}.ts',
    tests: ['relayer/src/chain/refill.test.ts', 'relayer/src/chain/stuck.test.ts'],
  },
  {
    files: 'triggers/src/runs/*.ts',
    tests: ['triggers/src/runs/**/*.test.ts', 'triggers/src/alerts/failures.test.ts'],
  },
];
const LEAST_SCORE = 0.9;
const REASONS = 'tools/mutation/survivors-ts.json';
const STRYKER = 'tools/mutation/stryker';
const SOURCES = 'tools/mutation/typescript';
const WORK = '.data/stryker';

const HELP = `npm run mutate:ts -- [--count N | --all] [--seed S] [--only PATH] [--id TEXT] [--list]

  --count N    a sample of N mutants (default 100)
  --all        every mutant
  --seed S     another sample (default 1)
  --only PATH  mutants of the files whose path starts with PATH, such as relayer/src/auth
  --id TEXT    mutants whose id contains the text, all of them; can be repeated
  --list       prints the ids and runs nothing

Fails for a survivor without a reason, for a reason without a survivor, and for a score below ${100 * LEAST_SCORE} %.
Reasons of survivors are in ${REASONS}: { "reason": ["id", …] }.`;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    all: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    id: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

type Status = 'killed' | 'survived' | 'invalid';
type Result = Mutant & { status: Status };

function fail(text: string): never {
  console.error(text);
  process.exit(1);
}

/** Installs Stryker, which nothing else in the repository needs. */
function install(): void {
  if (existsSync(`${STRYKER}/node_modules`)) return;
  const { status } = spawnSync('npm', ['ci'], { cwd: STRYKER, stdio: 'inherit' });
  if (status !== 0) fail('failed to install Stryker');
}

/** Returns a number that the seed and the text determine. */
const rank = (text: string): number =>
  createHash('sha256').update(`${options.seed} ${text}`).digest().readUInt32BE();

function choose(mutants: Mutant[]): Mutant[] {
  if (options.all || options.id.length > 0) return mutants;
  const count = Number(options.count);
  if (!Number.isInteger(count) || count < 1) fail(`--count: "${options.count}" is not a number of mutants`);
  const chosen = new Set(mutants.toSorted((a, b) => rank(a.id) - rank(b.id)).slice(0, count));
  return mutants.filter((mutant) => chosen.has(mutant));
}

/** Runs the mutants with the tests of their module. */
function run(mutants: Mutant[], tests: string[]): Result[] {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK, { recursive: true });
  const report = `${WORK}/report.json`;
  const sample = `${WORK}/sample.json`;
  writeFileSync(sample, JSON.stringify(mutants.map(({ place }) => place)));
  const config = {
    mutate: [...new Set(mutants.map(({ file }) => file))],
    testRunner: 'vitest',
    vitest: { configFile: `${SOURCES}/vitest.config.ts`, related: false },
    plugins: ['@stryker-mutator/vitest-runner', `${process.cwd()}/${SOURCES}/checker.ts`],
    checkers: ['sample'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 15,
    tempDirName: `${WORK}/sandbox`,
    ignorePatterns: ['/.data', '/cache', '/test', '/bench'],
    // Stryker cannot read the configuration of TypeScript 7. The tests do not need it.
    tsconfigFile: 'none',
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
  };
  writeFileSync(`${WORK}/config.json`, JSON.stringify(config));
  const binary = `${STRYKER}/node_modules/@stryker-mutator/core/bin/stryker.js`;
  const { status } = spawnSync(process.execPath, [binary, 'run', `${WORK}/config.json`], {
    stdio: 'inherit',
    env: { ...process.env, STRYKER_TESTS: tests.join(' '), STRYKER_SAMPLE: sample },
  });
  if (status !== 0) fail('Stryker failed');
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as { files: Record<string, Reported> };
  const statuses = new Map(
    Object.entries(files).flatMap(([file, { mutants }]) =>
      mutants.map((mutant) => [place({ ...mutant, fileName: file }, 1), mutant.status] as const),
    ),
  );
  return mutants.map((mutant) => ({ ...mutant, status: toStatus(statuses.get(mutant.place)) }));
}

function toStatus(status: string | undefined): Status {
  // A runtime error: the files of tests do not load.
  if (status === 'Killed' || status === 'Timeout' || status === 'RuntimeError') return 'killed';
  if (status === 'Survived' || status === 'NoCoverage') return 'survived';
  return 'invalid';
}

const score = (of: Result[]): number => {
  const killed = of.filter(({ status }) => status === 'killed').length;
  const survived = of.filter(({ status }) => status === 'survived').length;
  return killed + survived === 0 ? 1 : killed / (killed + survived);
};

/** Prints the table and the failures. Returns true when there are none. */
function report(results: Result[], total: number): boolean {
  const count = (of: Result[], status: Status) => of.filter((result) => result.status === status).length;
  const rows = [...Map.groupBy(results, ({ file }) => file), ['all', results] as const].map(([file, of]) => ({
    file,
    mutants: of.length,
    killed: count(of, 'killed'),
    survived: count(of, 'survived'),
    invalid: count(of, 'invalid'),
    score: `${(100 * score(of)).toFixed(1)} %`,
  }));
  console.table(rows);
  console.log(`${results.length} of ${total} mutants`);
  const reasons = readReasons(REASONS);
  const unexplained = results.filter(({ status, id }) => status === 'survived' && !reasons.has(id));
  const stale = results.filter(({ status, id }) => status !== 'survived' && reasons.has(id));
  for (const { id, line } of unexplained) console.log(`survived without a reason: ${id} (line ${line})`);
  for (const { id } of stale) console.log(`reason without a survivor: ${id}`);
  const isLow = score(results) < LEAST_SCORE;
  if (isLow) console.log(`the score is below ${100 * LEAST_SCORE} %`);
  return unexplained.length === 0 && stale.length === 0 && !isLow;
}

async function main(): Promise<number> {
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  install();
  const modules = MODULES.map(({ files, tests }) => ({
    files: globSync(files).filter((file) => file.startsWith(options.only) && !file.endsWith('.test.ts')),
    tests,
  }));
  const mutants = await findMutants(modules.flatMap(({ files }) => files));
  const texts = options.id.length > 0 ? options.id : [''];
  const selected = mutants.filter(({ id }) => texts.some((text) => id.includes(text)));
  const chosen = choose(selected);
  if (chosen.length === 0)
    fail(`no mutant matches --only "${options.only}" --id "${options.id.join('", "')}"`);
  if (options.list) {
    console.log(chosen.map(({ id, line }) => `${id} (line ${line})`).join('\n'));
    return 0;
  }
  const results = modules.flatMap(({ files, tests }) => {
    const own = chosen.filter(({ file }) => files.includes(file));
    return own.length === 0 ? [] : run(own, tests);
  });
  return report(results, selected.length) ? 0 : 1;
}

process.exitCode = await main();
