/** `npm run bench`: measures the service and its baselines on a new stack, and prints a table with goals. See HELP. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Stack, startStack, temporaryDataDir } from '@latchkey/stack';
import { SERVER_VARIABLE, startTestServer } from '@latchkey/testing/postgres';
import { benchBombs } from './bombs.ts';
import { benchIdle } from './idle.ts';
import { interrupted, interruption } from './interrupt.ts';
import { benchKeys } from './keys.ts';
import { benchLedger } from './ledger.ts';
import { benchLists } from './lists.ts';
import { benchMessages } from './messages.ts';
import { benchNeighbours, highestP99, timedKinds } from './neighbours.ts';
import { printComparisons, printVerdicts, readRevision, writeResults } from './report.ts';
import type { Measured } from './rows.ts';
import { benchRuns } from './runs.ts';
import { benchScale, scaleParts } from './scale.ts';
import { benchSends } from './sends.ts';
import { benchTriggers } from './triggers.ts';
import { benchVisible } from './visible.ts';
import { benchWrites } from './writes.ts';

const HELP = `Measures the service and its baselines on a new stack, prints a table with goal and verdict per row, and writes
bench/results/<date>-<commit>.json. docs/performance.md explains the rows. Exits with 1 when a benchmark fails, or a request
of the honest client in neighbours and bombs. A missed goal does not change the exit code.

  npm run bench -- [--count <n>] [--only <name>] [--cgroup]
  npm run bench -- --only scale [--rows <n>] [--part <name>]

  --count <n>    scale of all measurements, default 50: for example 6n writes with each number of clients
  --only <name>  one benchmark, without a file of results:
                 idle, runs, keys, lists, writes, sends, visible, messages, triggers; ledger, neighbours, bombs and scale only run by name
  --cgroup       with --only neighbours: limits the stack, not its clients, to two cores
  --rows <n>     with --only scale: size of the larger state, default 100000; nightly 3000000
  --part <name>  with --only scale: one of its programs: ${scaleParts.join(', ')}
  --help`;

const FAILURE_REPORT_MS = 5_000;

type Benchmark<Needs extends unknown[] = []> = (...needs: [...Needs, count: number]) => Promise<Measured>;

/** Benchmarks of a stack, in the order in which they run. */
const onStack: Record<string, Benchmark<[Stack]>> = {
  idle: benchIdle,
  runs: benchRuns,
  keys: benchKeys,
  lists: (stack, count) => benchLists(stack, 100 * count),
  writes: benchWrites,
  sends: benchSends,
  visible: benchVisible,
  messages: benchMessages,
};

/** Benchmarks that start what they need. */
const onTheirOwn: Record<string, Benchmark> = {
  triggers: (count) => withDurableServer(() => benchTriggers(count)),
};

/** Benchmarks that are not part of the results. */
const onlyByName: Record<string, Benchmark> = {
  ledger: (count) => withDurableServer(() => benchLedger(10 * count)),
  // Its p99 has a goal: with fewer samples the p99 would be one of the slowest two.
  neighbours: async (count) => {
    const { memoryRatio, ...measured } = await benchNeighbours(6 * count, options.cgroup);
    const highest = timedKinds.map((kind) => highestP99(measured.comparisons, kind));
    const values = {
      besideAttacks: [...highest, measured.failures],
      relayerMemory: [memoryRatio],
    };
    return { values, ...measured };
  },
  bombs: benchBombs,
  scale: () => withDurableServer(() => benchScale(options.rows, options.part)),
};

/** Runs benchmarks that start their own databases on a server that is as durable as in a deployment. */
async function withDurableServer<T>(work: () => Promise<T>): Promise<T> {
  await using server = await startTestServer({ isDurable: true });
  process.env[SERVER_VARIABLE] = server.url;
  // An interrupt after this point ends the forked program, and with it the work.
  interruption.throwIfAborted();
  return await work();
}

/** Results of the benchmarks that have finished. */
const finished = { values: {}, comparisons: [], failures: 0 } as Required<Measured>;

