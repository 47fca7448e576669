/**
 * Follows one chain for all its triggers. Recent blocks, which a reorg can replace, are read one by one by hash: once for all live
 * triggers, and again for those that are behind. Final blocks are read in ranges. One process follows a chain; others stand by.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChainName } from '../config.ts';
import { createBlockReader } from './chain-blocks.ts';
import { deferRead, greatest } from './chain-cursor.ts';
import { createHeaders, REORG_DEPTH } from './chain-headers.ts';
import { createGroup, createLiveIndex } from './chain-index.ts';
import {
  CONCURRENCY,
  followUnread,
  inLanes,
  type Lane,
  lastReadable,
  least,
  roundRobin,
  type State,
} from './chain-lanes.ts';
import { readLiveBlocks } from './chain-live.ts';
import { ChainLostError, claimChain, isFollowed, keepChain, releaseChain } from './chain-position.ts';
import type { FollowFault } from './chain-progress.ts';
import {
  backOff,
  type FollowedRpc,
  type Following,
  hasFinalBlocks,
  readFinalBlocks,
  readRecentBlocks,
} from './chain-reads.ts';
import { attachStates, type FollowerOptions, loadStates, syncStates, withCursor } from './chain-states.ts';

/** As many as the confirmations that a trigger can want. */
const MAX_OLD_BLOCKS = 10_000;
/** Time for triggers that are behind, after which new blocks have their turn. */
const BEHIND_MS = 500;

/** Another process reads the chain, or it has no triggers. */
type Ticked = 'following' | 'standby' | 'idle';

export type ChainFollower = {
  /** Reads the recent blocks, and starts reading final blocks in the background. Rejects when the node fails. */
  tick: () => Promise<Ticked>;
  /** Resolves when the background read of final blocks has stopped. */
  backfilled: () => Promise<void>;
  /** The newest block, 0 before the first one. */
  head: () => bigint;
  /** Why the blocks of a trigger are not read, undefined while they are. */
  faultOf: (triggerId: string) => FollowFault | undefined;
  /** True while triggers that are behind can be read. */
  isBehind: () => boolean;
  stop: () => void;
  /** Lets another process read the chain. */
  release: () => Promise<void>;
};

export function createChainFollower(
  { leaseMs, ...options }: FollowerOptions & { leaseMs: number },
  chain: ChainName,
  rpc: FollowedRpc,
): ChainFollower {
  const { db } = options;
  const following: Following = {
    ...options,
    chain,
    claimant: { db, chain, chainId: 0, holder: randomUUID(), leaseMs },
    rpc,
    live: createLiveIndex(),
    states: new Map(),
    changed: new Set(),
    isLoaded: false,
    headers: createHeaders(rpc),
    oldBlocks: new LRUCache({ max: MAX_OLD_BLOCKS }),
    position: { head: 0n, read: new Map() },
    turns: 0,
    isStopped: false,
  };
  let backfill: Promise<void> | undefined;
  return {
    async tick() {
      // Long work does not cost the lease. A failed renewal shows in the next move of the position.
      const renewal = setInterval(() => {
        if (following.isLoaded) keepChain(following.claimant).catch(() => {});
      }, leaseMs / 3);
      const ticked = await tick(following)
        .catch((error: unknown) => {
          if (!(error instanceof ChainLostError)) throw error;
          forget(following);
          return 'standby' as const;
        })
        .finally(() => clearInterval(renewal));
      if (ticked === 'following')
        backfill ??= readAllFinalBlocks(following).finally(() => {
          backfill = undefined;
        });
      return ticked;
    },
    backfilled: async () => backfill,
    head: () => greatest(following.headers.head(), following.position.head),
    faultOf(triggerId) {
      const state = following.states.get(triggerId);
      return state?.head.fault ?? state?.unread?.fault;
    },
    isBehind: () => dueLanes(following, false).length > 0,
    stop() {
      following.isStopped = true;
    },
    async release() {
      if (following.isLoaded) await releaseChain(following.claimant);
    },
  };
}

