/** A thread that compiles mutants and runs the tests against them in a copy of the project. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { foundryBinary } from '@latchkey/foundry';
import type { Trees } from './ast.ts';
import * as compiler from './compiler.ts';
import type { Mutant } from './recorder.ts';
import { withMutant, withSwitches } from './switches.ts';

export interface Task {
  /**
   * together: one build of all, each activated in turn; alone: a separate build, run by all tests; survivors: passed
   * all tests except those that compare gas, which switches would change; planted: one build of all, run by the
   * invariants.
   */
  type: 'together' | 'alone' | 'survivors' | 'planted';
  numbers: number[];
}

export interface Result {
  number: number;
  /** `equal` has the code of the original, `invalid` does not compile, `alone` cannot be switched. */
  status: 'killed' | 'survived' | 'equal' | 'invalid' | 'alone';
  /** The first failed test. */
  by?: string;
}

export interface WorkerData {
  /** Directory for the copy of the project. */
  dir: string;
  trees: Trees;
  /** Mutants by number, starting at 1. */
  mutants: Pick<Mutant, 'file' | 'function'>[];
  /** Mutants with a reason to survive: slow tests skip them. */
  excused?: Set<number>;
  /** Sources with the switches of all mutants, when they were built elsewhere. */
  switched?: Record<string, string>;
}

/** The files that the tests read; forge does not use the rest of the project. */
const PARTS = [
  'foundry.toml',
  'remappings.txt',
  'contracts',
  'test',
  'script',
  'packages/protocol/vectors',
  'out',
  'cache',
  'snapshots',
  'deployments',
];
/**
 * The suites in the order of execution. Suites that compare gas run only for mutants that survived all others, because
 * switches change gas. The invariants, which take minutes, are not run.
 */
const QUICK = ['--match-path', 'test/{storage,unit}/**'];
const FURTHER = ['--no-match-path', 'test/{storage,unit,deploy,differential,fuzz,gas,invariant,upgrade}/**'];
const SLOW = ['--match-path', 'test/{deploy,differential,fuzz,upgrade}/**'];
const INVARIANTS = ['--match-path', 'test/invariant/**', '--match-test', 'invariant_', '--fuzz-seed', '1'];
const GAS = ['--match-path', 'test/gas/**'];
/** Endless loops must end soon, and fuzz tests have fewer runs than alone. */
const QUICK_LIMITS = { FOUNDRY_GAS_LIMIT: '1000000000' };
const SLOW_LIMITS = { FOUNDRY_GAS_LIMIT: '30000000000', FOUNDRY_FUZZ_RUNS: '32' };
/** Much longer than a stage takes: ends mutants that never finish. */
const TEST_TIMEOUT_MS = 180_000;
const TIME_LIMIT = 'time limit';

const { dir, trees, switched, excused = new Set() } = workerData as WorkerData;
const mutants = workerData.mutants as Mutant[];
const deployed = compiler.deployedFiles(trees.asts);
const originals = compiler.builtCodes(trees.asts);
const forge = foundryBinary('forge');

