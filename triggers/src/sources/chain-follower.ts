/**
 * Follows one chain for all its triggers. Reads recent blocks, which a reorg can replace, one by one by hash, and final blocks in
 * ranges. Several processes can follow the same chain.
 */
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { ChainName } from '../config.ts';
import { triggers } from '../db/schema.ts';
import type { AcceptOptions } from '../runs/accept.ts';
import { createBlockReader } from './chain-blocks.ts';
import type { ChainEventConfig } from './chain-event.ts';
import { createHeaders } from './chain-headers.ts';
import type { Block, ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import { parseEventSignature, toTopic0 } from './event-signature.ts';
import { type Followed, firedBlocks, openCursor, type Settled, settle } from './fired-logs.ts';

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Blocks per `eth_getLogs` of final blocks. Halved when the provider rejects a range, doubled after a success. */
const FIRST_RANGE = 1_000n;
const MAX_RANGE = 10_000n;
/** Recent blocks read concurrently for a trigger. */
const RECENT_BATCH = 16n;
/** Triggers processed concurrently. */
const CONCURRENCY = 4;

export type FollowerOptions = AcceptOptions & { log: Logger };

/** Progress of one trigger. */
type State = {
  trigger: Followed;
  userId: string;
  /** `updated_at` of the trigger, in ms. */
  version: number;
  /** Next block to read. */
  position: bigint;
  range: bigint;
  /** Consecutive failures. */
  failures: number;
  /** Earliest time of the next attempt, in ms. */
  notBefore: number;
  /** Sequence number of the last read of final blocks. */
  turn: number;
};

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
      })
      .from(triggers)
      .where(
        and(
          eq(triggers.kind, 'chain_event'),
          triggers.enabled,
          eq(sql`${triggers.config} ->> 'chain'`, chain),
        ),
      );

  /** Adds new triggers, updates changed ones and removes the others. */
  const sync = async (rows: Awaited<ReturnType<typeof load>>): Promise<void> => {
    let chainId: number | undefined;
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of states.keys()) if (!ids.has(id)) states.delete(id);
    for (const { id, userId, config, updatedAt } of rows) {
      const version = updatedAt.getTime();
      const state = states.get(id);
      if (state?.version === version || wrongChain.get(id) === version) continue;
      const trigger = toFollowedTrigger(id, config as ChainEventConfig);
      chainId ??= await rpc.chainId();
      if (trigger.config.chain_id !== chainId) {
        log.error(
          { trigger_id: id, chain, chain_id: chainId },
          'the RPC node serves another chain than the trigger',
        );
        wrongChain.set(id, version);
        states.delete(id);
      } else if (state?.trigger.follows === trigger.follows) {
        Object.assign(state, { trigger, version });
      } else {
        const position = await openCursor(db, trigger);
        const fresh = { range: FIRST_RANGE, failures: 0, notBefore: 0, turn: 0 };
        states.set(id, { trigger, userId, version, position, ...fresh });
      }
    }
  };

  const headNumber = () => headers.head()?.number ?? 0n;
  const confirmedHead = ({ trigger }: State) => headNumber() - BigInt(trigger.config.confirmations);
  const hasFinalBlocks = (state: State) => state.position <= least(confirmedHead(state), headers.final());

  const readRecentBlocks = async (state: State): Promise<void> => {
    for (;;) {
      const from = state.position;
      const to = least(from + RECENT_BATCH - 1n, confirmedHead(state));
      const recent: Block[] = [];
      for (let number = from; number <= to; number++) {
        const block = headers.at(number);
        if (block) recent.push(block);
      }
      if (recent.length === 0 || isStopped) return;
      const logs = (await Promise.all(recent.map(blocks.read))).flat();
      if (!(await fire(state, from, to, logs, (number) => headers.at(number)?.hash))) return;
    }
  };

  const readFinalBlocks = async (state: State): Promise<void> => {
    const { trigger, range, position: from } = state;
    const { contract_address, topic_filters } = trigger.config;
    const to = least(from + range - 1n, confirmedHead(state), headers.final());
    let logs: ChainLog[];
    try {
      const topics: Topics = [trigger.topic0, ...topic_filters];
      const found = await rpc.logs({ fromBlock: from, toBlock: to, address: contract_address, topics });
      logs = found.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
    } catch (error) {
      // Providers report too many blocks or logs with errors of their own, so every error halves the range.
      state.range = to === from ? 1n : (to - from + 1n) / 2n;
      if (to === from) throw error;
      return;
    }
    const hashes = new Map<bigint, Hex>();
    for (const number of await firedBlocks(db, trigger.id, from, to)) {
      const block = await rpc.block(number);
      if (!block) throw new Error(`node has no block ${number}`);
      hashes.set(number, block.hash);
    }
    const isDone = await fire(state, from, to, logs, (number) => hashes.get(number));
    // With a full queue, a large range would be read again on every attempt.
    state.range = isDone ? least(range * 2n, MAX_RANGE) : range / 2n + 1n;
  };

  /** Settles a range. Resolves to false when it must wait before the end of the range. */
  const fire = async (
    state: State,
    from: bigint,
    to: bigint,
    found: readonly ChainLog[],
    hashAt: (number: bigint) => Hex | undefined,
  ): Promise<boolean> => {
    const { trigger } = state;
    const logs = selectLogs(trigger, found);
    let settled: Settled = { next: from, state: 'more' };
    while (settled.state === 'more') {
      const { next } = settled;
      const range = {
        from: next,
        to,
        head: headNumber(),
        logs: logs.filter((each) => each.blockNumber >= next),
      };
      settled = await settle({ db, worker }, trigger, { ...range, hashAt });
      state.position = settled.next;
    }
    state.failures = 0;
    if (settled.state === 'done') return true;
    state.notBefore = Date.now() + PAUSE_MS;
    return false;
  };

  /** Catches the failure of one trigger, so that the others continue. */
  const withBackoff = (state: State, read: (state: State) => Promise<void>): Promise<void> =>
    read(state).catch((err: unknown) => {
      log.warn(
        { err, chain, trigger_id: state.trigger.id, block: String(state.position) },
        'failed to read blocks',
      );
      state.notBefore = Date.now() + pauseMs(state.failures++);
    });

  const readAllFinalBlocks = async (): Promise<void> => {
    while (!isStopped) {
      const now = Date.now();
      const waiting = [...states.values()].filter((state) => hasFinalBlocks(state) && state.notBefore <= now);
      const due = roundRobin(waiting).slice(0, CONCURRENCY);
      if (due.length === 0) return;
      for (const state of due) state.turn = ++turns;
      await Promise.all(due.map((state) => withBackoff(state, readFinalBlocks)));
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
        for (const state of states.values()) {
          const start = BigInt(state.trigger.config.start_block);
          if (state.position > changed) state.position = changed > start ? changed : start;
        }
      await sync(rows);
      const followed = [...states.values()].map(({ trigger }) => trigger);
      blocks = createBlockReader(rpc, followed);
      const now = Date.now();
      const due = roundRobin(
        [...states.values()].filter((state) => !hasFinalBlocks(state) && state.notBefore <= now),
      );
      const processDue = async () => {
        for (let state = due.shift(); state; state = due.shift()) await withBackoff(state, readRecentBlocks);
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

/** Orders triggers in rounds of one trigger per user. Within a round, users served longest ago come first. */
function roundRobin(waiting: readonly State[]): State[] {
  const ofUsers = Map.groupBy(
    waiting.toSorted((a, b) => a.turn - b.turn),
    ({ userId }) => userId,
  );
  return [...ofUsers.values()]
    .flatMap((states) => {
      const lastTurn = states.at(-1)?.turn ?? 0;
      return states.map((state, round) => ({ state, round, lastTurn }));
    })
    .sort((a, b) => a.round - b.round || a.lastTurn - b.lastTurn)
    .map(({ state }) => state);
}

function least(first: bigint, ...others: bigint[]): bigint {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

/** Returns the pause in ms after this many consecutive failures. */
export const pauseMs = (failures: number) => Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);

function toFollowedTrigger(id: string, config: ChainEventConfig): Followed {
  const { chain_id, contract_address, event_signature, topic_filters, start_block } = config;
  const event = parseEventSignature(event_signature);
  const topic0 = toTopic0(event);
  const follows = JSON.stringify([chain_id, contract_address, topic0, topic_filters, start_block]);
  return { id, config, event, topic0, follows };
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
