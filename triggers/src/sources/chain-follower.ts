/**
 * Follows one chain for all its triggers. Reads recent blocks, which a reorg can replace, one by one by hash, and final blocks in
 * ranges. Several processes can follow the same chain.
 */
import type { ChainName } from '../config.ts';
import { createBlockReader } from './chain-blocks.ts';
import { deferRead, greatest } from './chain-cursor.ts';
import { createHeaders, REORG_DEPTH } from './chain-headers.ts';
import { followUnread, type Lane, lastReadable, least, roundRobin, type State } from './chain-lanes.ts';
import type { FollowFault } from './chain-progress.ts';
import { type Following, hasFinalBlocks, pauseMs, readFinalBlocks, readRecentBlocks } from './chain-reads.ts';
import type { ChainRpc } from './chain-rpc.ts';
import { type FollowerOptions, loadTriggers, syncStates, withCursor } from './chain-states.ts';

/** Triggers processed concurrently. */
const CONCURRENCY = 4;

export type ChainFollower = {
  /**
   * Reads the recent blocks, and starts reading final blocks in the background. Resolves to false when the chain has no triggers.
   * Rejects when the node fails.
   */
  tick: () => Promise<boolean>;
  /** Resolves when the background read of final blocks has stopped. */
  backfilled: () => Promise<void>;
  /** The newest block, 0 before the first one. */
  head: () => bigint;
  /** Why the blocks of a trigger are not read, undefined while they are. */
  faultOf: (triggerId: string) => FollowFault | undefined;
  stop: () => void;
};

export function createChainFollower(
  options: FollowerOptions,
  chain: ChainName,
  rpc: Pick<ChainRpc, 'chainId' | 'block' | 'logs'>,
): ChainFollower {
  const states = new Map<string, State>();
  const following: Following = {
    ...options,
    chain,
    rpc,
    states,
    wrongChain: new Map(),
    headers: createHeaders(rpc),
    turns: 0,
    isStopped: false,
  };
  let backfill: Promise<void> | undefined;
  return {
    async tick() {
      const rows = await loadTriggers(options.db, chain);
      if (rows.length === 0) {
        states.clear();
        return false;
      }
      await advance(following);
      await syncStates(following, rows);
      for (const state of states.values()) await deferFinalBlocks(following, state);
      await readAllRecentBlocks(following);
      backfill ??= readAllFinalBlocks(following).finally(() => {
        backfill = undefined;
      });
      return true;
    },
    backfilled: async () => backfill,
    head: following.headers.head,
    faultOf(triggerId) {
      const state = states.get(triggerId);
      return state?.head.fault ?? state?.unread?.fault;
    },
    stop() {
      following.isStopped = true;
    },
  };
}

/** Reads the newest block. Triggers read the blocks again that a reorg has replaced. */
async function advance({ headers, states }: Following): Promise<void> {
  const changed = await headers.advance();
  if (changed === 'all') states.clear();
  else if (changed !== undefined)
    for (const { head, floor } of states.values())
      if (head.position > changed) head.position = greatest(changed, floor);
}

/** Leaves many final blocks to the background, so that new blocks do not wait for them. */
async function deferFinalBlocks({ db, headers }: Following, state: State): Promise<void> {
  const { trigger, head } = state;
  const last = least(lastReadable(head, headers.head()), headers.final());
  if (head.position + REORG_DEPTH > last) return;
  const cursor = await withCursor(db, trigger, (tx, found) =>
    deferRead(tx, found, { config: trigger.config, last }),
  );
  if (cursor?.nextBlock !== last + 1n) return;
  head.position = cursor.nextBlock;
  followUnread(state, cursor.unread);
}

/** Returns the lanes that have final blocks to read, or the others. */
function dueLanes(following: Following, isFinal: boolean): Lane[] {
  const now = Date.now();
  const lanes = [...following.states.values()].flatMap(({ head, unread }) =>
    unread ? [head, unread] : [head],
  );
  return roundRobin(
    lanes.filter((lane) => hasFinalBlocks(following, lane) === isFinal && lane.notBefore <= now),
  );
}

async function readAllRecentBlocks(following: Following): Promise<void> {
  const triggers = [...following.states.values()].map(({ trigger }) => trigger);
  const { read } = createBlockReader(following.rpc, triggers);
  const due = dueLanes(following, false);
  const readDue = async () => {
    for (let lane = due.shift(); lane; lane = due.shift())
      await withBackoff(following, lane, readRecentBlocks(following, lane, read));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, readDue));
}

async function readAllFinalBlocks(following: Following): Promise<void> {
  while (!following.isStopped) {
    const due = dueLanes(following, true).slice(0, CONCURRENCY);
    if (due.length === 0) return;
    for (const lane of due) lane.turn = ++following.turns;
    await Promise.all(due.map((lane) => withBackoff(following, lane, readFinalBlocks(following, lane))));
  }
}

/** Catches the failure of one trigger, so that the others continue. */
const withBackoff = ({ log, chain }: Following, lane: Lane, reading: Promise<void>): Promise<void> =>
  reading.catch((err: unknown) => {
    const { id } = lane.trigger;
    log.warn({ err, chain, trigger_id: id, block: String(lane.position) }, 'failed to read blocks');
    const message = `failed to read block ${lane.position}`;
    lane.fault = { message, since: lane.fault?.since ?? new Date() };
    lane.notBefore = Date.now() + pauseMs(lane.failures++);
  });