async function tick(following: Following): Promise<Ticked> {
  const { db, chain, claimant, live, states, changed, position, rpc } = following;
  if (live.size + states.size === 0 && !(await isFollowed(db, chain))) return 'idle';
  claimant.chainId ||= await rpc.chainId();
  const claim = await claimChain(claimant).catch((error: unknown) => {
    // The claim can have taken the changed triggers although its reply is lost.
    forget(following);
    throw error;
  });
  if (!claim.isHeld || claim.isNew) forget(following);
  if (!following.isLoaded) {
    position.head = BigInt(claim.block);
    position.read = new Map(claim.hash === null ? [] : [[position.head, claim.hash]]);
  }
  if (!claim.isHeld) return 'standby';
  for (const id of claim.changed) changed.add(id);
  await advance(following);
  if (following.isLoaded) await syncStates(following);
  else await loadStates(following);
  following.isLoaded = true;
  if (live.size + states.size === 0) return 'idle';
  await readLiveBlocks(following);
  await readBehind(following);
  return 'following';
}

/** Another process has read the chain, or reads it: what this one knows can be old. */
function forget(following: Following): void {
  following.isLoaded = false;
  following.live.clear();
  following.states.clear();
  following.changed.clear();
}

/** Reads the newest block. Triggers that are behind read the blocks again that a reorg has replaced. */
async function advance({ headers, oldBlocks, states }: Following): Promise<void> {
  const changed = await headers.advance();
  if (changed === undefined) return;
  if (changed === 'all') oldBlocks.clear();
  for (const { isLive, head, floor } of states.values()) {
    if (isLive) continue;
    if (changed === 'all') head.position = least(head.position, floor);
    else if (head.position > changed) head.position = greatest(changed, floor);
  }
}

/** Reads the recent blocks of the triggers that are behind, for a while, and makes those live that have read as far as the chain. */
async function readBehind(following: Following): Promise<void> {
  const { claimant, position, rpc, states } = following;
  if (states.size === 0) return;
  const behind = [...states.values()].filter(({ isLive }) => !isLive);
  const endMs = performance.now() + BEHIND_MS;
  await inLanes(behind, async (state) => {
    if (performance.now() < endMs) await deferFinalBlocks(following, state);
  });
  const due = dueLanes(following, false);
  const index = createGroup(0);
  for (const { trigger } of due) if (!trigger.family) index.add(trigger);
  const { read } = createBlockReader(rpc, claimant.chainId, index.filters);
  await inLanes(due, async (lane) => {
    if (performance.now() > endMs) return;
    lane.turn = ++following.turns;
    await readRecentBlocks(following, lane, read).catch((error: unknown) => backOff(following, lane, error));
  });
  await attachStates(following, position.head, endMs);
}

async function deferFinalBlocks({ db, headers }: Following, state: State): Promise<void> {
  const { trigger, head } = state;
  const last = least(lastReadable(head, headers.head()), headers.final());
  if (head.position + REORG_DEPTH > last) return;
  const cursor = await withCursor(db, trigger, (tx, found) =>
    deferRead(tx, found, { config: trigger.config, last }),
  );
  if (cursor?.nextBlock !== last + 1n) return;
  head.position = cursor.nextBlock;
  head.stored = cursor.nextBlock;
  followUnread(state, cursor.unread);
}

/** Returns the lanes that have final blocks to read, or the others. */
function dueLanes(following: Following, isFinal: boolean): Lane[] {
  const now = Date.now();
  const lanes = [...following.states.values()].flatMap(({ trigger, isLive, head, unread }) => [
    // Older blocks can announce children, so they are read before the events of new ones.
    ...(isLive || (unread && trigger.family) ? [] : [head]),
    ...(unread ? [unread] : []),
  ]);
  const { headers } = following;
  return roundRobin(
    lanes.filter(
      (lane) =>
        lane.notBefore <= now &&
        lane.position <= lastReadable(lane, headers.head()) &&
        hasFinalBlocks(following, lane) === isFinal,
    ),
  );
}

async function readAllFinalBlocks(following: Following): Promise<void> {
  while (!following.isStopped) {
    const all = dueLanes(following, true);
    if (all.length === 0) return;
    // A part of many, because their order costs as much as reading some.
    const due = all.slice(0, Math.max(CONCURRENCY, all.length / 32));
    for (const lane of due) lane.turn = ++following.turns;
    await inLanes(due, (lane) =>
      readFinalBlocks(following, lane).catch((error: unknown) => backOff(following, lane, error)),
    );
  }
}
