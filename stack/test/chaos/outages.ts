/** Outages as values: what begins them and what ends them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@latchkey/testing/random';
import { until } from '@latchkey/testing/until';
import type { Hex } from 'viem';
import { parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { present } from './checkout.ts';
import type { Cluster, Replica } from './cluster.ts';
import type { DatabaseName } from './postgres.ts';

/** Several starts, each of which can wait for the chain. */
const START_MS = 240_000;

export type Outage = {
  start: (cluster: Cluster, random: Random) => Promise<void> | void;
  stop: (cluster: Cluster) => Promise<void> | void;
  /** Number of repeated events since the start. */
  events?: () => number;
};

export const readOnly = (name: DatabaseName): Outage => ({
  start: ({ postgres }) => postgres.setReadOnly(name, true),
  stop: ({ postgres }) => postgres.setReadOnly(name, false),
});

export const full = (name: DatabaseName): Outage => ({
  start: ({ postgres }) => postgres.setFull(name, true),
  stop: ({ postgres }) => postgres.setFull(name, false),
});

/** Ends replicas concurrently, and starts them again at the end. */
export const ended = (
  replicasOf: (cluster: Cluster) => Replica[],
  signal: 'SIGTERM' | 'SIGKILL',
): Outage => ({
  start: async (cluster) => void (await Promise.all(replicasOf(cluster).map(({ stop }) => stop(signal)))),
  stop: async (cluster) => void (await Promise.all(replicasOf(cluster).map(({ start }) => start()))),
});

/** Ends each replica in turn and starts it again, every `everyMs`, until the end of the outage. */
export const inTurn = (
  replicasOf: (cluster: Cluster) => Replica[],
  signal: 'SIGTERM' | 'SIGKILL',
  everyMs: number,
): Outage =>
  repeated(everyMs, async (cluster, turn) => {
    const replicas = replicasOf(cluster);
    const replica = replicas[turn % replicas.length];
    await replica?.stop(signal);
    // A start can fail during other outages, and a service manager starts it again.
    await until('a process starts', () => (replica?.start() ?? Promise.resolve()).then(() => true), START_MS);
  });

/** Kills PostgreSQL every `everyMs`, and starts it again immediately. */
export const postgresKills = (everyMs: number): Outage =>
  repeated(everyMs, async ({ postgres }) => {
    await postgres.kill();
    await postgres.restart();
  });

/** Several outages, concurrently. */
export const together = (...outages: Outage[]): Outage => ({
  async start(cluster, random) {
    for (const { start } of outages) await start(cluster, random);
  },
  async stop(cluster) {
    for (const { stop } of outages) await stop(cluster);
  },
  events: () => outages.reduce((sum, { events }) => sum + (events?.() ?? 0), 0),
});

/** The RPC nodes of the relayers lose one of so many replies after they have done what they were asked. */
export const lostReplies = (share: number): Outage => ({
  start({ nodes }, random) {
    for (const node of [nodes.first, nodes.second]) node.loses = () => random(share) === 0;
  },
  stop({ nodes }) {
    for (const node of [nodes.first, nodes.second]) node.loses = () => false;
  },
});

/** Repeats an event until the end of the outage. */
function repeated(
  everyMs: number,
  event: (cluster: Cluster, turn: number, random: Random) => Promise<unknown>,
): Outage {
  let over = new AbortController();
  let repeating = Promise.resolve();
  let events = 0;
  return {
    events: () => events,
    start(cluster, random) {
      over = new AbortController();
      events = 0;
      const { signal } = over;
      repeating = (async () => {
        for (let turn = 0; !signal.aborted; turn++) {
          events++;
          await event(cluster, turn, random);
          await delay(everyMs, undefined, { signal }).catch(() => {});
        }
      })();
      repeating.catch(() => {});
    },
    async stop() {
      over.abort();
      await repeating;
    },
  };
}

/**
 * Replaces each process by one of this tree, then by one of the version that the cluster began with, then by one of this tree again. The
 * order of the parts changes, so that each is older and newer than each other one.
 */
export function upgrades(): Outage {
  let replacing = Promise.resolve();
  return {
    start(cluster) {
      replacing = (async () => {
        for (const version of [present, cluster.version, present]) {
          const { relayers, runners, triggers } = cluster;
          const parts = [...runners, ...relayers, ...triggers];
          for (const replica of version === present ? parts : parts.toReversed()) {
            await replica.stop('SIGTERM');
            await replica.start(version);
          }
        }
      })();
      replacing.catch(() => {});
    },
    stop: () => replacing,
  };
}

/**
 * Blocks come once per second, with a base fee of ten times the present one. With `maxReorg` every seventh comes with a reorg of up to so many blocks,
 * which drops or keeps their transactions: anvil does one at a time.
 */
export function expensiveBlocks({ maxReorg = 0 } = {}): Outage {
  let fee = 0n;
  const mining = repeated(1_000, async (cluster, turn, random) => {
    const { client } = cluster.chain;
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: fee });
    await client.mine({ blocks: 1 });
    if (maxReorg > 0 && turn % 7 === 6) await reorg(cluster, 1 + random(maxReorg), random(2) === 0);
  });
  return {
    async start(cluster, random) {
      const { client } = cluster.chain;
      const { baseFeePerGas } = await client.getBlock();
      fee = 10n * (baseFeePerGas ?? parseGwei('1'));
      await client.setAutomine(false);
      await mining.start(cluster, random);
    },
    async stop(cluster) {
      await mining.stop(cluster);
      await cluster.chain.client.setAutomine(true);
      await cluster.chain.client.mine({ blocks: 1 });
    },
  };
}

/** Replaces the last blocks every `everyMs`: with their transactions in one block, or by empty ones. */
export const reorgs = (depth: number, keepsTransactions: boolean, everyMs: number): Outage =>
  repeated(everyMs, (cluster) => reorg(cluster, depth, keepsTransactions));

async function reorg(
  { chain: { client } }: Cluster,
  depth: number,
  keepsTransactions: boolean,
): Promise<void> {
  const head = await client.getBlockNumber();
  const raws: Hex[] = [];
  for (let number = head - BigInt(depth) + 1n; keepsTransactions && number <= head; number++) {
    const { transactions } = await client.getBlock({ blockNumber: number });
    for (const hash of transactions) {
      const raw = await client.request({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      } as never);
      raws.push(raw as Hex);
    }
  }
  await client.request({ method: 'anvil_reorg', params: [depth, raws.map((raw) => [raw, 0])] } as never);
}

/** Another program sends from the key of a payer. */
export const foreignTransactions = (everyMs: number): Outage =>
  repeated(everyMs, async ({ chain: { client }, payerKeys }, turn) => {
    const account = privateKeyToAccount(payerKeys[turn % payerKeys.length] as Hex);
    // A relayer can take the nonce first.
    const send = () => client.sendTransaction({ account, chain: null, to: account.address });
    await until('a transaction of another program is accepted', send);
  });
