/** Keeps the followed triggers of a chain equal to the stored ones. */
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { ChainName } from '../config.ts';
import type { Database } from '../db/database.ts';
import { chainCursors, triggers } from '../db/schema.ts';
import type { AcceptOptions } from '../runs/accept.ts';
import type { ChainEventConfig } from './chain-config.ts';
import { type Cursor, firstToRead, lockFollowed, readCursor } from './chain-cursor.ts';
import { followUnread, openState, type State } from './chain-lanes.ts';
import type { ChainRpc } from './chain-rpc.ts';
import { parseEventSignature, toTopic0 } from './event-signature.ts';
import type { Followed } from './fired-logs.ts';

export type FollowerOptions = AcceptOptions & { log: Logger };

export type SyncOptions = FollowerOptions & {
  chain: ChainName;
  rpc: Pick<ChainRpc, 'chainId'>;
  /** States by trigger id. */
  states: Map<string, State>;
  /** Triggers whose chain id is not the node's, with their version. */
  wrongChain: Map<string, number>;
};

/** Resolves to the enabled triggers of a chain, with their unread ranges once they have a cursor. */
export const loadTriggers = (db: Database, chain: ChainName) =>
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
      and(eq(triggers.kind, 'chain_event'), triggers.enabled, eq(sql`${triggers.config} ->> 'chain'`, chain)),
    );

type StoredTrigger = Awaited<ReturnType<typeof loadTriggers>>[number];

/** Adds new triggers, opens changed ones again and removes the others. */
export async function syncStates(options: SyncOptions, rows: readonly StoredTrigger[]): Promise<void> {
  const { db, log, chain, rpc, states, wrongChain } = options;
  let chainId: number | undefined;
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of states.keys()) if (!ids.has(id)) states.delete(id);
  for (const row of rows) {
    const { id } = row;
    const version = row.updatedAt.getTime();
    const state = states.get(id);
    if (state?.trigger.version === version) {
      followUnread(state, row.unread ?? []);
      continue;
    }
    if (wrongChain.get(id) === version) continue;
    states.delete(id);
    const trigger = toFollowed(row);
    chainId ??= await rpc.chainId();
    if (trigger.config.chain_id !== chainId) {
      log.error(
        { trigger_id: id, chain, chain_id: chainId },
        'the RPC node serves another chain than the trigger',
      );
      wrongChain.set(id, version);
      continue;
    }
    const opened = await withCursor(db, trigger, async (tx, cursor) =>
      openState(trigger, cursor, await firstToRead(tx, cursor, trigger.config)),
    );
    if (opened) states.set(id, opened);
  }
}

/** Locks the trigger and reads its cursor. Resolves to undefined when the trigger was paused, deleted or changed. */
export const withCursor = <Result>(
  db: Database,
  trigger: Followed,
  use: (tx: Database, cursor: Cursor) => Promise<Result>,
): Promise<Result | undefined> =>
  db.transaction(async (tx) =>
    (await lockFollowed(tx, trigger)) ? use(tx, await readCursor(tx, trigger.id, trigger.config)) : undefined,
  );

function toFollowed({ id, userId, updatedAt, ...row }: StoredTrigger): Followed {
  const config = row.config as ChainEventConfig;
  const event = parseEventSignature(config.event_signature);
  return { id, userId, version: updatedAt.getTime(), config, event, topic0: toTopic0(event) };
}
