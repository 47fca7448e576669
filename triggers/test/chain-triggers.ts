/** Chain-event triggers in a database, and followers that are told when to look. */
import { createLogger } from '@latchkey/service/logger';
import { eq } from 'drizzle-orm';
import { type Hex, pad } from 'viem';
import { vi } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { chainCursors, runs, triggers, users } from '../src/db/schema.ts';
import type { ChainEventConfig } from '../src/sources/chain-event.ts';
import { type ChainFollower, createChainFollower } from '../src/sources/chain-follower.ts';
import { chainRpcOf } from '../src/sources/chain-rpc.ts';
import { parseEventSignature, topic0Of } from '../src/sources/event-signature.ts';
import type { NewLog, StandInChain } from './stand-in-chain.ts';

export const CONTRACT: Hex = `0x${'11'.repeat(20)}`;
export const SIGNATURE = 'Filled(uint256 indexed id, bytes note)';
const TOPIC0 = topic0Of(parseEventSignature(SIGNATURE));

/** A log of `Filled` with this id, whose note is empty. */
export const filled = (id: number, address = CONTRACT): NewLog => ({
  address,
  topics: [TOPIC0, pad(`0x${id.toString(16).padStart(2, '0')}`)],
  data: `0x${'20'.padStart(64, '0')}${'0'.repeat(64)}`,
});

/** A user of this account, made when it is not there. */
async function userOf(db: Database, account: string): Promise<string> {
  await db.insert(users).values({ account }).onConflictDoNothing();
  const [user] = await db.select().from(users).where(eq(users.account, account));
  if (!user) throw new Error('no user');
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
    ...config,
  };
  const [made] = await db
    .insert(triggers)
    .values({
      userId: await userOf(db, account),
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
  if (!made) throw new Error('no trigger');
  return made.id;
}

export type Firing = { id: string; log: string; retracted: boolean; isRetraction: boolean; block: number };

/** Block hash and index name a log. */
export const nameOf = (log: { blockHash: string; logIndex: number }) => `${log.blockHash}:${log.logIndex}`;

/** What has fired for a trigger, in order. */
export async function firingsOf(db: Database, triggerId: string): Promise<Firing[]> {
  const rows = await db.select().from(runs).where(eq(runs.triggerId, triggerId)).orderBy(runs.createdAt);
  return rows.map(({ id, input, retractedAt }) => {
    const { event, retracted } = input as {
      event: { raw_log: { blockHash: string }; log_index: number; block_number: number };
      retracted?: boolean;
    };
    const log = nameOf({ blockHash: event.raw_log.blockHash, logIndex: event.log_index });
    return {
      id,
      log,
      retracted: retractedAt !== null,
      isRetraction: retracted === true,
      block: event.block_number,
    };
  });
}

export function followerOf(db: Database, chain: StandInChain): ChainFollower {
  const context = { db, log: createLogger({ name: 'test', level: 'silent' }), worker: quiet };
  return createChainFollower(context, 'service', chainRpcOf(chain.request));
}
const quiet = { wake: () => {}, running: () => 0, close: async () => {} };

/** Lets a follower of an honest node come to its rest; pauses after failures are skipped by the clock. */
export async function settleDown(db: Database, chain: StandInChain, follower: ChainFollower): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds++) {
    vi.setSystemTime(Date.now() + 60_000);
    await follower.tick();
    await follower.backfilled();
    // What is read of old blocks ends where the new ones begin.
    await follower.tick();
    const behind = await db
      .select({ next: chainCursors.nextBlock, config: triggers.config })
      .from(triggers)
      .leftJoin(chainCursors, eq(chainCursors.triggerId, triggers.id))
      .where(eq(triggers.enabled, true));
    const isAtRest = behind.every(
      ({ next, config }) => next !== null && Number(next) > chain.head() - Number(config.confirmations),
    );
    if (isAtRest) return;
  }
  throw new Error('the follower does not come to its rest');
}
