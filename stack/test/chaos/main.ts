/** `npm run chaos`. See HELP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitWithMistake, parseCommand, parseCount } from '@latchkey/service/parse-command';
import { root } from '@latchkey/testing/processes';
import { openCheckout, type Version } from './checkout.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Row, rows } from './rows.ts';
import { type Result, runRow } from './run.ts';

const names = rows.map(({ name }) => name);
const HELP = `npm run chaos -- [options]

Drives a small cluster (three relayers and two trigger processes behind balancers, two runners, three key nodes, one PostgreSQL, one
chain) through outages under traffic, and prints one row per outage. Exits with 1 when a promise is broken: an accepted unit of traffic is
lost, executed twice where it may not be, answered with 500, or not paid exactly once; a payer keeps a gap in its nonces; or a part is
not ready again within two minutes.

  --count N     units of traffic per row: of five, three webhooks, a run and a write (default 200)
  --seconds N   duration of each outage (default 20)
  --seed N      of what is random (default 1)
  --from REF    a commit, unpacked and started in a cluster that the row upgraded-and-rolled-back updates to this tree, rolls back and
                updates again, one process after another. That row is left out without it
  --only ROW    one row, or several separated by commas: ${names.join(', ')}`;

const { values } = parseCommand(HELP, {
  count: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
  from: { type: 'string' },
  only: { type: 'string' },
});

function chosenRows(): Row[] {
  const possible = rows.filter(({ isFromOther }) => values.from !== undefined || !isFromOther);
  if (values.only === undefined) return possible.filter(({ knownLoss }) => knownLoss === undefined);
  return values.only.split(',').map((name) => {
    const row = possible.find((row) => row.name === name);
    return row ?? exitWithMistake(HELP, `--only takes names of rows, not "${name}"`);
  });
}

/** Replies of 500 and more by status, and broken connections. */
const describeFailures = ({ replies }: Result): string =>
  [...replies]
    .filter(([status]) => status === 0 || status >= 500)
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`)
    .join(', ');

function printTable(results: readonly Result[]): void {
  console.table(
    Object.fromEntries(
      results.map((result) => [
        result.name,
        {
          accepted: result.accepted,
          succeeded: result.succeeded,
          twice: result.twice,
          lost: result.lost,
          failures: describeFailures(result),
          'ready s': result.readySec,
          promises: result.broken.length === 0 ? 'kept' : 'BROKEN',
        },
      ]),
    ),
  );
  for (const { name, twice } of results) {
    const why = rows.find((row) => row.name === name)?.mayExecuteTwice;
    if (twice > 0 && why !== undefined) console.log(`${name}: ${twice} executed twice, because ${why}`);
  }
  for (const { name, broken } of results) for (const promise of broken) console.log(`${name}: ${promise}`);
}

/** Writes the logs of all processes to a file, and returns its path. */
function keepLogs(name: string, cluster: Cluster): string {
  const directory = join(root, '.data', 'chaos');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.log`);
  writeFileSync(path, cluster.output());
  return path;
}

const options = {
  count: parseCount(HELP, 'count', values.count),
  seconds: parseCount(HELP, 'seconds', values.seconds),
  seed: parseCount(HELP, 'seed', values.seed, 0),
};

/** With a thousand blocks, anvil loses the whole state in a reorg of depth 32. */
const MAX_BLOCKS = 500n;

const results: Result[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    printTable(results);
    console.error('interrupted');
    // The exit ends the processes of the cluster and removes its files.
    process.exit(130);
  });

async function main(chosen: readonly Row[]): Promise<void> {
  await using clusters = new AsyncDisposableStack();
  const other = values.from === undefined ? undefined : clusters.use(openCheckout(values.from)).version;
  let old: Cluster | undefined;
  const open = async (version?: Version): Promise<Cluster> => {
    await old?.[Symbol.asyncDispose]();
    old = clusters.use(await startCluster(version));
    return old;
  };
  let cluster: Cluster | undefined;
  for (const row of chosen) {
    if (row.isFromOther) cluster = await open(other);
    else if (!cluster || (await cluster.chain.client.getBlockNumber()) > MAX_BLOCKS) cluster = await open();
    const result = await runRow(cluster, row, options, console.log);
    results.push(result);
    const { accepted, lost, twice, broken } = result;
    console.log(`${row.name}: ${accepted} accepted, ${lost} lost, ${twice} twice`);
    if (broken.length > 0) console.log([...broken, `logs: ${keepLogs(row.name, cluster)}`].join('\n'));
    // The next row must not find traces of a broken one, nor another version.
    if (broken.length > 0 || row.isFromOther) cluster = undefined;
  }
}

await main(chosenRows()).finally(() => printTable(results));
// Connections that fetch keeps open would delay the exit.
process.exit(results.every(({ broken }) => broken.length === 0) ? 0 : 1);
