/** Keeps the followed triggers of a chain equal to the stored ones. */
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { AbiEvent, Hex } from 'viem';
import type { ChainName } from '../config.ts';
import type { Database } from '../db/database.ts';
import { chainCursors, triggers } from '../db/schema.ts';
import type { AcceptOptions } from '../runs/accept.ts';
import { type Family, loadChildren } from './chain-children.ts';
import type { ChainBlockConfig, ChainEventConfig, Factory } from './chain-config.ts';
import { type Cursor, firstFired, lockFollowed, readCursor } from './chain-cursor.ts';
import type { LiveIndex } from './chain-index.ts';
import { followUnread, liveState, openState, type State } from './chain-lanes.ts';
import { type Claimant, isEnabledOn, keepChain } from './chain-position.ts';
import { chunks } from './chunks.ts';
import { parseEventSignature, toTopic0 } from './event-signature.ts';
import type { Followed } from './followed.ts';

/** Triggers per statement. */
const GROUP = 500;

export type FollowerOptions = AcceptOptions & { log: Logger };

export type SyncOptions = FollowerOptions & {
  chain: ChainName;
  claimant: Claimant;
  /** Triggers that have read as far as the chain. */
  live: LiveIndex;
  /** Other triggers, and live ones with unread ranges, by id. */
  states: Map<string, State>;
  /** Triggers that must be read from the database. */
  changed: Set<string>;
};

const loadTriggers = (db: Database, chain: ChainName, ids?: string[]) =>
  db
    .select({
      id: triggers.id,
      userId: triggers.userId,
      kind: triggers.kind,
      config: triggers.config,
      updatedAt: triggers.updatedAt,
      cursor: chainCursors,
    })
    .from(triggers)
    .innerJoin(chainCursors, eq(chainCursors.triggerId, triggers.id))
    .where(and(isEnabledOn(chain), ids && inArray(triggers.id, ids)));

type StoredTrigger = Awaited<ReturnType<typeof loadTriggers>>[number];

/** Reads all triggers of the chain. */
export async function loadStates(options: SyncOptions): Promise<void> {
  options.live.clear();
  options.states.clear();
  options.changed.clear();
  await openStates(options, await loadTriggers(options.db, options.chain));
}

/** Adds new triggers, opens changed ones again and removes the others. */
export async function syncStates(options: SyncOptions): Promise<void> {
  const { db, chain, live, states, changed } = options;
  for (const ids of chunks([...changed], GROUP)) {
    const rows = await loadTriggers(db, chain, ids);
    const found = new Set(rows.map(({ id }) => id));
    for (const id of ids)
      if (!found.has(id)) {
        live.delete(id);
        states.delete(id);
      }
    await openStates(options, rows);
    for (const id of ids) changed.delete(id);
  }
}

async function openStates(options: SyncOptions, rows: readonly StoredTrigger[]): Promise<void> {
  const { db, log, chain, claimant, live, states } = options;
  const opened: { trigger: Followed; cursor: Cursor }[] = [];
  for (const row of rows) {
    const { cursor } = row;
    const trigger = toFollowed(row);
    const { id, version, config } = trigger;
    const known = states.get(id);
    if (known?.trigger.version === version && known.isLive === cursor.isLive) {
      followUnread(known, cursor.unread);
      continue;
    }
    states.delete(id);
    live.delete(id);
    if (trigger.kind === 'chain_event' && config.factory)
      trigger.family = await openFamily(db, id, config.factory);
    if (config.chain_id !== claimant.chainId)
      log.error(
        { trigger_id: id, chain, chain_id: claimant.chainId },
        'the RPC node serves another chain than the trigger',
      );
    else if (!cursor.isLive) opened.push({ trigger, cursor });
    else {
      live.set(trigger);
      if (cursor.unread.length > 0) states.set(id, liveState(trigger, cursor));
    }
  }
  for (const group of chunks(opened, GROUP)) {
    const fired = await firstFired(
      db,
      group.map(({ trigger }) => trigger.id),
    );
    for (const { trigger, cursor } of group)
      states.set(trigger.id, openState(trigger, cursor, fired.get(trigger.id)));
  }
}

