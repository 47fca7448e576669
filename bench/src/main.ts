/** `npm run bench`: the service beside its baselines, on a stack of its own with an empty data directory. */
import { rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startStack, temporaryDataDir } from '@latchkey/stack';
import { newAccount } from './client.ts';
import { benchLedger } from './ledger.ts';
import { benchList } from './list.ts';
import type { Comparison } from './measure.ts';
import { benchSign } from './sign.ts';
import { benchWrite } from './write.ts';

const HELP = `Measures the service beside its baselines, prints a table and writes bench/results.json.

  npm run bench -- [--count <runs of each row, default 50>]

Runs of list and ledger take ten times the count. Figures are of this machine: compare the ratios.`;

const CONCURRENCY = 4;
const RESULTS = join(import.meta.dirname, '../results.json');

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
      return [...signatures, ...writes, ...lists, ...(await benchLedger(10 * count, [1, CONCURRENCY]))];
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
  const number = (value: number) => value.toFixed(value < 10 ? 2 : 1);
  const rows = comparisons.map(({ name, concurrency, count, service, baseline, ratioP50, ratioP99 }) => ({
    what: name,
    'at once': concurrency,
    runs: count,
    'a second': `${number(service.perSecond)} / ${number(baseline.perSecond)}`,
    'service p50/p99 ms': `${number(service.p50Ms)} / ${number(service.p99Ms)}`,
    'baseline p50/p99 ms': `${number(baseline.p50Ms)} / ${number(baseline.p99Ms)}`,
    'ratio p50/p99': `${number(ratioP50)} / ${number(ratioP99)}`,
  }));
  console.table(rows);
}

const { values } = parseArgs({
  options: { count: { type: 'string', default: '50' }, help: { type: 'boolean', default: false } },
});
const count = Number(values.count);
if (values.help) {
  console.log(HELP);
} else if (!Number.isInteger(count) || count < 1) {
  console.error(HELP);
  process.exitCode = 1;
} else {
  const comparisons = await bench(count);
  print(comparisons);
  const machine = `${cpus().length} × ${cpus()[0]?.model}`;
  await writeFile(RESULTS, `${JSON.stringify({ machine, node: process.version, comparisons }, null, 2)}\n`);
  // A connection that fetch keeps open must not hold the process.
  process.exit();
}
