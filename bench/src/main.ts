/** `npm run bench`: measures the service and its baselines on a new stack with an empty data directory. */
import { rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startStack, temporaryDataDir } from '@latchkey/stack';
import { SERVER_VARIABLE, startTestServer } from '@latchkey/testing/postgres';
import { newAccount } from './client.ts';
import { benchLedger } from './ledger.ts';
import { benchList } from './list.ts';
import type { Comparison, Figures } from './measure.ts';
import { benchNeighbours } from './neighbours.ts';
import { benchSign } from './sign.ts';
import { benchTriggers } from './triggers.ts';
import { benchWrite } from './write.ts';

const HELP = `Measures the service and its baselines, prints a table and writes bench/results.json.

  npm run bench -- [--count <runs per row, default 50>] [--only ledger|triggers|neighbours] [--cgroup]

Runs of list, ledger, webhooks and schedules are ten times the count. Times depend on the machine: compare the ratios.
--only measures one benchmark. --cgroup limits the stack of the neighbours, not its clients, to two cores.`;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '50' },
    only: { type: 'string' },
    cgroup: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Runs benchmarks that start their own databases on a server that is as durable as that of a deployment. */
async function withDurableServer<T>(work: () => Promise<T>): Promise<T> {
  await using server = await startTestServer({ isDurable: true });
  process.env[SERVER_VARIABLE] = server.url;
  return await work();
}

const CONCURRENCY = 4;
const RESULTS = join(import.meta.dirname, '../results.json');

/** Benchmarks that need no stack or start their own. */
const alone = {
  ledger: (count: number) => withDurableServer(() => benchLedger(10 * count, [1, CONCURRENCY])),
  triggers: (count: number) => withDurableServer(() => benchTriggers(count)),
  neighbours: (count: number) => benchNeighbours(count, values.cgroup),
};
const isAlone = (name: string): name is keyof typeof alone => Object.hasOwn(alone, name);

async function bench(count: number): Promise<Comparison[]> {
  const dataDir = await temporaryDataDir();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    console.log('starting a stack');
    await using stack = await startStack({
      dataDir,
      signal: stopping.signal,
      env: { STARTER_CREDIT_CENTS: '1000000' },
    });
    const account = await newAccount(stack.baseUrl);
    const measured = (async () => {
      console.log('measuring writes');
      const writes = await benchWrite(stack, account, count, [1, CONCURRENCY]);
      console.log('measuring lists');
      const lists = await benchList(stack, account, 10 * count, [1, CONCURRENCY]);
      console.log('measuring signatures');
      const signatures = await benchSign(stack, count, CONCURRENCY);
      console.log('measuring the ledger');
      const ledgers = await alone.ledger(count);
      console.log('measuring triggers');
      return [...signatures, ...writes, ...lists, ...ledgers, ...(await alone.triggers(count))];
    })();
    const stopped = new Promise<never>((_, reject) => {
      stopping.signal.addEventListener('abort', () => reject(new Error('interrupted')));
    });
    const failed = stack.failed.then((error) => {
      throw error;
    });
    return await Promise.race([measured, stopped, failed]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function print(comparisons: Comparison[]): void {
  const number = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : 1);
  const latencies = ({ p50Ms, p95Ms, p99Ms }: Figures) => [p50Ms, p95Ms, p99Ms].map(number).join(' / ');
  const rows = comparisons.map(({ name, concurrency, count, service, baseline, ...ratio }) => ({
    what: name,
    'in flight': concurrency,
    runs: count,
    'a second': `${number(service.perSecond)} / ${number(baseline.perSecond)}`,
    ratio: number(ratio.ratioPerSecond),
    'service p50/p95/p99 ms': latencies(service),
    'baseline p50/p95/p99 ms': latencies(baseline),
    'ratio p50/p95/p99': [ratio.ratioP50, ratio.ratioP95, ratio.ratioP99].map(number).join(' / '),
  }));
  console.table(rows);
}

const { only } = values;
const count = Number(values.count);
if (values.help) {
  console.log(HELP);
} else if (!Number.isInteger(count) || count < 1 || (only !== undefined && !isAlone(only))) {
  console.error(HELP);
  process.exitCode = 1;
} else {
  const comparisons =
    only === undefined
      ? [...(await bench(count)), ...(await alone.neighbours(count))]
      : await alone[only](count);
  print(comparisons);
  const machine = `${cpus().length} × ${cpus()[0]?.model}`;
  await writeFile(RESULTS, `${JSON.stringify({ machine, node: process.version, comparisons }, null, 2)}\n`);
  // Connections that fetch keeps open would delay the exit.
  process.exit();
}
