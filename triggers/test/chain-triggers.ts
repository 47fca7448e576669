/** Chain-event triggers in a database, and followers that tests drive. */
import { createLogger } from '@latchkey/service/logger';
import { eq } from 'drizzle-orm';
import { type Hex, pad } from 'viem';
import { vi } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { chainCursors, runs, triggers, users } from '../src/db/schema.ts';
import type { ChainEventConfig } from '../src/sources/chain-config.ts';
import { chainEvent } from '../src/sources/chain-event.ts';
import { type ChainFollower, createChainFollower } from '../src/sources/chain-follower.ts';
import { type ChainNode, type ChainRpc, createChainRpc } from '../src/sources/chain-rpc.ts';
import { parseEventSignature, toTopic0 } from '../src/sources/event-signature.ts';
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
  const whole: ChainEventConfig = {
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
  };
  const [made] = await db
    .insert(triggers)
    .values({
      userId: await upsertUser(db, account),
      name: 'a trigger',
      kind: 'chain_event',
      actionCode: '',
      defaultParams: {},
      usageApiKey: '',
      maxRunsPerMinute: 1_000_000,
      maxQueuedRuns,
      maxConcurrentRuns: 1,
      config: whole,
    })
    .returning({ id: triggers.id });
  if (!made) throw new Error('insert returned no trigger');
  return made.id;
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
  if (!trigger || !chainEvent.place) throw new Error('trigger not found');
  const before = trigger.config;
  const config = wire ? await chainEvent.accept(wire, { id, before }, options) : before;
  const isResumed = enabled === true && !trigger.enabled;
  const place =
    wire || isResumed
      ? await chainEvent.place({ id, config }, { wire, before, isResumed }, options)
      : undefined;
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
      event: { raw_log: { blockHash: string }; log_index: number; block_number: number };
      retracted?: boolean;
    };
    const log = logName({ blockHash: event.raw_log.blockHash, logIndex: event.log_index });
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
  const options = { db, log: createLogger({ name: 'test', level: 'silent' }), worker: idleWorker };
  return createChainFollower(options, 'service', rpc);
}
const idleWorker = { wake: () => {}, running: () => 0, close: async () => {} };

/** Ticks a follower until it has reached the head. Moves the clock to skip pauses after failures. */
export async function syncToHead(db: Database, chain: StandInChain, follower: ChainFollower): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds++) {
    vi.setSystemTime(Date.now() + 60_000);
    await follower.tick();
    await follower.backfilled();
    // The read of final blocks ends where the recent blocks begin.
    await follower.tick();
    const cursors = await db
      .select({
        next: chainCursors.nextBlock,
        unread: chainCursors.unread,
        config: triggers.config,
      })
      .from(triggers)
      .leftJoin(chainCursors, eq(chainCursors.triggerId, triggers.id))
      .where(eq(triggers.enabled, true));
    const isSynced = cursors.every(
      ({ next, unread, config }) =>
        unread?.length === 0 && Number(next) > chain.head() - Number(config.confirmations),
    );
    if (isSynced) return;
  }
  throw new Error('the follower does not reach the head');
}
