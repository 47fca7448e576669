/** A thread that compiles mutants and runs the tests against them in a copy of the project. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { foundryBinary } from '@latchkey/stack/foundry';
import type { Trees } from './ast.ts';
import * as compiler from './compiler.ts';
import type { Mutant } from './mutants.ts';

export interface Task {
  /**
   * together: one build of all, each switched on in its turn; alone: a build of its own, seen by all tests;
   * survivors: have been seen by all tests but those that compare gas, which switches cost.
   */
  type: 'together' | 'alone' | 'survivors';
  numbers: number[];
}

export interface Result {
  number: number;
  /** `equal` has the code of the original, `invalid` does not compile, `alone` cannot be switched. */
  status: 'killed' | 'survived' | 'equal' | 'invalid' | 'alone';
  /** The first test that failed. */
  by?: string;
}

export interface WorkerData {
  /** Where the copy of the project goes. */
  dir: string;
  trees: Trees;
  /** By number, from 1 on. */
  mutants: Pick<Mutant, 'file' | 'function'>[];
  /** Those with a reason to survive: slow tests are spared for them. */
  excused?: Set<number>;
  /** Sources that switch all of them, when they were made elsewhere. */
  switched?: Record<string, string>;
}

/** What the tests read; the rest of the project is of no use to forge. */
const PARTS = [
  'foundry.toml',
  'contracts',
  'test',
  'script',
  'tools/solc.mjs',
  'packages/protocol/vectors',
  'out',
  'cache',
  'snapshots',
  'deployments',
];
/**
 * The suites in the order in which they are asked. Those that compare gas, which switches cost, see only what all others let
 * live; the invariants, which take minutes, are not asked.
 */
const QUICK = ['--match-path', 'test/{storage,unit}/**'];
const FURTHER = ['--no-match-path', 'test/{storage,unit,deploy,differential,fuzz,gas,invariant,upgrade}/**'];
const SLOW = ['--match-path', 'test/{deploy,differential,fuzz,upgrade}/**'];
const GAS = ['--match-path', 'test/gas/**'];
/** Loops without end shall end soon, and fuzz tests have fewer runs than on their own. */
const QUICK_LIMITS = { FOUNDRY_GAS_LIMIT: '1000000000' };
const SLOW_LIMITS = { FOUNDRY_GAS_LIMIT: '30000000000', FOUNDRY_FUZZ_RUNS: '32' };
/** Much longer than a stage takes: what a mutant does for ever ends here. */
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
  symlinkSync(join(process.cwd(), 'node_modules'), join(dir, 'node_modules'));
  mkdirSync(join(dir, '.data'));
}

/** Makes the tests deploy these codes, and the original where none is given. */
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
  // Switches may take more room than a contract has.
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
  return `${suite} ${test ?? 'setUp'}`;
}

function failingQuickly(coinbase: number): string | undefined {
  return failingTest(coinbase, QUICK) ?? failingTest(coinbase, FURTHER);
}

/** To be out of time says nothing about tests that take long anyway. */
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

/** Sources that switch these mutants, and no others where the switches themselves are not right by types. */
function switchedSources(numbers: number[]): { sources: Record<string, string>; typed: number[] } {
  const sources = compiler.withSwitches(trees, new Map(numbers.map((n) => [n, mutants[n - 1] as Mutant])));
  try {
    compiler.parse(sources);
    return { sources, typed: numbers };
  } catch (error) {
    if (!(error instanceof compiler.CompileError)) throw error;
    const half = numbers.length >> 1;
    if (half === 0) return { sources, typed: [] };
    const parts = [numbers.slice(0, half), numbers.slice(half)];
    const typed = parts.flatMap((part) => switchedSources(part).typed);
    // Right in two parts and wrong together: one part is enough.
    return switchedSources(typed.length < numbers.length ? typed : (parts[0] as number[]));
  }
}

function runTogether(all: number[]): void {
  const { sources, typed: numbers } = switched ? { sources: switched, typed: all } : switchedSources(all);
  for (const number of all.filter((n) => !numbers.includes(n))) post({ number, status: 'alone' });
  if (numbers.length === 0) return;
  const files = new Set(numbers.flatMap((n) => mutants[n - 1]?.switches ?? []).map(({ file }) => file));
  try {
    install(compiler.build(sources, switched ? deployed : affected(files)));
  } catch (error) {
    if (!(error instanceof compiler.CompileError) || switched) throw error;
    const half = numbers.length >> 1;
    if (half === 0) post({ number: numbers[0] as number, status: 'alone' });
    else for (const part of [numbers.slice(0, half), numbers.slice(half)]) runTogether(part);
    return;
  }
  const broken = failingQuickly(0);
  if (broken) throw new Error(`${broken} fails without a mutant`);
  for (const number of numbers) post(runSwitched(number));
}

/** Suites that killed mutants of a function: they are asked first about its next one. */
const killers = new Map<string, Set<string>>();

function runSwitched(number: number): Result {
  const { file, function: name } = mutants[number - 1] as Mutant;
  const suspects = killers.get(`${file} ${name}`) ?? new Set();
  killers.set(`${file} ${name}`, suspects);
  let by = suspects.size > 0 ? failingTest(number, ['--match-path', `{${[...suspects]}}`]) : undefined;
  by ??= failingQuickly(number);
  if (by) {
    if (by !== TIME_LIMIT) suspects.add(suiteOf(by));
    return { number, status: 'killed', by };
  }
  if (!excused.has(number)) by = failingSlowly(number, SLOW);
  if (!by) return { number, status: 'survived' };
  // A suite may refuse the switches themselves, such as one that limits the size of code.
  const refusesSwitches = failingSlowly(0, ['--match-path', suiteOf(by)]);
  return refusesSwitches ? { number, status: 'alone' } : { number, status: 'killed', by };
}

let areSound = false;

/** Throws when a test fails without a mutant, which would be taken for the death of every one. */
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
    codes = compiler.build(compiler.withMutant(trees.sources, mutant), affected(new Set([mutant.file])));
  } catch (error) {
    if (!(error instanceof compiler.CompileError)) throw error;
    return { number, status: 'invalid' };
  }
  const isSame = Object.entries(codes).every(([name, code]) => code === originals[name]);
  if (isSame) return { number, status: 'equal' };
  requireSoundTests();
  install(codes);
  const by = (wasSeen ? undefined : (failingQuickly(0) ?? failingSlowly(0, SLOW))) ?? failingSlowly(0, GAS);
  return { number, status: by ? 'killed' : 'survived', ...(by && { by }) };
}

prepare();
parentPort?.on('message', (task: Task) => {
  if (task.type === 'together') runTogether(task.numbers);
  else for (const number of task.numbers) post(runAlone(number, task.type === 'survivors'));
  parentPort?.postMessage('done');
});
