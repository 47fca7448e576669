/**
 * Follows one chain for all its triggers. Reads recent blocks, which a reorg can replace, one by one by hash, and final blocks in
 * ranges. Several processes can follow the same chain.
 */
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { ChainName } from '../config.ts';
import type { Database } from '../db/database.ts';
import { chainCursors, triggers } from '../db/schema.ts';
import type { AcceptOptions } from '../runs/accept.ts';
import { createBlockReader } from './chain-blocks.ts';
import type { ChainEventConfig } from './chain-config.ts';
import { type Cursor, deferRead, firstToRead, greatest, lockFollowed, readCursor } from './chain-cursor.ts';
import { createHeaders, REORG_DEPTH } from './chain-headers.ts';
import { followUnread, type Lane, openState, roundRobin, type State } from './chain-lanes.ts';
import type { Block, ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import { parseEventSignature, toTopic0 } from './event-signature.ts';
import { type Followed, firedBlocks, type Settled, settle } from './fired-logs.ts';

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Maximum blocks per `eth_getLogs` of final blocks. A range is halved when the provider rejects it, doubled after a success. */
const MAX_RANGE = 10_000n;
/** Recent blocks read concurrently for a trigger. */
const RECENT_BATCH = 16n;
/** Triggers processed concurrently. */
const CONCURRENCY = 4;

export type FollowerOptions = AcceptOptions & { log: Logger };

export type ChainFollower = {
  /**
   * Reads the recent blocks, and starts reading final blocks in the background. Resolves to false when the chain has no triggers.
   * Rejects when the node fails.
   */
  tick: () => Promise<boolean>;
  /** Resolves when the background read of final blocks has stopped. */
  backfilled: () => Promise<void>;
  stop: () => void;
};

export function createChainFollower(
  { db, worker, log }: FollowerOptions,
  chain: ChainName,
  rpc: Pick<ChainRpc, 'chainId' | 'block' | 'logs'>,
): ChainFollower {
  const headers = createHeaders(rpc);
  const states = new Map<string, State>();
  /** Triggers whose chain id is not the node's, with their version. */
  const wrongChain = new Map<string, number>();
  let blocks = createBlockReader(rpc, []);
  let backfill: Promise<void> | undefined;
  let turns = 0;
  let isStopped = false;

  const load = () =>
    db
      .select({
        id: triggers.id,
        userId: triggers.userId,
        config: triggers.config,
        updatedAt: triggers.updatedAt,
        unread: chainCursors.unread,
      })
      .from(triggers)
      .leftJoin(chainCursors, eq(chainCursors.triggerId, triggers.id))
      .where(
        and(
          eq(triggers.kind, 'chain_event'),
          triggers.enabled,
          eq(sql`${triggers.config} ->> 'chain'`, chain),
        ),
      );

  /** Adds new triggers, opens changed ones again and removes the others. */
  const sync = async (rows: Awaited<ReturnType<typeof load>>): Promise<void> => {
    let chainId: number | undefined;
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of states.keys()) if (!ids.has(id)) states.delete(id);
    for (const { id, userId, config, updatedAt, unread } of rows) {
      const version = updatedAt.getTime();
      const state = states.get(id);
      if (state?.trigger.version === version) {
        followUnread(state, unread ?? []);
        continue;
      }
      if (wrongChain.get(id) === version) continue;
      states.delete(id);
      const trigger = toFollowedTrigger(id, version, config as ChainEventConfig);
      chainId ??= await rpc.chainId();
      if (trigger.config.chain_id !== chainId) {
        log.error(
          { trigger_id: id, chain, chain_id: chainId },
          'the RPC node serves another chain than the trigger',
        );
        wrongChain.set(id, version);
        continue;
      }
      const opened = await withCursor(trigger, async (tx, cursor) =>
        openState(trigger, userId, cursor, await firstToRead(tx, cursor, trigger.config)),
      );
      if (opened) states.set(id, opened);
    }
  };

  /** Locks the trigger and reads its cursor. Resolves to undefined when the trigger was paused, deleted or changed. */
  const withCursor = <Result>(
    trigger: Followed,
    use: (tx: Database, cursor: Cursor) => Promise<Result>,
  ): Promise<Result | undefined> =>
    db.transaction(async (tx) =>
      (await lockFollowed(tx, trigger))
        ? use(tx, await readCursor(tx, trigger.id, trigger.config))
        : undefined,
    );

  /** Leaves many final blocks to the background, so that new blocks do not wait for them. */
  const deferFinalBlocks = async (state: State): Promise<void> => {
    const { trigger, head } = state;
    const last = least(confirmedHead(head), headers.final());
    if (head.position + REORG_DEPTH > last) return;
    const cursor = await withCursor(trigger, (tx, found) =>
      deferRead(tx, found, { config: trigger.config, last }),
    );
    if (cursor?.nextBlock !== last + 1n) return;
    head.position = cursor.nextBlock;
    followUnread(state, cursor.unread);
  };

  const headNumber = () => headers.head()?.number ?? 0n;
  const confirmedHead = ({ trigger, last }: Lane) => {
    const confirmed = headNumber() - BigInt(trigger.config.confirmations);
    return last === undefined ? confirmed : least(confirmed, last);
  };
  const hasFinalBlocks = (lane: Lane) => lane.position <= least(confirmedHead(lane), headers.final());
  const lanes = () => [...states.values()].flatMap(({ head, unread }) => (unread ? [head, unread] : [head]));

  const readRecentBlocks = async (lane: Lane): Promise<void> => {
    for (;;) {
      const from = lane.position;
      const to = least(from + RECENT_BATCH - 1n, confirmedHead(lane));
      const recent: Block[] = [];
      for (let number = from; number <= to; number++) {
        const block = headers.at(number);
        if (block) recent.push(block);
      }
      if (recent.length === 0 || isStopped) return;
      const logs = (await Promise.all(recent.map(blocks.read))).flat();
      if (!(await fire(lane, from, to, logs, (number) => headers.at(number)?.hash))) return;
    }
  };

  const readFinalBlocks = async (lane: Lane): Promise<void> => {
    const { trigger, range, position: from } = lane;
    const { contract_address, topic_filters } = trigger.config;
    const to = least(from + range - 1n, confirmedHead(lane), headers.final());
    let logs: ChainLog[];
    try {
      const topics: Topics = [trigger.topic0, ...topic_filters];
      const found = await rpc.logs({ fromBlock: from, toBlock: to, address: contract_address, topics });
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
    const isDone = await fire(lane, from, to, logs, (number) => hashes.get(number));
    // With a full queue, a large range would be read again on every attempt.
    lane.range = isDone ? least(range * 2n, MAX_RANGE) : range / 2n + 1n;
  };

  /** Settles a range. Resolves to false when it must wait before the end of the range. */
  const fire = async (
    lane: Lane,
    from: bigint,
    to: bigint,
    found: readonly ChainLog[],
    hashAt: (number: bigint) => Hex | undefined,
  ): Promise<boolean> => {
    const { trigger } = lane;
    const logs = selectLogs(trigger, found);
    let settled: Settled = { next: from, state: 'more' };
    while (settled.state === 'more') {
      const { next } = settled;
      const range = {
        lane: lane.name,
        from: next,
        to,
        head: headNumber(),
        logs: logs.filter((each) => each.blockNumber >= next),
      };
      settled = await settle({ db, worker }, trigger, { ...range, hashAt });
      lane.position = settled.next;
    }
    lane.failures = 0;
    if (settled.state === 'done') return true;
    lane.notBefore = Date.now() + PAUSE_MS;
    if (settled.state === 'moved') drop(lane);
    return false;
  };

  /** The next tick opens the lane again. */
  const drop = (lane: Lane): void => {
    const state = states.get(lane.trigger.id);
    if (state?.head === lane) states.delete(lane.trigger.id);
    else if (state?.unread === lane) state.unread = undefined;
  };

  /** Catches the failure of one trigger, so that the others continue. */
  const withBackoff = (lane: Lane, read: (lane: Lane) => Promise<void>): Promise<void> =>
    read(lane).catch((err: unknown) => {
      const { id } = lane.trigger;
      log.warn({ err, chain, trigger_id: id, block: String(lane.position) }, 'failed to read blocks');
      lane.notBefore = Date.now() + pauseMs(lane.failures++);
    });

  const readAllFinalBlocks = async (): Promise<void> => {
    while (!isStopped) {
      const now = Date.now();
      const waiting = lanes().filter((lane) => hasFinalBlocks(lane) && lane.notBefore <= now);
      const due = roundRobin(waiting).slice(0, CONCURRENCY);
      if (due.length === 0) return;
      for (const lane of due) lane.turn = ++turns;
      await Promise.all(due.map((lane) => withBackoff(lane, readFinalBlocks)));
    }
  };

  return {
    async tick() {
      const rows = await load();
      if (rows.length === 0) {
        states.clear();
        return false;
      }
      const changed = await headers.advance();
      if (changed === 'all') states.clear();
      else if (changed !== undefined)
        for (const { head, floor } of states.values())
          if (head.position > changed) head.position = greatest(changed, floor);
      await sync(rows);
      for (const state of states.values()) await deferFinalBlocks(state);
      const followed = [...states.values()].map(({ trigger }) => trigger);
      blocks = createBlockReader(rpc, followed);
      const now = Date.now();
      const due = roundRobin(lanes().filter((lane) => !hasFinalBlocks(lane) && lane.notBefore <= now));
      const processDue = async () => {
        for (let lane = due.shift(); lane; lane = due.shift()) await withBackoff(lane, readRecentBlocks);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, processDue));
      backfill ??= readAllFinalBlocks().finally(() => {
        backfill = undefined;
      });
      return true;
    },
    backfilled: async () => backfill,
    stop() {
      isStopped = true;
    },
  };
}

function least(first: bigint, ...others: bigint[]): bigint {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

/** Returns the pause in ms after this many consecutive failures. */
export const pauseMs = (failures: number) => Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);

function toFollowedTrigger(id: string, version: number, config: ChainEventConfig): Followed {
  const event = parseEventSignature(config.event_signature);
  return { id, version, config, event, topic0: toTopic0(event) };
}

/** Selects the logs that match the trigger, without duplicates, in chain order. */
function selectLogs({ config, topic0 }: Followed, found: readonly ChainLog[]): ChainLog[] {
  const address = config.contract_address.toLowerCase();
  const filters = [topic0, ...config.topic_filters];
  const fits = (log: ChainLog) =>
    !log.removed &&
    log.address === address &&
    filters.every((filter, index) => {
      const topic = log.topics[index];
      return (
        topic !== undefined &&
        (filter === null || (Array.isArray(filter) ? filter.includes(topic) : filter === topic))
      );
    });
  const byPosition = new Map(
    found.filter(fits).map((log) => [`${log.blockHash}:${log.transactionHash}:${log.logIndex}`, log]),
  );
  return [...byPosition.values()].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || Number(a.logIndex - b.logIndex),
  );
}
