/** Triggers that follow a chain in a database, and followers that tests drive. */
import { createLogger } from '@latchkey/service/logger';
import { eq } from 'drizzle-orm';
import { type Hex, pad } from 'viem';
import { vi } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { chainChanges, chainPositions, runs, triggers, users } from '../src/db/schema.ts';
import type { ChainBlockConfig, ChainEventConfig } from '../src/sources/chain-config.ts';
import { type Cursor, readCursor } from '../src/sources/chain-cursor.ts';
import { type ChainFollower, createChainFollower } from '../src/sources/chain-follower.ts';
import { type ChainNode, type ChainRpc, createChainRpc } from '../src/sources/chain-rpc.ts';
import { parseEventSignature, toTopic0 } from '../src/sources/event-signature.ts';
import { sources } from '../src/sources/index.ts';
import { sealer } from './fixtures.ts';
import { type NewLog, noFaults, type StandInChain } from './stand-in-chain.ts';

export const CONTRACT: Hex = `0x${'11'.repeat(20)}`;
export const SIGNATURE = 'Filled(uint256 indexed id, bytes note)';
const TOPIC0 = toTopic0(parseEventSignature(SIGNATURE));

/** A log of `Filled` with this id and an empty note. */
export const filled = (id: number, address = CONTRACT): NewLog => ({
  address,
  topics: [TOPIC0, pad(`0x${id.toString(16).padStart(2, '0')}`)],
  data: `0x${'20'.padStart(64, '0')}${'0'.repeat(64)}`,
});

/** Deletes the triggers, and what was read for a chain of an earlier test. */
export async function clearChains(db: Database): Promise<void> {
  await db.delete(triggers);
  await db.delete(chainPositions);
  await db.delete(chainChanges);
}

/** Resolves to the id of the user of this account. Creates the user when needed. */
async function upsertUser(db: Database, account: string): Promise<string> {
  await db.insert(users).values({ account }).onConflictDoNothing();
  const [user] = await db.select().from(users).where(eq(users.account, account));
  if (!user) throw new Error('user not found');
  return user.id;
}

export async function addTrigger(
  db: Database,
  config: Partial<ChainEventConfig> = {},
  { maxQueuedRuns = 1_000_000, account = `0x${'0'.repeat(64)}` } = {},
): Promise<string> {
  const [id] = await insertTriggers(db, [config], await upsertUser(db, account), maxQueuedRuns);
  if (id === undefined) throw new Error('insert returned no trigger');
  return id;
}

/** Adds a chain-block trigger, which has no confirmations and starts at block 1. */
export async function addBlockTrigger(
  db: Database,
  config: Partial<ChainBlockConfig>,
  { maxQueuedRuns = 1_000_000 } = {},
): Promise<string> {
  const followed = {
    chain: 'service' as const,
    chain_id: 31_337,
    start_block: 1,
    confirmations: 0,
    fire_on_retraction: false,
    paused_events: 'drop' as const,
  };
  const userId = await upsertUser(db, `0x${'0'.repeat(64)}`);
  const made = { ...newTrigger(userId, maxQueuedRuns), kind: 'chain_block' as const };
  const [row] = await db
    .insert(triggers)
    .values({ ...made, config: { ...followed, ...config } satisfies ChainBlockConfig })
    .returning({ id: triggers.id });
  if (!row) throw new Error('insert returned no trigger');
  return row.id;
}

const newTrigger = (userId: string, maxQueuedRuns: number) => ({
  userId,
  name: 'a trigger',
  actionCode: '',
  defaultParams: {},
  usageApiKey: '',
  maxRunsPerMinute: 1_000_000,
  maxQueuedRuns,
  maxConcurrentRuns: 1,
});

/** Adds many triggers of one account. Resolves to their ids, in the order of their numbers. */
export async function addTriggers(
  db: Database,
  count: number,
  configOf: (n: number) => Partial<ChainEventConfig>,
): Promise<string[]> {
  const userId = await upsertUser(db, `0x${'0'.repeat(64)}`);
  const ids: string[] = [];
  for (let first = 0; first < count; first += 1_000) {
    const configs = Array.from({ length: Math.min(1_000, count - first) }, (_, n) => configOf(first + n));
    ids.push(...(await insertTriggers(db, configs, userId, 1_000_000)));
  }
  return ids;
}

async function insertTriggers(
  db: Database,
  configs: readonly Partial<ChainEventConfig>[],
  userId: string,
  maxQueuedRuns: number,
): Promise<string[]> {
  const made = await db
    .insert(triggers)
    .values(
      configs.map((config) => ({
        ...newTrigger(userId, maxQueuedRuns),
        kind: 'chain_event' as const,
        config: {
          chain: 'service',
          chain_id: 31_337,
          contract_address: CONTRACT,
          event_signature: SIGNATURE,
          topic_filters: [],
          start_block: 0,
          confirmations: 0,
          fire_on_retraction: false,
          paused_events: 'drop',
          ...config,
        } satisfies ChainEventConfig,
      })),
    )
    .returning({ id: triggers.id });
  return made.map(({ id }) => id);
}