function prepare(): void {
  for (const part of PARTS.filter((part) => existsSync(part)))
    cpSync(part, join(dir, part), { recursive: true });
  // Copies: forge would resolve links, and then not use the project's cache, whose paths differ.
  for (const folder of compiler.importedFolders) cpSync(folder, join(dir, folder), { recursive: true });
  // Forge asks for the version only: it compiles nothing here.
  const version = execFileSync('tools/solc', ['--version'], { encoding: 'utf8' });
  mkdirSync(join(dir, 'tools'));
  writeFileSync(join(dir, 'tools/solc'), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
  mkdirSync(join(dir, '.data'));
  for (const file of readdirSync(join(dir, 'out'), { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.json') && !file.startsWith('build-info')) slim(join(dir, 'out', file));
  }
}

/** Removes from an artifact what no test reads: forge reads every artifact at each start. */
function slim(file: string): void {
  const { metadata, rawMetadata, ...artifact } = JSON.parse(readFileSync(file, 'utf8'));
  for (const code of [artifact.bytecode, artifact.deployedBytecode]) if (code) code.sourceMap = '';
  writeFileSync(file, JSON.stringify(artifact));
}

/** Makes the tests deploy these codes, and the original code of all other contracts. */
function install(codes: compiler.Codes): void {
  for (const [name, original] of Object.entries(originals)) {
    const file = join(dir, compiler.artifactOf(name));
    const artifact = JSON.parse(readFileSync(file, 'utf8')) as { bytecode: { object: string } };
    artifact.bytecode.object = codes[name] ?? original;
    writeFileSync(file, JSON.stringify(artifact));
  }
}

/** Runs tests until one fails. Returns its name, or undefined when all pass. */
function failingTest(coinbase: number, args: string[], limits: object = QUICK_LIMITS): string | undefined {
  const address = `0x${coinbase.toString(16).padStart(40, '0')}`;
  // Switches can exceed the size limit of a contract.
  const settings = ['--block-coinbase', address, '--code-size-limit', '1000000'];
  const run = spawnSync(forge, ['test', '--fail-fast', '-j', '1', ...settings, ...args], {
    cwd: dir,
    env: { ...process.env, ...limits },
    encoding: 'utf8',
    timeout: TEST_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 28,
  });
  if (run.signal) return TIME_LIMIT;
  if (run.status === 0) return undefined;
  const output = run.stdout.replaceAll(/\p{Cc}\[[0-9;]*m/gu, '');
  const failure = output.indexOf('[FAIL');
  if (failure < 0) throw new Error(`forge failed without a failed test:\n${output}${run.stderr}`);
  const suite = [...output.slice(0, failure).matchAll(/^Ran \d+ tests? for (\S+):/gm)].at(-1)?.[1];
  const test = /\] (\w+)\(/.exec(output.slice(failure, output.indexOf('\n', failure)))?.[1];
  // A failed invariant has its error there, and its calls on the next lines.
  return `${suite} ${test ?? /\[FAIL: (\w+(?:\("[^"]*)?)/.exec(output)?.[1] ?? 'setUp'}`;
}

function failingQuickly(coinbase: number): string | undefined {
  return failingTest(coinbase, QUICK) ?? failingTest(coinbase, FURTHER);
}

/** Runs slow tests, for which a timeout proves nothing. */
function failingSlowly(coinbase: number, args: string[]): string | undefined {
  const by = failingTest(coinbase, args, SLOW_LIMITS);
  return by === TIME_LIMIT ? undefined : by;
}

const suiteOf = (test: string) => test.slice(0, test.indexOf(' '));

function post(result: Result): void {
  parentPort?.postMessage(result);
}

function affected(files: Set<string>): string[] {
  return deployed.filter((file) =>
    [...compiler.imports(trees.asts, file)].some((imported) => files.has(imported)),
  );
}

/** Returns sources with the switches of these mutants, without switches that do not compile. */
function switchedSources(numbers: number[]): { sources: Record<string, string>; typed: number[] } {
  const sources = withSwitches(trees, new Map(numbers.map((n) => [n, mutants[n - 1] as Mutant])));
  try {
    compiler.check(sources);
    return { sources, typed: numbers };
  } catch (error) {
    if (!(error instanceof compiler.CompileError)) throw error;
    const half = numbers.length >> 1;
    if (half === 0) return { sources, typed: [] };
    const parts = [numbers.slice(0, half), numbers.slice(half)];
    const typed = parts.flatMap((part) => switchedSources(part).typed);
    // Both halves compile, but not together: one half is enough.
    return switchedSources(typed.length < numbers.length ? typed : (parts[0] as number[]));
  }
}

function runTogether(all: number[]): void {
  const { sources, typed: numbers } = switched ? { sources: switched, typed: all } : switchedSources(all);
  for (const number of all.filter((n) => !numbers.includes(n))) post({ number, status: 'alone' });
  if (numbers.length === 0) return;
  const files = new Set(numbers.flatMap((n) => mutants[n - 1]?.switches ?? []).map(({ file }) => file));
  try {
    install(compiler.buildLight(sources, switched ? deployed : affected(files)));
  } catch (error) {
    if (!(error instanceof compiler.CompileError) || switched) throw error;
    const half = numbers.length >> 1;
    if (half === 0) post({ number: numbers[0] as number, status: 'alone' });
    else for (const part of [numbers.slice(0, half), numbers.slice(half)]) runTogether(part);
    return;
  }
  sound.clear();
  for (const number of numbers) post(runSwitched(number));
}

/** Whether a suite passes in the installed build without a mutant. */
const sound = new Map<string, boolean>();

/** A suite can refuse the switches themselves, such as one that limits the size of code. */
function provesKill(by: string, limits: object): boolean {
  const suite = suiteOf(by);
  const broken = () => (by === TIME_LIMIT ? failingQuickly(0) : failingTest(0, inSuites([suite]), limits));
  if (!sound.has(suite)) sound.set(suite, broken() === undefined);
  return sound.get(suite) === true;
}

const inSuites = (suites: Iterable<string>) => ['--match-path', `{${[...new Set(suites)]}}`];

/** Suites that killed mutants of a function run first for its next one. */
const killers = new Map<string, Set<string>>();

function runSwitched(number: number): Result {
  const { file, function: name } = mutants[number - 1] as Mutant;
  const suspects = killers.get(`${file} ${name}`) ?? new Set();
  killers.set(`${file} ${name}`, suspects);
  let by = suspects.size > 0 ? failingTest(number, inSuites(suspects)) : undefined;
  by ??= failingQuickly(number);
  if (by && by !== TIME_LIMIT) suspects.add(suiteOf(by));
  const limits = by ? QUICK_LIMITS : SLOW_LIMITS;
  if (!excused.has(number)) by ??= failingSlowly(number, SLOW);
  if (!by) return { number, status: 'survived' };
  return provesKill(by, limits) ? { number, status: 'killed', by } : { number, status: 'alone' };
}

/** Reports for each bug whether an invariant fails with it. */
function runPlanted(numbers: number[]): void {
  const all = new Map(numbers.map((n) => [n, mutants[n - 1] as Mutant]));
  install(compiler.buildLight(withSwitches(trees, all), deployed));
  // Switches cost gas, so the bound of a call would prove nothing.
  const limits = { ...SLOW_LIMITS, INVARIANT_UNMEASURED: '1', FOUNDRY_INVARIANT_RUNS: '15' };
  const broken = failingTest(0, INVARIANTS, limits);
  if (broken) throw new Error(`${broken} fails without a bug`);
  for (const number of numbers) {
    const by = failingTest(number, INVARIANTS, limits);
    const isFound = by !== undefined && by !== TIME_LIMIT;
    post({ number, status: isFound ? 'killed' : 'survived', ...(by && { by }) });
  }
}

let areSound = false;

/** Throws when a test fails without a mutant: every mutant would count as killed. */
function requireSoundTests(): void {
  if (areSound) return;
  install({});
  const broken = failingQuickly(0) ?? failingTest(0, SLOW, SLOW_LIMITS) ?? failingTest(0, GAS, SLOW_LIMITS);
  if (broken) throw new Error(`${broken} fails without a mutant`);
  areSound = true;
}

function runAlone(number: number, wasSeen: boolean): Result {
  const mutant = mutants[number - 1] as Mutant;
  let codes: compiler.Codes;
  try {
    codes = compiler.build(withMutant(trees.sources, mutant), affected(new Set([mutant.file])));
  } catch (error) {
    if (!(error instanceof compiler.CompileError)) throw error;
    return { number, status: 'invalid' };
  }
  const isSame = Object.entries(codes).every(([name, code]) => code === originals[name]);
  if (isSame) return { number, status: 'equal' };
  requireSoundTests();
  install(codes);
  let by = wasSeen ? undefined : failingQuickly(0);
  if (!excused.has(number)) by ??= (wasSeen ? undefined : failingSlowly(0, SLOW)) ?? failingSlowly(0, GAS);
  return { number, status: by ? 'killed' : 'survived', ...(by && { by }) };
}

prepare();
parentPort?.on('message', (task: Task) => {
  if (task.type === 'together') runTogether(task.numbers);
  else if (task.type === 'planted') runPlanted(task.numbers);
  else for (const number of task.numbers) post(runAlone(number, task.type === 'survivors'));
  parentPort?.postMessage('done');
});
