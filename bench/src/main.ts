/** `npm run bench`: measures the service and its baselines on a new stack, and prints a table with goals. See HELP. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Stack, startStack, temporaryDataDir } from '@latchkey/stack';
import { SERVER_VARIABLE, startTestServer } from '@latchkey/testing/postgres';
import { benchBombs } from './bombs.ts';
import { benchIdle } from './idle.ts';
import { benchKeys } from './keys.ts';
import { benchLedger } from './ledger.ts';
import { benchLists } from './lists.ts';
import { benchMessages } from './messages.ts';
import { benchNeighbours } from './neighbours.ts';
import { printComparisons, printVerdicts, writeResults } from './report.ts';
import type { Measured } from './rows.ts';
import { benchRuns } from './runs.ts';
import { benchTriggers } from './triggers.ts';
import { benchVisible } from './visible.ts';
import { benchWrites } from './writes.ts';

const HELP = `Measures the service and its baselines on a new stack, prints a table with goal and verdict per row, and writes
bench/results/<date>-<commit>.json. docs/performance.md explains the rows.

  npm run bench -- [--count <n>] [--only <name>] [--cgroup]

  --count <n>    scale of all measurements, default 50: for example 2n writes with each number of clients
  --only <name>  one benchmark, without a file of results:
                 idle, runs, keys, lists, writes, visible, messages, triggers; ledger, neighbours and bombs only run by name
  --cgroup       limits the stack of the neighbours, not its clients, to two cores`;

const FAILURE_REPORT_MS = 5_000;

const { values: args } = parseArgs({
  options: {
    count: { type: 'string', default: '50' },
    only: { type: 'string' },
    cgroup: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

type Benchmark<Needs extends unknown[] = []> = (...needs: [...Needs, count: number]) => Promise<Measured>;

/** Benchmarks of a stack, in the order in which they run. */
const onStack: Record<string, Benchmark<[Stack]>> = {
  idle: benchIdle,
  runs: benchRuns,
  keys: benchKeys,
  lists: (stack, count) => benchLists(stack, 20 * count),
  writes: benchWrites,
  visible: benchVisible,
  messages: benchMessages,
};

/** Benchmarks that start what they need. */
const onTheirOwn: Record<string, Benchmark> = {
  triggers: (count) => withDurableServer(() => benchTriggers(count)),
};

/** The same, not part of the results. */
const onlyByName: Record<string, Benchmark> = {
  ledger: (count) => withDurableServer(() => benchLedger(10 * count)),
  neighbours: async (count) => ({ values: {}, comparisons: await benchNeighbours(count, args.cgroup) }),
  bombs: benchBombs,
};

/** Runs benchmarks that start their own databases on a server that is as durable as that of a deployment. */
async function withDurableServer<T>(work: () => Promise<T>): Promise<T> {
  await using server = await startTestServer({ isDurable: true });
  process.env[SERVER_VARIABLE] = server.url;
  return await work();
}

function merge(all: readonly Measured[]): Required<Measured> {
  return {
    values: Object.assign({}, ...all.map(({ values }) => values)),
    comparisons: all.flatMap(({ comparisons = [] }) => comparisons),
  };
}

/** Starts a stack in an empty directory, then again on its data, and measures the second. */
async function benchStack(
  benchmarks: readonly [string, Benchmark<[Stack]>][],
  count: number,
): Promise<Measured> {
  const dataDir = await temporaryDataDir();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const start = async () => {
    const startedAt = performance.now();
    const env = { STARTER_CREDIT_CENTS: '1000000' };
    const stack = await startStack({ dataDir, signal: stopping.signal, env, isTemporary: true });
    return { stack, seconds: (performance.now() - startedAt) / 1_000 };
  };
  try {
    console.log('starting a stack twice');
    const first = await start();
    await first.stack.close();
    const second = await start();
    await using stack = second.stack;
    const measured = (async () => {
      const all: Measured[] = [];
      for (const [name, benchmark] of benchmarks) {
        console.log(`measuring ${name}`);
        all.push(await benchmark(stack, count));
      }
      return merge(all);
    })();
    const stopped = new Promise<never>((_, reject) => {
      stopping.signal.addEventListener('abort', () => reject(new Error('interrupted')));
    });
    const failed = stack.failed.then((error) => {
      throw error;
    });
    const { values, comparisons } = await Promise.race([measured, stopped, failed]).catch(async (error) => {
      // A request to a part that ended fails before the stack reports which part it was.
      await Promise.race([failed, delay(FAILURE_REPORT_MS)]);
      throw error;
    });
    return {
      values: { firstStart: [first.seconds], secondStart: [second.seconds], ...values },
      comparisons,
    };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function bench(count: number, only: string | undefined): Promise<Required<Measured>> {
  const isChosen = ([name]: [string, unknown]) => only === undefined || name === only;
  const all: Measured[] = [];
  const benchmarks = Object.entries(onStack).filter(isChosen);
  if (benchmarks.length > 0) all.push(await benchStack(benchmarks, count));
  const others = { ...onTheirOwn, ...(only !== undefined && onlyByName) };
  for (const [name, benchmark] of Object.entries(others).filter(isChosen)) {
    console.log(`measuring ${name}`);
    all.push(await benchmark(count));
  }
  return merge(all);
}

const { only } = args;
const count = Number(args.count);
const names = Object.keys({ ...onStack, ...onTheirOwn, ...onlyByName });
if (args.help) {
  console.log(HELP);
} else if (!Number.isInteger(count) || count < 1 || (only !== undefined && !names.includes(only))) {
  console.error(HELP);
  process.exitCode = 1;
} else {
  const measured = await bench(count, only);
  if (measured.comparisons.length > 0) printComparisons(measured.comparisons);
  const verdicts = printVerdicts(measured.values);
  if (only === undefined) console.log(await writeResults(count, verdicts, measured.comparisons));
  // Connections that fetch keeps open would delay the exit.
  process.exit();
}
