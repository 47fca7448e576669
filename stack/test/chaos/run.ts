/** One row: traffic before, during and after an outage, and what became of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '@latchkey/service/repeat';
import { randomFrom } from '@latchkey/testing/random';
import { until } from '@latchkey/testing/until';
import { countRuns, drained, type Findings, HEAL_MS, judge, untilDrained, untilReady } from './checks.ts';
import type { Cluster } from './cluster.ts';
import type { Row } from './rows.ts';
import { type GapWatch, judgeSends, untilSettled, watchGaps } from './send-checks.ts';
import {
  createUnits,
  type Kind,
  openTenant,
  startTraffic,
  type Tenant,
  type Traffic,
  type TrafficOptions,
  type Unit,
} from './traffic.ts';

/** Traffic before and after the outage. */
const CALM_MS = 2_000;
/** Between reports of a drain. */
const REPORT_MS = 60_000;
/** Of a drain: the longest time per unit until all are accepted. */
const ACCEPTED_EVERY_MS = 2_000;
/** Time after the traffic in which every unit must be accepted. */
const ACCEPT_MS = 90_000;
/** Includes the start of the processes that an outage has ended, on a machine that is busy. */
const MAX_READY_SEC = 120;
/** Blocks that bury the account of the row, so that a reorg drops its traffic only. */
const BURY_BLOCKS = 40;

export type Options = { count: number; seconds: number; seed: number };

/** Events of the outage by their name. */
export type Events = Map<string, number>;

export type Result = {
  accepted: number;
  succeeded: number;
  twice: number;
  lost: number;
  /** Number of replies by status, 0 without a reply. */
  replies: Map<number, number>;
  /** From the beginning of the end of the outage. */
  readySec: number;
  events: Events;
  /** Broken promises, in words. */
  broken: string[];
};

/** Replies of 500 and more by status, and broken connections. */
export const describeFailures = (replies: Result['replies']): string =>
  [...replies]
    .filter(([status]) => status === 0 || status >= 500)
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`)
    .join(', ');

const acceptedOf = (units: Unit[], kind: Kind): number =>
  units.filter((unit) => unit.kind === kind && unit.isAccepted).length;

/** Waits until all runs have ended, under the outage. */
async function drain(
  cluster: Cluster,
  tenant: Tenant,
  {
    traffic,
    units,
    events,
    say,
  }: { traffic: Traffic; units: Unit[]; events: Events; say: (text: string) => void },
): Promise<void> {
  const startedAt = performance.now();
  const told = () => [...events.values()].reduce((sum, count) => sum + count, 0);
  const tell = async () => {
    const { ended } = await countRuns(cluster, tenant);
    const accepted = units.filter(({ isAccepted }) => isAccepted).length;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`${accepted} accepted, ${ended} ended after ${seconds} s and ${told()} events`);
  };
  await using _progress = repeat({ intervalMs: REPORT_MS, task: tell, onError: () => {} });
  await traffic.sent;
  await untilDrained(cluster, tenant, acceptedOf(units, 'webhook'));
  await tell();
}

/** Compares the units with what has happened, when all of it has ended. */
async function judgeUnits(
  cluster: Cluster,
  tenant: Tenant,
  { units, options, gaps }: { units: Unit[]; options: TrafficOptions; gaps: GapWatch | undefined },
) {
  const runs = acceptedOf(units, 'webhook') + (options.hasChainTrigger ? acceptedOf(units, 'write') : 0);
  const stored = await drained(cluster, tenant, runs);
  if (!gaps) return judge(cluster, tenant, { units, stored, write: options.write });
  const sendFromAll = () => {
    const more = createUnits(tenant.wallets.length * 2, ['send']);
    const times = { overMs: 0, deadlineMs: ACCEPT_MS };
    return startTraffic(cluster, tenant, { ...options, units: more, ...times }, randomFrom(0)).sent;
  };
  let found: Findings | undefined;
  // The last reorg can have dropped mined transactions: relayers look for them every ten seconds.
  const look = async () => {
    await untilSettled(cluster, tenant, sendFromAll);
    found = await judgeSends(cluster, tenant, { units, stored, gaps });
    return found.broken.length === 0;
  };
  await until('the records agree with the chains', look, HEAL_MS).catch(() => {});
  return found ?? judgeSends(cluster, tenant, { units, stored, gaps });
}

/** Runs a row on the cluster. */
export async function runRow(
  cluster: Cluster,
  row: Row,
  { count, seconds, seed }: Options,
  say: (text: string) => void,
): Promise<Result> {
  const { name, outage, mayExecuteTwice, runMs = 100, write = 'add_group', hasChainTrigger = false } = row;
  const random = randomFrom(seed);
  const options = { runMs, write, hasChainTrigger, sendingTriggers: row.sendingTriggers };
  await cluster.indexer.ensure();
  const tenant = await openTenant(cluster, options);
  await using gaps = row.sendingTriggers === undefined ? undefined : watchGaps(cluster, tenant);
  for (const { client } of [cluster.chain, cluster.otherChain]) await client.mine({ blocks: BURY_BLOCKS });
  const { senders } = row;
  const isDrain = senders !== undefined;
  const overMs = isDrain ? count * ACCEPTED_EVERY_MS : seconds * 1_000 + 2 * CALM_MS;
  const units = createUnits(count, row.kinds);
  const times = { overMs, deadlineMs: ACCEPT_MS, senders };
  const traffic = startTraffic(cluster, tenant, { ...options, units, ...times }, random);
  await delay(CALM_MS);
  say(isDrain ? `${name}: kills begin` : `${name}: outage of ${seconds} s begins`);
  const events: Events = new Map();
  const note = (event: string, count = 1): void => void events.set(event, (events.get(event) ?? 0) + count);
  await outage.start(cluster, { random, tenant, note });
  if (isDrain)
    await drain(cluster, tenant, { traffic, units, events, say: (text) => say(`${name}: ${text}`) });
  else await delay(seconds * 1_000);
  const endedAt = performance.now();
  const failure = await Promise.resolve(outage.stop(cluster)).then(
    () => undefined,
    (error: unknown) => `the outage failed: ${error}`,
  );
  const fault = await untilReady(cluster).then(
    () => 'ready too late',
    (error: Error) => error.message,
  );
  const readySec = Math.round((performance.now() - endedAt) / 100) / 10;
  say(`${name}: ready after ${readySec} s`);
  await traffic.sent;
  const { replies } = traffic;
  const { broken, ...found } = await judgeUnits(cluster, tenant, { units, options, gaps });
  if (gaps) note(`gap in nonces, ${Math.round(gaps.longest / 1_000)} s at most`, gaps.count);
  if (failure !== undefined) broken.push(failure);
  if (readySec > MAX_READY_SEC) broken.push(`after ${readySec} s: ${fault}`);
  if (found.twice > 0 && mayExecuteTwice === undefined) broken.push(`${found.twice} units executed twice`);
  if ((replies.get(500) ?? 0) > 0)
    broken.push(`${replies.get(500)} replies of 500: senders take it for a bug`);
  return { ...found, replies, readySec, events, broken };
}