async function finish(name: string, work: Promise<Measured>): Promise<void> {
  console.log(`measuring ${name}`);
  const { values, comparisons = [], failures = 0 } = await work;
  Object.assign(finished.values, values);
  finished.comparisons.push(...comparisons);
  finished.failures += failures;
}

/** Starts a stack in an empty directory, then again on its data, and measures the second. */
async function benchStack(benchmarks: readonly [string, Benchmark<[Stack]>][], count: number): Promise<void> {
  const dataDir = await temporaryDataDir();
  const start = async () => {
    const startedAt = performance.now();
    const env = { STARTER_CREDIT_CENTS: '1000000' };
    const stack = await startStack({ dataDir, signal: interruption, env, isTemporary: true });
    return { stack, seconds: (performance.now() - startedAt) / 1_000 };
  };
  try {
    console.log('starting a stack twice');
    const first = await start();
    await first.stack.close();
    const second = await start();
    await using stack = second.stack;
    Object.assign(finished.values, { firstStart: [first.seconds], secondStart: [second.seconds] });
    const measured = (async () => {
      for (const [name, benchmark] of benchmarks) await finish(name, benchmark(stack, count));
    })();
    const failed = stack.failed.then((error) => {
      throw error;
    });
    await Promise.race([measured, interrupted, failed]).catch(async (error) => {
      // A request to a part that ended fails before the stack reports which part ended.
      if (!interruption.aborted) await Promise.race([failed, delay(FAILURE_REPORT_MS)]);
      throw error;
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the number, which has at most `digits` digits. Throws an error that names the option. */
function readNumber(name: string, text: string, digits: number): number {
  if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
  throw new Error(`--${name}: ${text} is not a number from 1 to ${'9'.repeat(digits)}`);
}

/** Throws an error that names the wrong option. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '50' },
      only: { type: 'string' },
      cgroup: { type: 'boolean', default: false },
      rows: { type: 'string', default: '100000' },
      part: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, cgroup, part } = values;
  const names = Object.keys({ ...onStack, ...onTheirOwn, ...onlyByName });
  if (only !== undefined && !names.includes(only)) throw new Error(`--only: no benchmark is named ${only}`);
  if (cgroup && only !== 'neighbours') throw new Error('--cgroup is for --only neighbours');
  if (part !== undefined && !(only === 'scale' && scaleParts.includes(part)))
    throw new Error(`--part: --only scale has the programs ${scaleParts.join(', ')}`);
  return { ...values, count: readNumber('count', values.count, 6), rows: readNumber('rows', values.rows, 8) };
}

function readOptionsOrExit() {
  try {
    return readOptions();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

async function bench({ count, only }: { count: number; only?: string | undefined }): Promise<void> {
  const isChosen = ([name]: [string, unknown]) => only === undefined || name === only;
  const benchmarks = Object.entries(onStack).filter(isChosen);
  if (benchmarks.length > 0) await benchStack(benchmarks, count);
  const others = { ...onTheirOwn, ...(only !== undefined && onlyByName) };
  for (const [name, benchmark] of Object.entries(others).filter(isChosen))
    await finish(name, benchmark(count));
}

/** Resolves to the exit code. */
async function main(): Promise<number> {
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  // Before the benchmarks: the files can change while they run.
  const revision = options.only === undefined && readRevision();
  const failure = await bench(options).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (finished.comparisons.length > 0) printComparisons(finished.comparisons);
  const verdicts = printVerdicts(finished.values);
  if (interruption.aborted) {
    console.error('interrupted');
    return 130;
  }
  if (failure) {
    console.error(failure.error);
    return 1;
  }
  if (revision) console.log(await writeResults(revision, options.count, verdicts, finished.comparisons));
  if (finished.failures === 0) return 0;
  console.error(`requests of the honest client failed: ${finished.failures}`);
  return 1;
}

const options = readOptionsOrExit();
// Connections that fetch keeps open would delay the exit.
process.exit(await main());
