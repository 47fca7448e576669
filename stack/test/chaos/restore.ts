/** `node stack/test/chaos/restore.ts`: restores an older backup of every database. See HELP. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseCommand, parseCount } from '@latchkey/service/parse-command';
import { getFrom, settledLedger } from '@latchkey/testing/ledger';
import { randomFrom } from '@latchkey/testing/random';
import { checkPayers, countOf, drained, namesOnChain, untilReady } from './checks.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { createUnits, openTenant, startTraffic, type Tenant, type Unit } from './traffic.ts';

const HELP = `Backs up the databases of a cluster under traffic, goes on, restores the backup, and lets every sender repeat its requests. Exits with 1
when something else is repeated or lost than docs/relayer.md, "After a restore", says.

  --count N  units of traffic before, around and after the backup: of five, three webhooks, a run and a write (default 100)`;

const { values } = parseCommand(HELP, { count: { type: 'string', default: '100' } });
const count = parseCount(HELP, 'count', values.count);

const options = { runMs: 100, write: 'add_group', hasChainTrigger: false } as const;
const AROUND_MS = 12_000;
const ACCEPT_MS = 90_000;
const SETTLE_MS = 60_000;
const random = randomFrom(1);

async function send(cluster: Cluster, tenant: Tenant, units: Unit[], overMs = 4_000): Promise<void> {
  await startTraffic(cluster, tenant, { ...options, units, overMs, deadlineMs: ACCEPT_MS }, random).sent;
}

/** How often each unit took effect. */
async function countEffects(cluster: Cluster, tenant: Tenant): Promise<(unit: Unit) => number> {
  const onChain = countOf(await namesOnChain(cluster, tenant, options.write));
  const ofRuns = new Map(cluster.effects.counts);
  return ({ id, kind }) => (kind === 'write' ? onChain : ofRuns).get(id) ?? 0;
}

/** Sends units around a backup. Returns those that were finished before it, and all others. */
async function backUpUnderTraffic(cluster: Cluster, tenant: Tenant, earlier: number) {
  const units = createUnits(count);
  const sent = send(cluster, tenant, units, AROUND_MS);
  await delay(AROUND_MS / 2);
  const successes = new Set(
    (await drained(cluster, tenant, 0)).flatMap(({ unit, status }) => (status === 'success' ? [unit] : [])),
  );
  const finished = units.filter(
    ({ id, kind, isAccepted }) => isAccepted && (kind !== 'webhook' || successes.has(id)),
  );
  await cluster.postgres.backUp();
  await sent;
  await drained(cluster, tenant, earlier + webhooksOf(units));
  return { finished, others: units.filter((unit) => !finished.includes(unit)) };
}

const webhooksOf = (units: Unit[]): number => units.filter(({ kind }) => kind === 'webhook').length;

async function restore({ postgres, relayers, triggers, indexer }: Cluster): Promise<void> {
  await Promise.all([...relayers, ...triggers].map(({ stop }) => stop('SIGTERM')));
  await postgres.stop();
  await postgres.restore();
  await indexer.ensure();
  await Promise.all([...relayers, ...triggers].map(({ start }) => start()));
}

const again = (units: Unit[]): Unit[] =>
  units.map(({ id, number, kind }) => ({ id, number, kind, isAccepted: false }));

async function drill(cluster: Cluster): Promise<string[]> {
  const tenant = await openTenant(cluster, options);
  const before = createUnits(count);
  await send(cluster, tenant, before);
  await drained(cluster, tenant, webhooksOf(before));
  const { finished, others } = await backUpUnderTraffic(cluster, tenant, webhooksOf(before));
  const get = getFrom(cluster.relayerUrl, tenant.key);
  const entries = (await settledLedger(get, SETTLE_MS)).length;
  const first = await countEffects(cluster, tenant);

  await restore(cluster);
  await untilReady(cluster);
  const kept = (await settledLedger(get, SETTLE_MS)).length;
  const after = createUnits(count);
  const all = [before, finished, others].flat();
  const repeated = again(all);
  await send(cluster, tenant, [...repeated, ...after], 2 * AROUND_MS);
  await drained(cluster, tenant, webhooksOf([...all, ...after]));

  const effects = await countEffects(cluster, tenant);
  const broken: string[] = [];
  const expectOf = (what: string, units: Unit[], isRight: (unit: Unit) => boolean) => {
    const wrong = units.filter((unit) => !isRight(unit));
    if (wrong.length > 0) broken.push(`${wrong.length} ${what}, for example ${wrong[0]?.id}`);
  };
  expectOf('requests were not accepted', [...repeated, ...after], ({ isAccepted }) => isAccepted);
  expectOf(
    'units of before the backup did not take effect once',
    [...before, ...finished],
    (unit) => effects(unit) === 1,
  );
  expectOf('units of after the restore did not take effect once', after, (unit) => effects(unit) === 1);
  expectOf('units have no effect', others, (unit) => effects(unit) > 0);
  expectOf('units took effect more than twice', others, (unit) => effects(unit) <= 2);
  const groups = (await get('list_groups?page_size=1000')) as unknown[];
  const onChain = await namesOnChain(cluster, tenant, options.write);
  if (groups.length !== onChain.length)
    broken.push(`${groups.length} groups in the list, ${onChain.length} on the chain`);
  for (const check of [checkPayers(cluster), settledLedger(get, SETTLE_MS)])
    await check.catch((error: Error) => broken.push(error.message));

  const twice = others.filter((unit) => first(unit) > 0 && effects(unit) > first(unit));
  console.table({
    'units before the backup, each once': before.length + finished.length,
    'units after the restore, each once': after.length,
    'units between, lost by the restore': others.length,
    'of them executed again when their senders repeated them': twice.length,
    'entries of the ledger lost': entries - kept,
  });
  return broken;
}

async function main(): Promise<string[]> {
  await using cluster = await startCluster();
  return await drill(cluster);
}

const broken = await main();
for (const promise of broken) console.error(promise);
process.exit(broken.length === 0 ? 0 : 1);
