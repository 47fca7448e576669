/** Readers of chain-event triggers: one for new blocks, and one for older blocks that are read in the background. */
import type { BlockRange } from '../db/schema.ts';
import type { Cursor } from './chain-cursor.ts';
import type { FollowFault } from './chain-progress.ts';
import type { Followed } from './fired-logs.ts';

/** Blocks in the first `eth_getLogs` of final blocks. */
const FIRST_RANGE = 1_000n;

/** A trigger that is followed. */
export type State = {
  trigger: Followed;
  /** First block whose logs a reorg can retract or fire. */
  floor: bigint;
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
  range: FIRST_RANGE,
  failures: 0,
  fault: undefined,
  notBefore: 0,
  turn: 0,
});

/** Starts to read at the cursor. */
export function openState(trigger: Followed, cursor: Cursor, floor: bigint): State {
  const head = startLane({ name: 'head', trigger, position: floor, last: undefined });
  const state: State = { trigger, floor, head, unread: undefined };
  followUnread(state, cursor.unread);
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
