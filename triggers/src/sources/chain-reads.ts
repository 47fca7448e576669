/** Reads the blocks of one lane, and settles what was found. */
import type { Hex } from 'viem';
import type { BlockReader } from './chain-blocks.ts';
import { contractsOf } from './chain-config.ts';
import type { Headers } from './chain-headers.ts';
import { type Lane, lastReadable, least, type State } from './chain-lanes.ts';
import type { Block, ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import type { SyncOptions } from './chain-states.ts';
import { type Followed, firedBlocks, logKey, type Settled, settle } from './fired-logs.ts';

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Maximum blocks per `eth_getLogs` of final blocks. A range is halved when the provider rejects it, doubled after a success. */
const MAX_RANGE = 10_000n;
/** Recent blocks read concurrently for a trigger. */
const RECENT_BATCH = 16n;

/** A chain that is followed. */
export type Following = SyncOptions & {
  rpc: Pick<ChainRpc, 'chainId' | 'block' | 'logs'>;
  headers: Headers;
  /** Reads of final blocks so far. */
  turns: number;
  isStopped: boolean;
};

/** Returns the pause in ms after this many consecutive failures. */
export const pauseMs = (failures: number) => Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);

export const hasFinalBlocks = ({ headers }: Following, lane: Lane): boolean =>
  lane.position <= least(lastReadable(lane, headers.head()), headers.final());

export async function readRecentBlocks(
  following: Following,
  lane: Lane,
  readBlock: BlockReader['read'],
): Promise<void> {
  const { headers } = following;
  for (;;) {
    const from = lane.position;
    const to = least(from + RECENT_BATCH - 1n, lastReadable(lane, headers.head()));
    const recent: Block[] = [];
    for (let number = from; number <= to; number++) {
      const block = headers.at(number);
      if (block) recent.push(block);
    }
    if (recent.length === 0 || following.isStopped) return;
    const logs = (await Promise.all(recent.map(readBlock))).flat();
    if (!(await fire(following, lane, { from, to, logs, hashAt: (number) => headers.at(number)?.hash })))
      return;
  }
}

export async function readFinalBlocks(following: Following, lane: Lane): Promise<void> {
  const { db, rpc, headers } = following;
  const { trigger, range, position: from } = lane;
  const to = least(from + range - 1n, lastReadable(lane, headers.head()), headers.final());
  let logs: ChainLog[];
  try {
    const topics: Topics = [trigger.topic0, ...trigger.config.topic_filters];
    const address = contractsOf(trigger.config);
    const found = await rpc.logs({ fromBlock: from, toBlock: to, address, topics });
    logs = found.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
  } catch (error) {
    // Providers report too many blocks or logs with errors of their own, so every error halves the range.
    lane.range = to === from ? 1n : (to - from + 1n) / 2n;
    if (to === from) throw error;
    return;
  }
  const hashes = new Map<bigint, Hex>();
  for (const number of await firedBlocks(db, trigger.id, from, to)) {
    const block = await rpc.block(number);
    if (!block) throw new Error(`node has no block ${number}`);
    hashes.set(number, block.hash);
  }
  const isDone = await fire(following, lane, { from, to, logs, hashAt: (number) => hashes.get(number) });
  // Halved while the queue is full, because every attempt reads the range again.
  lane.range = isDone ? least(range * 2n, MAX_RANGE) : range / 2n + 1n;
}

/** Settles a range. Resolves to false when it must wait before the end of the range. */
async function fire(
  { db, worker, headers, states }: Following,
  lane: Lane,
  found: { from: bigint; to: bigint; logs: readonly ChainLog[]; hashAt: (number: bigint) => Hex | undefined },
): Promise<boolean> {
  const logs = selectLogs(lane.trigger, found.logs);
  let settled: Settled = { next: found.from, state: 'more' };
  while (settled.state === 'more') {
    const { next } = settled;
    settled = await settle({ db, worker }, lane.trigger, {
      ...found,
      lane: lane.name,
      from: next,
      head: headers.head(),
      logs: logs.filter((each) => each.blockNumber >= next),
    });
    lane.position = settled.next;
  }
  lane.failures = 0;
  lane.fault = undefined;
  if (settled.state === 'done') return true;
  lane.notBefore = Date.now() + PAUSE_MS;
  if (settled.state === 'moved') drop(states, lane);
  return false;
}

/** The next tick opens the lane again. */
function drop(states: Map<string, State>, lane: Lane): void {
  const state = states.get(lane.trigger.id);
  if (state?.head === lane) states.delete(lane.trigger.id);
  else if (state?.unread === lane) state.unread = undefined;
}

/** Selects the logs that match the trigger, without duplicates, in chain order. */
function selectLogs({ config, topic0 }: Followed, found: readonly ChainLog[]): ChainLog[] {
  const contracts = contractsOf(config);
  const filters = [topic0, ...config.topic_filters];
  const fits = (log: ChainLog) =>
    !log.removed &&
    contracts.includes(log.address) &&
    filters.every((filter, index) => {
      const topic = log.topics[index];
      return topic !== undefined && (filter === null || [filter].flat().includes(topic));
    });
  const byKey = new Map(found.filter(fits).map((log) => [logKey(log), log]));
  return [...byKey.values()].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || Number(a.logIndex - b.logIndex),
  );
}
