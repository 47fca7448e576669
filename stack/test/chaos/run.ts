/** One row: traffic before, during and after an outage, and what became of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '@latchkey/testing/random';
import { drained, judge, untilReady } from './checks.ts';
import type { Cluster } from './cluster.ts';
import type { Row } from './rows.ts';
import { createUnits, openTenant, startTraffic } from './traffic.ts';

/** Traffic before and after the outage. */
const CALM_MS = 2_000;
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

/** Runs a row on the cluster. */
export async function runRow(
  cluster: Cluster,
  row: Row,
  { count, seconds, seed }: Options,
  say: (text: string) => void,
): Promise<Result> {
  const { name, outage, mayExecuteTwice, runMs = 100, write = 'add_group', hasChainTrigger = false } = row;
  const random = randomFrom(seed);
  const options = { runMs, write, hasChainTrigger };
  await cluster.indexer.ensure();
  const tenant = await openTenant(cluster, options);
  await cluster.chain.client.mine({ blocks: BURY_BLOCKS });
  const overMs = seconds * 1_000 + 2 * CALM_MS;
  const units = createUnits(count, row.hasOnlyWrites ? ['write'] : undefined);
  const traffic = startTraffic(cluster, tenant, { ...options, units, overMs, deadlineMs: ACCEPT_MS }, random);
  await delay(CALM_MS);
  say(`${name}: outage of ${seconds} s begins`);
  const events: Events = new Map();
  const note = (event: string): void => void events.set(event, (events.get(event) ?? 0) + 1);
  await outage.start(cluster, { random, count, seconds, note });
  await delay(seconds * 1_000);
  const endedAt = performance.now();
  await outage.stop(cluster);
  const isReady = await untilReady(cluster).then(
    () => true,
    () => false,
  );
  const readySec = Math.round((performance.now() - endedAt) / 100) / 10;
  say(`${name}: ready after ${readySec} s`);
  await traffic.sent;
  const { replies } = traffic;
  const webhooks = units.filter(({ kind, isAccepted }) => kind === 'webhook' && isAccepted).length;
  const writes = units.filter(({ kind, isAccepted }) => kind === 'write' && isAccepted).length;
  const stored = await drained(cluster, tenant, webhooks + (hasChainTrigger ? writes : 0));
  const { broken, ...found } = await judge(cluster, tenant, { units, stored, write });
  if (!isReady || readySec > MAX_READY_SEC) broken.push(`not every part is ready after ${readySec} s`);
  if (found.twice > 0 && mayExecuteTwice === undefined) broken.push(`${found.twice} units executed twice`);
  if ((replies.get(500) ?? 0) > 0)
    broken.push(`${replies.get(500)} replies of 500: senders take it for a bug`);
  return { ...found, replies, readySec, events, broken };
}
