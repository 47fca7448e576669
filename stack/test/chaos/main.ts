/** `npm run chaos`. See HELP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitWithMistake, parseCommand, parseCount } from '@latchkey/service/parse-command';
import { root } from '@latchkey/testing/processes';
import { openCheckout, type Version } from './checkout.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { MAX_SHARE_PER_HOUR } from './growth.ts';
import { type Row, rows } from './rows.ts';
import { describeFailures, type Events, type Result as RowResult, runRow } from './run.ts';
import { describeNoise } from './sampler.ts';
import { LOAD, reportSoak, runSoak } from './soak.ts';

const names = rows.map(({ name }) => name);
const HELP = `npm run chaos -- [options]

Drives a small cluster (three relayers and two trigger processes behind balancers, two runners, three key nodes, one PostgreSQL, two
chains) through outages under traffic, and prints one row per outage. Exits with 1 when a promise is broken: an accepted unit of traffic is
lost, executed twice where it may not be, answered with 500, or not paid exactly once; a payer or a wallet keeps a gap in its nonces; or a part is
not ready again within two minutes.

  --count N     units of traffic per row: of five, three webhooks, a run and a write (default 200)
  --seconds N   duration of each outage (default 20)
  --rounds N    how often each row runs, each time with the next seed (default 1)
  --seed N      of what is random (default 1)
  --from REF    a commit, unpacked and started in a cluster that the row upgraded-and-rolled-back updates to this tree, rolls back and
                updates again, one process after another. That row is left out without it
  --soak N      instead of outages, all traffic together for N minutes: webhooks, runs, writes, lists, schedules and chain events, at
                ${100 * LOAD} % of the rate that the cluster sustains in a ramp before. Prints start, middle and end of memory, handles, sockets, files,
                tables, lags and latencies, and exits with 1 when one grows: when a line through the second half, at a confidence of 95 %,
                rises by more than ${100 * MAX_SHARE_PER_HOUR} % per hour, and over the second half by more than noise, which is
                ${describeNoise()}. A shorter soak notices less
  --rate N      units per second of --soak, without the ramp
  --pods        relayers, trigger services and runners are pods of podman, from the images of npm run images and the manifests of
                deploy/kubernetes. Needs root
  --only ROW    one row, or several separated by commas: ${names.join(', ')}

The rows drain-kills, writes-in-everything and sends-in-everything end with their last unit, without --seconds. 10,000 writes of four payers, and
10,000 transactions of three wallets on two chains:

  npm run chaos -- --only writes-in-everything --count 10000
  npm run chaos -- --only sends-in-everything --count 2000 --rounds 5`;

const { values } = parseCommand(HELP, {
  count: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '20' },
  rounds: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  from: { type: 'string' },
  soak: { type: 'string' },
  rate: { type: 'string' },
  only: { type: 'string' },
  pods: { type: 'boolean', default: false },
});

const options = {
  count: parseCount(HELP, 'count', values.count),
  seconds: parseCount(HELP, 'seconds', values.seconds),
  seed: parseCount(HELP, 'seed', values.seed, 0),
};
const rounds = parseCount(HELP, 'rounds', values.rounds);

function chosenRows(): Row[] {
  const possible = rows.filter(({ isFromOther }) => values.from !== undefined || !isFromOther);
  if (values.only === undefined) return possible;
  return values.only.split(',').map((name) => {
    const row = possible.find((row) => row.name === name);
    return row ?? exitWithMistake(HELP, `--only takes names of rows, not "${name}"`);
  });
}

type Result = RowResult & { row: string; round: number };

const nameOf = ({ row, round }: Pick<Result, 'row' | 'round'>): string =>
  rounds === 1 ? row : `${row}-${round}`;

const describeEvents = (events: Events): string =>
  [...events]
    .sort(([left], [right]) => left.localeCompare(right, 'en', { numeric: true }))
    .map(([event, count]) => `${count} ${event}`)
    .join(', ');

/** Prints the events of all rounds of a row, and their sums. */
function printTotals(name: string, results: readonly Result[]): void {
  const events: Events = new Map();
  for (const result of results)
    for (const [event, count] of result.events) events.set(event, (events.get(event) ?? 0) + count);
  if (events.size > 0) console.log(`${name}: ${describeEvents(events)}`);
  if (results.length === 1) return;
  const sum = (column: 'accepted' | 'succeeded' | 'twice' | 'lost') =>
    results.reduce((total, result) => total + result[column], 0);
  console.log(
    `${name}: ${sum('accepted')} accepted, ${sum('succeeded')} succeeded, ${sum('twice')} twice, ${sum('lost')} lost in ${results.length} rounds`,
  );
}

