/**
 * One chain, followed for all its triggers. Blocks that the chain might replace are read one by one by their hash, older ones by
 * ranges; several processes may do the same.
 */
import { and, eq, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { ChainName } from '../config.ts';
import type { Context } from '../context.ts';
import { triggers } from '../db/schema.ts';
import type { ChainEventConfig } from './chain-event.ts';
import { createHeaders } from './chain-headers.ts';
import type { ChainLog, ChainRpc, Topics } from './chain-rpc.ts';
import { parseEventSignature, topic0Of } from './event-signature.ts';
import { type Followed, firedBlocks, openCursor, type Settled, settle } from './fired-logs.ts';

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Blocks of one `eth_getLogs`; providers' own limits are found by their errors. */
const FIRST_RANGE = 1_000n;
const MAX_RANGE = 10_000n;
/** Blocks of the last ones that are read for a trigger at once. */
const STRIDE = 16n;
/** Contracts and events of one `eth_getLogs`: nodes take some 1,000. */
const FILTERED = 500;
/** Triggers at once. */
const LANES = 4;

export type FollowerContext = Pick<Context, 'db' | 'worker' | 'log'>;

/** A trigger under way. */
type State = {
  trigger: Followed;
  userId: string;
  /** When the trigger was last changed. */
  version: number;
  /** The block to read next. */
  position: bigint;
  range: bigint;
  /** Failures in a row, and the time before which nothing is tried. */
  failures: number;
  notBefore: number;
  /** When older blocks were read for it last: a number that rises. */
  turn: number;
};

export type ChainFollower = {
  /**
   * Reads what there is to read of the newest blocks, and starts to read what is older. Resolves to false when the chain has no
   * triggers; rejects when the node fails.
   */
  tick: () => Promise<boolean>;
  /** Resolves when reading older blocks has come to a halt. */
  backfilled: () => Promise<void>;
  stop: () => void;
};

export function createChainFollower(
  { db, worker, log }: FollowerContext,
  chain: ChainName,
  rpc: Pick<ChainRpc, 'chainId' | 'block' | 'logs'>,
): ChainFollower {
  const headers = createHeaders(rpc);
  const states = new Map<string, State>();
  /** Triggers of another chain than the node's, by when they were last changed. */
  const refused = new Map<string, number>();
  let logsByBlock = new Map<Hex, Promise<ChainLog[]>>();
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

  /** Takes up triggers that are new or changed, and drops those that are gone. */
  const sync = async (rows: Awaited<ReturnType<typeof load>>): Promise<void> => {
    let chainId: number | undefined;
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of states.keys()) if (!ids.has(id)) states.delete(id);
    for (const { id, userId, config, updatedAt } of rows) {
      const version = updatedAt.getTime();
      const state = states.get(id);
      if (state?.version === version || refused.get(id) === version) continue;
      const trigger = followedOf(id, config as ChainEventConfig);
      chainId ??= await rpc.chainId();
      if (trigger.config.chain_id !== chainId) {
        log.error({ trigger_id: id, chain, chain_id: chainId }, 'the RPC is of another chain');
        refused.set(id, version);
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
  const tipOf = ({ trigger }: State) => headNumber() - BigInt(trigger.config.confirmations);
  const isOld = (state: State) => state.position <= least(tipOf(state), headers.final());

  /** The logs of one block for all triggers: asked for once. */
  const logsAt = (hash: Hex): Promise<ChainLog[]> => {
    const asked = logsByBlock.get(hash);
    if (asked) return asked;
    const wanted = new Map<string, [address: Hex, topic0: Hex]>();
    for (const { trigger } of states.values()) {
      const { topic0, config } = trigger;
      wanted.set(`${config.contract_address} ${topic0}`, [config.contract_address, topic0]);
    }
    const filters = chunks([...wanted.values()], FILTERED).map((some) => ({
      address: [...new Set(some.map(([address]) => address))],
      topics: [[...new Set(some.map(([, topic0]) => topic0))]],
    }));
    const logs = Promise.all(filters.map((filter) => rpc.logs({ blockHash: hash, ...filter }))).then(
      (found) => {
        const all = found.flat();
        if (all.some(({ blockHash }) => blockHash !== hash))
          throw new Error('the node told of another block');
        return all;
      },
    );
    logsByBlock.set(hash, logs);
    return logs;
  };

  const readNew = async (state: State): Promise<void> => {
    for (;;) {
      const from = state.position;
      const to = least(from + STRIDE - 1n, tipOf(state));
      const hashes: Hex[] = [];
      for (let number = from; number <= to; number++) {
        const hash = headers.hashOf(number);
        if (hash) hashes.push(hash);
      }
      if (hashes.length === 0 || isStopped) return;
      const logs = (await Promise.all(hashes.map(logsAt))).flat();
      if (!(await fire(state, from, to, logs, headers.hashOf))) return;
    }
  };

  const readOld = async (state: State): Promise<void> => {
    const { trigger, range, position: from } = state;
    const { contract_address, topic_filters } = trigger.config;
    const to = least(from + range - 1n, tipOf(state), headers.final());
    let logs: ChainLog[];
    try {
      const topics: Topics = [trigger.topic0, ...topic_filters];
      const [found, end] = await Promise.all([
        rpc.logs({ fromBlock: from, toBlock: to, address: contract_address, topics }),
        rpc.block(to),
      ]);
      if (!end) throw new Error(`the node does not have block ${to}`);
      logs = found.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
    } catch (error) {
      // Too many blocks or logs for the provider, in words of its own.
      state.range = to === from ? 1n : (to - from + 1n) / 2n;
      if (to === from) throw error;
      return;
    }
    const hashes = new Map<bigint, Hex>();
    for (const number of await firedBlocks(db, trigger.id, from, to)) {
      const block = await rpc.block(number);
      if (!block) throw new Error(`the node does not have block ${number}`);
      hashes.set(number, block.hash);
    }
    const isDone = await fire(state, from, to, logs, (number) => hashes.get(number));
    // Blocks that a full queue holds up would be read again and again.
    state.range = isDone ? least(range * 2n, MAX_RANGE) : range / 2n + 1n;
  };

  /** Settles a range; false when it has to wait before its end. */
  const fire = async (
    state: State,
    from: bigint,
    to: bigint,
    found: readonly ChainLog[],
    hashOf: (number: bigint) => Hex | undefined,
  ): Promise<boolean> => {
    const { trigger } = state;
    const logs = logsOf(trigger, found);
    let settled: Settled = { next: from, state: 'more' };
    while (settled.state === 'more') {
      const { next } = settled;
      const range = {
        from: next,
        to,
        head: headNumber(),
        logs: logs.filter((each) => each.blockNumber >= next),
      };
      settled = await settle({ db, worker }, trigger, { ...range, hashOf });
      state.position = settled.next;
    }
    state.failures = 0;
    if (settled.state === 'done') return true;
    state.notBefore = Date.now() + PAUSE_MS;
    return false;
  };

  /** What fails for one trigger does not hold up the others. */
  const guarded = (state: State, read: (state: State) => Promise<void>): Promise<void> =>
    read(state).catch((err: unknown) => {
      log.warn(
        { err, chain, trigger_id: state.trigger.id, block: String(state.position) },
        'blocks not read',
      );
      state.notBefore = Date.now() + pauseMs(state.failures++);
    });

  const readAllOld = async (): Promise<void> => {
    while (!isStopped) {
      const now = Date.now();
      const waiting = [...states.values()].filter((state) => isOld(state) && state.notBefore <= now);
      const due = inTurn(waiting).slice(0, LANES);
      if (due.length === 0) return;
      for (const state of due) state.turn = ++turns;
      await Promise.all(due.map((state) => guarded(state, readOld)));
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
      logsByBlock = new Map();
      const now = Date.now();
      const due = inTurn([...states.values()].filter((state) => !isOld(state) && state.notBefore <= now));
      const lane = async () => {
        for (let state = due.shift(); state; state = due.shift()) await guarded(state, readNew);
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      backfill ??= readAllOld().finally(() => {
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

/** First one of each user, whoever was served longest ago before the others, then a second one of each, and so on. */
function inTurn(waiting: readonly State[]): State[] {
  const ofUsers = Map.groupBy(
    waiting.toSorted((a, b) => a.turn - b.turn),
    ({ userId }) => userId,
  );
  return [...ofUsers.values()]
    .flatMap((states) => {
      const lastTurn = states.at(-1)?.turn ?? 0;
      return states.map((state, place) => ({ state, place, lastTurn }));
    })
    .sort((a, b) => a.place - b.place || a.lastTurn - b.lastTurn)
    .map(({ state }) => state);
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
}

function least(first: bigint, ...others: bigint[]): bigint {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

/** How long to leave a node alone that failed so often in a row. */
export const pauseMs = (failures: number) => Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);

function followedOf(id: string, config: ChainEventConfig): Followed {
  const { chain_id, contract_address, event_signature, topic_filters, start_block } = config;
  const event = parseEventSignature(event_signature);
  const topic0 = topic0Of(event);
  const follows = JSON.stringify([chain_id, contract_address, topic0, topic_filters, start_block]);
  return { id, config, event, topic0, follows };
}

/** Those that the trigger waits for, each once, in the chain's order. */
function logsOf({ config, topic0 }: Followed, found: readonly ChainLog[]): ChainLog[] {
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
  const byPlace = new Map(
    found.filter(fits).map((log) => [`${log.blockHash}:${log.transactionHash}:${log.logIndex}`, log]),
  );
  return [...byPlace.values()].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || Number(a.logIndex - b.logIndex),
  );
}