/** Makes the triggers live that have read as far as the chain, until a time of `performance.now()`. */
export async function attachStates(options: SyncOptions, head: bigint, endMs: number): Promise<void> {
  const { live, states } = options;
  const waiting = [...states.values()].filter(
    ({ isLive, head: lane, trigger, unread }) =>
      !isLive &&
      !(unread && trigger.family) &&
      lane.position > head - BigInt(trigger.config.confirmations) &&
      lane.failures === 0,
  );
  for (const group of chunks(waiting, GROUP)) {
    const attached = await attach(options, group, head);
    for (const state of group) {
      if (!attached.has(state.trigger.id)) continue;
      state.isLive = true;
      live.set(state.trigger);
      if (!state.unread) states.delete(state.trigger.id);
    }
    if (performance.now() > endMs) return;
  }
}

/** The lease is kept in the transaction: another process would not know that these triggers count on the position. */
const attach = (
  { db, claimant }: SyncOptions,
  group: readonly State[],
  head: bigint,
): Promise<ReadonlySet<string>> =>
  db.transaction(async (tx) => {
    const byId = new Map(group.map((state) => [state.trigger.id, state]));
    const locked = await tx
      .select({ id: triggers.id, updatedAt: triggers.updatedAt, enabled: triggers.enabled })
      .from(triggers)
      .where(inArray(triggers.id, [...byId.keys()]))
      .orderBy(triggers.id)
      .for('no key update', { skipLocked: true });
    const same = locked.filter(
      ({ id, updatedAt, enabled }) => enabled && updatedAt.getTime() === byId.get(id)?.trigger.version,
    );
    if (same.length === 0) return new Set();
    await keepChain(claimant, {}, tx);
    const positions = same.map(({ id }) => String(byId.get(id)?.head.position));
    const given = sql`unnest(${sql.param(same.map(({ id }) => id))}::uuid[], ${sql.param(positions)}::bigint[]) as given (id, position)`;
    const attached = await tx
      .update(chainCursors)
      .set({ isLive: true, nextBlock: sql`greatest(${chainCursors.nextBlock}, given.position)` })
      .from(given)
      .where(
        and(
          eq(chainCursors.triggerId, sql`given.id`),
          sql`${chainCursors.silentBelow} <= greatest(${chainCursors.nextBlock}, given.position)`,
          lte(chainCursors.headBlock, head),
        ),
      )
      .returning({ id: chainCursors.triggerId });
    return new Set(attached.map(({ id }) => id));
  });

/** Gives a live trigger a cursor of its own again. Resolves to false when the trigger was paused, deleted or changed. */
export const detach = async (db: Database, trigger: Followed): Promise<boolean> =>
  (await withCursor(db, trigger, async (tx, { nextBlock, headBlock }) => {
    await tx
      .update(chainCursors)
      .set({ isLive: false, nextBlock, headBlock })
      .where(eq(chainCursors.triggerId, trigger.id));
    return true;
  })) ?? false;

/** Locks the trigger and reads its cursor. Resolves to undefined when the trigger was paused, deleted or changed. */
export const withCursor = <Result>(
  db: Database,
  trigger: Followed,
  use: (tx: Database, cursor: Cursor) => Promise<Result>,
): Promise<Result | undefined> =>
  db.transaction(async (tx) =>
    (await lockFollowed(tx, trigger)) ? use(tx, await readCursor(tx, trigger.id, trigger.config)) : undefined,
  );

function toFollowed({ id, userId, kind, updatedAt, cursor, ...row }: StoredTrigger): Followed {
  const base = { id, userId, version: updatedAt.getTime() };
  if (kind === 'chain_block')
    return { ...base, kind, config: row.config as ChainBlockConfig, sides: cursor.sides };
  const config = row.config as ChainEventConfig;
  return { ...base, kind: 'chain_event', config, ...parseEvent(config.event_signature) };
}

async function openFamily(db: Database, id: string, { address, event, parameter }: Factory): Promise<Family> {
  const factory = address.toLowerCase() as Hex;
  return { address: factory, parameter, ...parseEvent(event), children: await loadChildren(db, id) };
}

/** Triggers of one event are many. */
const parsed = new LRUCache<string, { event: AbiEvent; topic0: Hex }>({ max: 10_000 });

function parseEvent(signature: string): { event: AbiEvent; topic0: Hex } {
  let found = parsed.get(signature);
  if (!found) {
    const event = parseEventSignature(signature);
    found = { event, topic0: toTopic0(event) };
    parsed.set(signature, found);
  }
  return found;
}
