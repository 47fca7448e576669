/** Outages as values: what begins them and what ends them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '@latchkey/testing/chain';
import { pick, type Random } from '@latchkey/testing/random';
import { until } from '@latchkey/testing/until';
import type { Hex } from 'viem';
import { parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { present } from './checkout.ts';
import type { Cluster } from './cluster.ts';
import type { DatabaseName } from './postgres.ts';
import type { Replica } from './replica.ts';
import type { Tenant } from './traffic.ts';

/** Several starts, each of which can wait for the chain. */
const START_MS = 240_000;

/** The circumstances of an outage. */
type Occasion = {
  random: Random;
  tenant: Tenant;
  /** Counts an event, for the report. */
  note: (event: string) => void;
};

export type Outage = {
  start: (cluster: Cluster, occasion: Occasion) => Promise<void> | void;
  stop: (cluster: Cluster) => Promise<void> | void;
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
  repeated(everyMs, async (cluster, turn, { note }) => {
    const replicas = replicasOf(cluster);
    const replica = replicas[turn % replicas.length];
    await replica?.stop(signal);
    note(signal);
    // A start can fail during other outages, and a service manager starts it again.
    await until('a process starts', () => (replica?.start() ?? Promise.resolve()).then(() => true), START_MS);
  });

/** Kills PostgreSQL every `everyMs`, and starts it again immediately. */
export const postgresKills = (everyMs: number): Outage =>
  repeated(everyMs, async ({ postgres }, _turn, { note }) => {
    await postgres.kill();
    note('SIGKILL of PostgreSQL');
    await postgres.restart();
  });

/** Several outages, concurrently. */
export const together = (...outages: Outage[]): Outage => ({
  async start(cluster, occasion) {
    for (const { start } of outages) await start(cluster, occasion);
  },
  /** Ends all of them, also when one fails. */
  async stop(cluster) {
    const failures: unknown[] = [];
    for (const { stop } of outages)
      await (async () => stop(cluster))().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  },
});

/** The RPC nodes of the relayers lose one of so many replies after they have done what they were asked. */
export const lostReplies = (share: number): Outage => ({
  start({ nodes }, { random }) {
    for (const node of [nodes.first, nodes.second, nodes.other]) node.loses = () => random(share) === 0;
  },
  stop({ nodes }) {
    for (const node of [nodes.first, nodes.second, nodes.other]) node.loses = () => false;
  },
});

/** Repeats an event until the end of the outage, once per period, or more slowly when it takes longer. */
function repeated(
  periodMs: number,
  event: (cluster: Cluster, turn: number, occasion: Occasion) => Promise<unknown>,
): Outage {
  let over = new AbortController();
  let repeating = Promise.resolve();
  return {
    start(cluster, occasion) {
      over = new AbortController();
      const { signal } = over;
      const startedAt = performance.now();
      repeating = (async () => {
        for (let turn = 0; !signal.aborted; turn++) {
          await event(cluster, turn, occasion);
          const nextMs = startedAt + (turn + 1) * periodMs - performance.now();
          await delay(Math.max(0, nextMs), undefined, { signal }).catch(() => {});
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

/** A chain that goes on: foreign transactions that took the nonce of a write are then final (`packages/outbox`). */
const FINAL_BLOCKS = 64;
const BLOCK_MS = 1_000;
/** Blocks that a chain gains from one reorg to the next. */
const REORG_BLOCKS = 7;

/**
 * Blocks come once per second, with a base fee of `times` the present one, which changes in turn with the present one every `waveBlocks`. With
 * `maxReorg` some come with a reorg of up to so many blocks, which drops or keeps their transactions: anvil does one at a time. A deeper one is
 * followed by more blocks without, because a chain that loses more blocks than it gains mines nothing for good. Each depth comes once in both forms
 * before one is repeated.
 */
export function expensiveBlocks({
  maxReorg = 0,
  times = 10n,
  waveBlocks = Number.POSITIVE_INFINITY,
  chain: name = 'chain' as 'chain' | 'otherChain',
} = {}): Outage {
  let usual = 0n;
  let undone: { depth: number; keepsTransactions: boolean }[] = [];
  let reorgTurn = 0;
  const nextReorg = (random: Random): (typeof undone)[0] => {
    if (undone.length === 0)
      undone = Array.from({ length: 2 * maxReorg }, (_, index) => ({
        depth: 1 + (index % maxReorg),
        keepsTransactions: index >= maxReorg,
      }));
    const chosen = pick(random, undone);
    undone = undone.filter((reorg) => reorg !== chosen);
    return chosen;
  };
  const mining = repeated(BLOCK_MS, async (cluster, turn, { random, note }) => {
    const { client } = cluster[name];
    const isHigh = Math.floor(turn / waveBlocks) % 2 === 0;
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: isHigh ? times * usual : usual });
    await client.mine({ blocks: 1 });
    if (maxReorg === 0 || turn < reorgTurn) return;
    const { depth, keepsTransactions } = nextReorg(random);
    reorgTurn = turn + depth + REORG_BLOCKS;
    await reorg(cluster[name], depth, keepsTransactions);
    note(`reorg of ${depth}, transactions ${keepsTransactions ? 'kept' : 'dropped'}`);
  });
  return {
    async start(cluster, occasion) {
      const { client } = cluster[name];
      const { baseFeePerGas } = await client.getBlock();
      usual = baseFeePerGas ?? parseGwei('1');
      reorgTurn = REORG_BLOCKS - 1;
      await client.setAutomine(false);
      await mining.start(cluster, occasion);
    },
    async stop(cluster) {
      await mining.stop(cluster);
      await cluster[name].client.setAutomine(true);
      await cluster[name].client.mine({ blocks: maxReorg > 0 ? FINAL_BLOCKS : 1 });
    },
  };
}

/** Replaces the last blocks every `everyMs`: with their transactions in one block, or by empty ones. */
export const reorgs = (depth: number, keepsTransactions: boolean, everyMs: number): Outage =>
  repeated(everyMs, ({ chain }) => reorg(chain, depth, keepsTransactions));

async function reorg({ client }: Chain, depth: number, keepsTransactions: boolean): Promise<void> {
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

type Sender = { chain: Chain; key: Hex };
const payersOf = ({ chain, payerKeys }: Cluster): Sender[] => payerKeys.map((key) => ({ chain, key }));
/** The wallets of the tenant on each chain. */
export const walletsOf = ({ chain, otherChain }: Cluster, { tenant }: Occasion): Sender[] =>
  tenant.walletKeys.flatMap((key) => [chain, otherChain].map((chain) => ({ chain, key })));

/** Mined whatever the base fee becomes: otherwise later transactions would wait for it. */
const FOREIGN_FEE = parseGwei('1000');

/** Another program sends from the key of a payer, or of another sender. */
export const foreignTransactions = (everyMs: number, sendersOf = payersOf as typeof walletsOf): Outage =>
  repeated(everyMs, async (cluster, turn, occasion) => {
    const { note } = occasion;
    const senders = sendersOf(cluster, occasion);
    const { chain, key } = senders[turn % senders.length] as Sender;
    const account = privateKeyToAccount(key);
    const call = { account, chain: null, to: account.address, maxFeePerGas: FOREIGN_FEE };
    // A relayer can take the nonce first.
    const send = () => chain.client.sendTransaction(call);
    await until('a transaction of another program is accepted', send);
    note('foreign transaction');
  });