function printTable(results: readonly Result[]): void {
  console.table(
    Object.fromEntries(
      results.map((result) => [
        nameOf(result),
        {
          accepted: result.accepted,
          succeeded: result.succeeded,
          twice: result.twice,
          lost: result.lost,
          failures: describeFailures(result.replies),
          'ready s': result.readySec,
          promises: result.broken.length === 0 ? 'kept' : 'BROKEN',
        },
      ]),
    ),
  );
  for (const { row: name, twice } of results) {
    const why = rows.find((row) => row.name === name)?.mayExecuteTwice;
    if (twice > 0 && why !== undefined) console.log(`${name}: ${twice} executed twice, because ${why}`);
  }
  for (const [name, all] of Map.groupBy(results, ({ row }) => row)) printTotals(name, all);
  for (const result of results)
    for (const promise of result.broken) console.log(`${nameOf(result)}: ${promise}`);
}

/** Writes a file below `.data`, and returns its path. */
function keepFile(name: string, content: string): string {
  const directory = join(root, '.data', 'chaos');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** With a thousand blocks, anvil loses the whole state in a reorg of depth 32. A row adds a block per second, or per write. */
const MAX_BLOCKS = 500;
const isLong = async ({ chain }: Cluster): Promise<boolean> =>
  Number(await chain.client.getBlockNumber()) + options.seconds > MAX_BLOCKS;

const inRounds = (row: Row) => Array.from({ length: rounds }, (_, index) => ({ row, round: index + 1 }));

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
  const open = async (version?: Version | 'pods'): Promise<Cluster> => {
    await old?.[Symbol.asyncDispose]();
    old = clusters.use(await startCluster(version));
    return old;
  };
  let cluster: Cluster | undefined;
  for (const { row, round } of chosen.flatMap(inRounds)) {
    if (row.isFromOther) cluster = await open(other);
    else if (!cluster || (await isLong(cluster))) cluster = await open(values.pods ? 'pods' : undefined);
    const seed = options.seed + round - 1;
    const name = nameOf({ row: row.name, round });
    const { output } = cluster;
    const keepLogs = () => console.log(`logs: ${keepFile(`${name}.log`, output())}`);
    const found = await runRow(cluster, row, { ...options, seed }, console.log).catch((error: unknown) => {
      keepLogs();
      throw error;
    });
    results.push({ ...found, row: row.name, round });
    const { accepted, lost, twice, broken } = found;
    console.log(`${name}: ${accepted} accepted, ${lost} lost, ${twice} twice`);
    for (const promise of broken) console.log(promise);
    if (broken.length > 0) keepLogs();
    // The next row must not find traces of a broken one, nor another version.
    if (broken.length > 0 || row.isFromOther) cluster = undefined;
  }
}

async function soak(minutes: number): Promise<boolean> {
  await using cluster = await startCluster();
  const rate = values.rate === undefined ? undefined : parseCount(HELP, 'rate', values.rate);
  const result = await runSoak(cluster, { seconds: 60 * minutes, seed: options.seed, rate }, console.log);
  const holds = reportSoak(result);
  const samples = keepFile('soak.json', JSON.stringify(Object.fromEntries(result.series)));
  console.log(`samples: ${samples}`);
  if (!holds) console.log(`logs: ${keepFile('soak.log', cluster.output())}`);
  return holds;
}

if (values.soak !== undefined) process.exit((await soak(parseCount(HELP, 'soak', values.soak))) ? 0 : 1);
await main(chosenRows()).finally(() => printTable(results));
// Connections that fetch keeps open would delay the exit.
process.exit(results.every(({ broken }) => broken.length === 0) ? 0 : 1);