/** Changes a trigger as PATCH does: `config` replaces the config, fields that are absent in it take their defaults. */
export async function patchTrigger(
  db: Database,
  chain: StandInChain,
  id: string,
  { config: wire, enabled }: { config?: Record<string, unknown>; enabled?: boolean },
): Promise<Record<string, unknown> | undefined> {
  const faults = { ...chain.faults };
  Object.assign(chain.faults, noFaults);
  await using node = await chain.serve();
  const none = {
    ethereum: undefined,
    base: undefined,
    arbitrum: undefined,
    bsc: undefined,
    polygon: undefined,
  };
  const options = { rpcUrls: { service: [node.url], ...none }, sealer };
  const [trigger] = await db.select().from(triggers).where(eq(triggers.id, id));
  const { accept, place: placeOf } = sources[trigger?.kind ?? 'chain_event'];
  if (!trigger || !placeOf) throw new Error('trigger not found');
  const before = trigger.config;
  const config = wire ? await accept(wire, { id, before }, options) : before;
  const isResumed = enabled === true && !trigger.enabled;
  const place =
    wire || isResumed ? await placeOf({ id, config }, { wire, before, isResumed }, options) : undefined;
  Object.assign(chain.faults, faults);
  return db.transaction(async (tx) => {
    const updatedAt = new Date(trigger.updatedAt.getTime() + 1);
    await tx.update(triggers).set({ config, enabled, updatedAt }).where(eq(triggers.id, id));
    return place?.(tx);
  });
}

export type Firing = { id: string; log: string; retracted: boolean; isRetraction: boolean; block: number };

/** Identifies a log by block hash and index. */
export const logName = (log: { blockHash: string; logIndex: number }) => `${log.blockHash}:${log.logIndex}`;

/** Resolves to the runs of a trigger, oldest first. */
export async function listFirings(db: Database, triggerId: string): Promise<Firing[]> {
  const rows = await db.select().from(runs).where(eq(runs.triggerId, triggerId)).orderBy(runs.createdAt);
  return rows.map(({ id, input, retractedAt }) => {
    const { event, retracted } = input as {
      event: {
        raw_log?: { blockHash: string };
        block_hash?: string;
        log_index?: number;
        block_number: number;
      };
      retracted?: boolean;
    };
    const blockHash = event.raw_log?.blockHash ?? event.block_hash ?? '';
    const log = logName({ blockHash, logIndex: event.log_index ?? 0 });
    return {
      id,
      log,
      retracted: retractedAt !== null,
      isRetraction: retracted === true,
      block: event.block_number,
    };
  });
}

/** A node of a stand-in chain, without subscriptions. */
export const nodeOf = (chain: StandInChain): ChainNode => ({
  ...createChainRpc(chain.request),
  ...{ request: chain.request, host: 'stand-in', close: () => {} },
});

export function createFollower(
  db: Database,
  chain: StandInChain,
  rpc: ChainRpc = nodeOf(chain),
): ChainFollower {
  const log = createLogger({ name: 'test', level: 'silent' });
  // Each tick takes the chain from the other followers of a test.
  return createChainFollower({ db, log, worker: idleWorker, leaseMs: 0 }, 'service', rpc);
}
const idleWorker = { wake: () => {}, running: () => 0, close: async () => {} };

/** Resolves to the cursor of a trigger, which is at the position of its chain while the trigger is live. */
export async function cursorOf(db: Database, id: string): Promise<Cursor> {
  const [trigger] = await db.select().from(triggers).where(eq(triggers.id, id));
  return readCursor(db, id, trigger?.config as ChainEventConfig);
}

/** Ticks a follower until it has reached the head. Moves the clock to skip pauses after failures. */
export async function syncToHead(db: Database, chain: StandInChain, follower: ChainFollower): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds++) {
    vi.setSystemTime(Date.now() + 60_000);
    await follower.tick();
    await follower.backfilled();
    // The read of final blocks ends where the recent blocks begin.
    await follower.tick();
    const enabled = await db.select().from(triggers).where(eq(triggers.enabled, true));
    const cursors = await Promise.all(
      enabled.map(async ({ id, config }) => ({ ...(await cursorOf(db, id)), config })),
    );
    const isSynced = cursors.every(
      ({ nextBlock, unread, config }) =>
        unread.length === 0 && Number(nextBlock) > chain.head() - Number(config.confirmations),
    );
    if (isSynced) return;
  }
  throw new Error('the follower does not reach the head');
}
