/** Readers of chain-event triggers: one for new blocks, and one for older blocks that are read in the background. */
import type { BlockRange } from '../db/schema.ts';
import { type Cursor, firstToRead } from './chain-cursor.ts';
import type { FollowFault } from './chain-progress.ts';
import type { Followed } from './followed.ts';

/** Blocks in the first `eth_getLogs` of final blocks. */
const FIRST_RANGE = 1_000n;
/** Triggers processed concurrently. */
export const CONCURRENCY = 4;

/** A trigger that is read on its own: it has not read as far as its chain, or has unread ranges. */
export type State = {
  trigger: Followed;
  /** The trigger has read as far as its chain: the head lane is not used. */
  isLive: boolean;
  /** First block whose logs a reorg can retract or fire. */
  floor: bigint;
  /** Blocks without logs of the trigger change nothing for it: it has no run that a reorg can retract, and no silent blocks. */
  isPlain: boolean;
  /** Reads new blocks. */
  head: Lane;
  /** Reads the first unread range. */
  unread: Lane | undefined;
};

/** Progress of one reader of a trigger. */
export type Lane = {
  name: 'head' | 'unread';
  trigger: Followed;
  /** Next block to read. */
  position: bigint;
  /** Next block as it is stored. Blocks that change nothing are not stored one by one. */
  stored: bigint;
  /** Last block to read. Undefined for the head. */
  last: bigint | undefined;
  /** Blocks per `eth_getLogs` of final blocks. */
  range: bigint;
  /** Consecutive failures, and the last one. */
  failures: number;
  fault: FollowFault | undefined;
  /** Earliest time of the next attempt, in ms. */
  notBefore: number;
  /** Sequence number of the last read of final blocks. */
  turn: number;
};

const startLane = (lane: Pick<Lane, 'name' | 'trigger' | 'position' | 'last'>): Lane => ({
  ...lane,
  stored: lane.position,
  range: FIRST_RANGE,
  failures: 0,
  fault: undefined,
  notBefore: 0,
  turn: 0,
});

/** Starts to read new blocks. */
export const startHead = (trigger: Followed, position: bigint): Lane =>
  startLane({ name: 'head', trigger, position, last: undefined });

/**
 * Starts to read at the cursor, given the lowest block with a run that a reorg can replace. Such blocks are read again, unless the
 * trigger has read none.
 */
export function openState(trigger: Followed, cursor: Cursor, fired: bigint | undefined): State {
  const floor = firstToRead(cursor, trigger.config, fired);
  const isPlain = fired === undefined && cursor.silentBelow <= cursor.nextBlock;
  // With a factory, the blocks of a pause are below the ones that a reorg can replace.
  const first = cursor.headBlock === 0n ? cursor.nextBlock : least(cursor.nextBlock, floor);
  const head = startHead(trigger, first);
  head.stored = cursor.nextBlock;
  const state: State = { trigger, isLive: false, floor, isPlain, head, unread: undefined };
  followUnread(state, cursor.unread);
  return state;
}

export function liveState(
  trigger: Followed,
  { nextBlock: floor, unread }: { nextBlock: bigint; unread: readonly BlockRange[] },
): State {
  const head = startHead(trigger, floor);
  const state: State = { trigger, isLive: true, floor, isPlain: false, head, unread: undefined };
  followUnread(state, unread);
  return state;
}

/** Continues or starts to read the first unread range. */
export function followUnread(state: State, [range]: readonly BlockRange[]): void {
  const { trigger, unread: lane } = state;
  if (!range) {
    state.unread = undefined;
    return;
  }
  const [first, last] = [BigInt(range[0]), BigInt(range[1])];
  if (lane && lane.position >= first && lane.position <= last) lane.last = last;
  else state.unread = startLane({ name: 'unread', trigger, position: first, last });
}

/** Last block that a lane can read: it is in the range of the lane, and confirmed by the head. */
export function lastReadable({ trigger, last }: Lane, head: bigint): bigint {
  const confirmed = head - BigInt(trigger.config.confirmations);
  return last === undefined ? confirmed : least(confirmed, last);
}

export function least(first: bigint, ...others: bigint[]): bigint {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

/** Handles items concurrently, `CONCURRENCY` at a time, in their order. */
export async function inLanes<Item>(items: Item[], handle: (item: Item) => Promise<void>): Promise<void> {
  const next = async () => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await handle(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
}

/** Orders lanes in rounds of one lane per user. Within a round, users served longest ago come first. */
export function roundRobin(waiting: readonly Lane[]): Lane[] {
  const ofUsers = Map.groupBy(
    waiting.toSorted((a, b) => a.turn - b.turn),
    ({ trigger }) => trigger.userId,
  );
  return [...ofUsers.values()]
    .flatMap((lanes) => {
      const lastTurn = lanes.at(-1)?.turn ?? 0;
      return lanes.map((lane, round) => ({ lane, round, lastTurn }));
    })
    .sort((a, b) => a.round - b.round || a.lastTurn - b.lastTurn)
    .map(({ lane }) => lane);
}
