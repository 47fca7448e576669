/** Reads the blocks of one lane, and settles what was found. */
import type { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import { readBirths } from './chain-births.ts';
import { createBlockIndex } from './chain-block-index.ts';
import { findBlocks, findFinalBlocks, maxFinalBlocks } from './chain-block-reads.ts';
import { type BlockReader, createBlockReader } from './chain-blocks.ts';
import { type Births, type Child, changeChildren, listChildren } from './chain-children.ts';
import { contractsOf } from './chain-config.ts';
import { childFilters } from './chain-contracts.ts';
import type { Headers } from './chain-headers.ts';
import { matches } from './chain-index.ts';
import { followUnread, type Lane, lastReadable, least } from './chain-lanes.ts';
import type { Block, ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import type { SyncOptions } from './chain-states.ts';
import { chunks } from './chunks.ts';
import { firedBlocks, logKey, type Range, type Settled, settle } from './fired-logs.ts';
import type { Fired, Followed, FollowedEvents } from './followed.ts';

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Maximum blocks per `eth_getLogs` of final blocks. A range is halved when the provider rejects it, doubled after a success. */
const MAX_RANGE = 10_000n;
/** Contracts in an `eth_getLogs`. */
const CONTRACTS = 500;
/** Recent blocks read concurrently for a trigger. */
const RECENT_BATCH = 16n;

/** Position of the chain as this process knows it. */
type Position = {
  head: bigint;
  /** Hashes of the processed blocks that a reorg can replace. */
  read: Map<bigint, Hex>;
};

/** The calls that follow a chain. */
export type FollowedRpc = Pick<ChainRpc, 'chainId' | 'block' | 'logs' | 'baseFees' | 'balances'>;

/** A chain that is followed. */
export type Following = SyncOptions & {
  rpc: FollowedRpc;
  headers: Headers;
  /** Final blocks: each group of live triggers reads a block when it has the confirmations that the group wants. */
  oldBlocks: LRUCache<bigint, Block>;
  /** False until the triggers were read after the chain was taken. */
  isLoaded: boolean;
  position: Position;
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
  const { headers, states } = following;
  for (;;) {
    const from = lane.position;
    const to = least(from + RECENT_BATCH - 1n, lastReadable(lane, headers.head()));
    const recent: Block[] = [];
    for (let number = from; number <= to; number++) {
      const block = headers.at(number);
      if (block) recent.push(block);
    }
    if (recent.length === 0 || following.isStopped) return;
    using births = await readBirths(following, lane.trigger, recent);
    const { logs, sides } = await readRecent(following, lane, recent, readBlock);
    const isPlain = lane.name === 'head' && states.get(lane.trigger.id)?.isPlain && !isAny(births) && !sides;
    if (isPlain && logs.length === 0) {
      lane.position = to + 1n;
      continue;
    }
    const hashAt = (number: bigint) => headers.at(number)?.hash;
    const range = { from: least(from, lane.stored), to, logs, sides, hashAt, births };
    if ((await fire(following, lane, range)) !== 'done') return;
  }
}

/** Resolves to the logs or blocks that fire a trigger. */
async function readRecent(
  following: Following,
  lane: Lane,
  recent: readonly Block[],
  readBlock: BlockReader['read'],
): Promise<Pick<Range, 'logs' | 'sides'>> {
  const { trigger } = lane;
  if (trigger.kind === 'chain_block') {
    const confirmed = lane.name === 'head' ? lastReadable(lane, following.headers.head()) : undefined;
    const found = await findBlocks(following, createBlockIndex([trigger]), recent, confirmed);
    return found.get(trigger) ?? { logs: [] };
  }
  const read = readerOfChildren(following, trigger) ?? readBlock;
  const logs = (await Promise.all(recent.map(read))).flat();
  return { logs: logs.filter((log) => matches(trigger, log)) };
}

const isAny = (births: Births | undefined) =>
  births !== undefined && births.born.length + births.gone.length > 0;

/** Returns a reader of the logs of the children of a trigger. Undefined without a factory. */
function readerOfChildren(
  { claimant, rpc }: Following,
  trigger: FollowedEvents,
): BlockReader['read'] | undefined {
  const { family } = trigger;
  if (!family) return undefined;
  return createBlockReader(rpc, claimant.chainId, (mayHave) =>
    childFilters([trigger], family.children.size, mayHave),
  ).read;
}

export async function readFinalBlocks(following: Following, lane: Lane): Promise<void> {
  const { headers } = following;
  const { trigger, position: from } = lane;
  const range = least(lane.range, (trigger.kind === 'chain_block' && maxFinalBlocks(trigger)) || MAX_RANGE);
  const to = least(from + range - 1n, lastReadable(lane, headers.head()), headers.final());
  const known = await readKnown(following, trigger, from, to);
  let found: Pick<Range, 'logs' | 'births'>;
  try {
    found = await readRange(following, trigger, { from, to, ...known });
  } catch (error) {
    // Providers report too many blocks or logs with errors of their own, so every error halves the range.
    lane.range = to === from ? 1n : (to - from + 1n) / 2n;
    if (to === from) throw error;
    return;
  }
  using births = found.births;
  const { logs } = found;
  const isDone = (await fire(following, lane, { from, to, logs, hashAt: known.hashAt, births })) === 'done';
  // Halved while the queue is full, because every attempt reads the range again.
  lane.range = isDone ? least(range * 2n, MAX_RANGE) : range / 2n + 1n;
}

type Known = { stored: readonly Child[]; hashAt: Range['hashAt'] };

/** Resolves to the children that were announced in a range, and to the hashes of the blocks that have fired or announced one. */
async function readKnown(
  { db, rpc }: Following,
  { id, family }: Followed,
  from: bigint,
  to: bigint,
): Promise<Known> {
  const stored = family ? await listChildren(db, id, from, to) : [];
  const fired = await firedBlocks(db, id, from, to);
  const hashes = new Map<bigint, Hex>();
  for (const number of new Set([...fired, ...stored.map(({ blockNumber }) => blockNumber)])) {
    const block = await rpc.block(number);
    if (!block) throw new Error(`node has no block ${number}`);
    hashes.set(number, block.hash);
  }
  return { stored, hashAt: (number) => hashes.get(number) };
}

/** Resolves to the logs of a range, after the announcements of a factory in it. */
async function readRange(
  { rpc }: Following,
  trigger: Followed,
  { from, to, ...known }: Known & { from: bigint; to: bigint },
): Promise<Pick<Range, 'logs' | 'births'>> {
  if (trigger.kind === 'chain_block')
    return { logs: await findFinalBlocks({ rpc }, trigger, from, to), births: undefined };
  const { id, topic0, config, family } = trigger;
  const read = async (contracts: readonly Hex[], topics: Topics): Promise<ChainLog[]> => {
    const logs: ChainLog[] = [];
    for (const address of chunks(contracts, CONTRACTS))
      logs.push(...(await rpc.logs({ fromBlock: from, toBlock: to, address, topics })));
    return logs.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
  };
  const topics = [topic0, ...config.topic_filters];
  const ofTrigger = (logs: readonly ChainLog[]) => logs.filter((log) => matches(trigger, log));
  if (!family) return { logs: ofTrigger(await read(contractsOf(config), topics)), births: undefined };
  const announced = await read([family.address], [family.topic0]);
  const births = changeChildren({ id, family }, { ...known, logs: announced });
  try {
    // Older blocks are read for the children alone.
    const isFired = to >= config.start_block;
    return { logs: isFired ? ofTrigger(await read([...family.children.keys()], topics)) : [], births };
  } catch (error) {
    births[Symbol.dispose]();
    throw error;
  }
}

/** Settles a range, as far as the limits of the trigger allow. */
export async function fire(
  { db, worker, headers, states, changed }: Following,
  lane: Lane,
  found: Omit<Range, 'lane' | 'head'>,
): Promise<'done' | 'waits' | 'moved'> {
  const logs = inOrder(found.logs);
  const { id } = lane.trigger;
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
    lane.stored = settled.next;
  }
  lane.failures = 0;
  lane.fault = undefined;
  if (settled.state !== 'done') lane.notBefore = Date.now() + PAUSE_MS;
  const state = states.get(id);
  if (state) state.isPlain &&= logs.length === 0;
  if (settled.state === 'moved') {
    // The next tick opens the lane again.
    changed.add(id);
    if (state?.head === lane) states.delete(id);
    else if (state?.unread === lane) state.unread = undefined;
  } else if (state?.unread === lane && settled.unread) {
    followUnread(state, settled.unread);
    if (state.isLive && !state.unread) states.delete(id);
  }
  return settled.state;
}

/** Reads a lane again later, after a failure. The others continue. */
export function backOff({ log, chain }: Following, lane: Lane, err: unknown): void {
  const { id } = lane.trigger;
  log.warn({ err, chain, trigger_id: id, block: String(lane.position) }, 'failed to read blocks');
  const message = `failed to read block ${lane.position}`;
  lane.fault = { message, since: lane.fault?.since ?? new Date() };
  lane.notBefore = Date.now() + pauseMs(lane.failures++);
}

/** Returns the logs without duplicates, in chain order. */
function inOrder(logs: readonly Fired[]): Fired[] {
  const byKey = new Map(logs.map((log) => [logKey(log), log]));
  return [...byKey.values()].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || Number(a.logIndex - b.logIndex),
  );
}
