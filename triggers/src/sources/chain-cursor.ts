/**
 * Read positions of chain triggers. The caller of every function holds the lock of the trigger's row. Every transaction that
 * writes the trigger's cursor, logs or runs takes this lock first, as DELETE does, so that none waits for another in a circle.
 */
import { and, eq, gte, inArray, isNotNull, isNull, min, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import {
  type BlockRange,
  chainCursors,
  chainPositions,
  factoryChildren,
  firedLogs,
  triggers,
} from '../db/schema.ts';
import { type ChainConfig, firstBlock } from './chain-config.ts';
import { REORG_DEPTH } from './chain-headers.ts';

export type Cursor = typeof chainCursors.$inferSelect;

/** Unread ranges per trigger. Further ones are joined: the blocks between are read again, which fires no log again. */
const MAX_RANGES = 8;

/** Locks the trigger. Resolves to false when it is paused, deleted or newer than `version`. */
export async function lockFollowed(
  tx: Database,
  { id, version }: { id: string; version: number },
): Promise<boolean> {
  const [row] = await tx
    .select({ enabled: triggers.enabled, updatedAt: triggers.updatedAt })
    .from(triggers)
    .where(eq(triggers.id, id))
    .for('no key update');
  return row?.enabled === true && row.updatedAt.getTime() === version;
}

/** Resolves to the cursor. That of a live trigger is at the position of its chain. */
export async function readCursor(
  tx: Database,
  id: string,
  { chain, chain_id, confirmations }: Pick<ChainConfig, 'chain' | 'chain_id' | 'confirmations'>,
): Promise<Cursor> {
  const position = tx
    .select({ head: chainPositions.headBlock })
    .from(chainPositions)
    .where(and(chainCursors.isLive, eq(chainPositions.chain, chain), eq(chainPositions.chainId, chain_id)));
  const [found] = await tx
    .select({ cursor: chainCursors, head: sql<string | null>`(${position})` })
    .from(chainCursors)
    .where(eq(chainCursors.triggerId, id))
    // `skipToFinal` changes cursors without the lock of their triggers.
    .for('no key update');
  if (!found) throw new Error('cursor not found');
  const { cursor } = found;
  if (found.head === null) return cursor;
  const head = BigInt(found.head);
  return {
    ...cursor,
    nextBlock: greatest(cursor.nextBlock, head - BigInt(confirmations) + 1n),
    headBlock: greatest(cursor.headBlock, head),
  };
}

const update = (tx: Database, id: string, change: Partial<Cursor>) =>
  tx.update(chainCursors).set(change).where(eq(chainCursors.triggerId, id));

/** First block whose logs were not considered, apart from the unread ranges. */
const frontier = ({ nextBlock, silentBelow }: Cursor) => greatest(nextBlock, silentBelow);

/** Lowest block that a reorg can replace, given that the frontier is at most one above the head. */
export const horizon = (cursor: Cursor) => frontier(cursor) - REORG_DEPTH;

/** Lowest blocks, of those that a reorg can replace, with runs of triggers. */
export async function firstFired(tx: Database, ids: readonly string[]): Promise<Map<string, bigint>> {
  const horizonOf = sql`greatest(${chainCursors.nextBlock}, ${chainCursors.silentBelow}) - ${REORG_DEPTH}`;
  const rows = await tx
    .select({ id: firedLogs.triggerId, block: min(firedLogs.blockNumber) })
    .from(firedLogs)
    .innerJoin(chainCursors, eq(chainCursors.triggerId, firedLogs.triggerId))
    .where(
      and(
        inArray(firedLogs.triggerId, ids as string[]),
        isNotNull(firedLogs.runId),
        gte(firedLogs.blockNumber, horizonOf),
      ),
    )
    .groupBy(firedLogs.triggerId);
  return new Map(rows.flatMap(({ id, block }) => (block === null ? [] : [[id, block] as const])));
}

/**
 * First block whose logs a reorg can retract or fire, given the lowest one with a run. Runs of logs before `start_block` can still be
 * retracted.
 */
export function firstToRead(cursor: Cursor, config: ChainConfig, fired: bigint | undefined): bigint {
  const start = BigInt(firstBlock(config));
  return fired !== undefined && fired < start ? fired : greatest(horizon(cursor), start);
}

export const isUnread = ({ unread }: Pick<Cursor, 'unread'>, block: bigint) =>
  unread.some(([first, last]) => block >= first && block <= last);

/** Adds a range. Ranges can overlap. */
export function addRange(
  unread: readonly BlockRange[],
  first: bigint,
  last: bigint,
  again?: 'again',
): readonly BlockRange[] {
  if (first > last) return unread;
  const [from, to] = [Number(first), Number(last)];
  const added: BlockRange = again ? [from, to, again] : [from, to];
  const previous = unread.at(-1);
  if (!previous) return [added];
  const isJoined = previous[2] === again && from <= previous[1] + 1 && to >= previous[0] - 1;
  if (!isJoined && unread.length < MAX_RANGES) return [...unread, added];
  const joined: BlockRange = [Math.min(previous[0], from), Math.max(previous[1], to)];
  if (again && previous[2]) joined.push(again);
  return [...unread.slice(0, -1), joined];
}

/** Removes the blocks below `next` from the first range. */
export function removeBelow([first, ...others]: readonly BlockRange[], next: bigint): BlockRange[] {
  if (!first || next <= first[0]) return first ? [first, ...others] : [];
  const [, last, ...again] = first;
  return next > last ? others : [[Number(next), last, ...again], ...others];
}

/**
 * Starts to read at `config.start_block`. Confirmed blocks are read in the background. `isSameChain`: the trigger has followed the
 * chain before, so that logs that have fired do not fire again.
 */
export async function placeCursor(
  tx: Database,
  id: string,
  { config, head, isSameChain }: { config: ChainConfig; head: number; isSameChain: boolean },
): Promise<void> {
  const first = firstBlock(config);
  const confirmed = head - config.confirmations;
  const placed = {
    nextBlock: BigInt(Math.max(first, confirmed + 1)),
    silentBelow: 0n,
    sides: [],
    unread: [...addRange([], BigInt(first), BigInt(confirmed))],
    ...(!isSameChain && { headBlock: 0n }),
  };
  await tx
    .insert(chainCursors)
    .values({ triggerId: id, ...placed })
    .onConflictDoUpdate({ target: chainCursors.triggerId, set: placed });
  const isObsolete = isSameChain ? isNull(firedLogs.runId) : undefined;
  await tx.delete(firedLogs).where(and(eq(firedLogs.triggerId, id), isObsolete));
  await tx.delete(factoryChildren).where(eq(factoryChildren.triggerId, id));
}

/**
 * Makes the logs of a changed filter fire from the frontier on. Blocks that a reorg can replace are read again without firing, so that
 * of their logs only the ones fire that a later reorg brings.
 */
export async function silenceRead(tx: Database, cursor: Cursor, config: ChainConfig): Promise<Cursor> {
  const again = greatest(horizon(cursor), BigInt(firstBlock(config)));
  const change = {
    // Blocks of a pause can have announced children.
    nextBlock: config.factory && cursor.nextBlock < again ? cursor.nextBlock : again,
    silentBelow: frontier(cursor),
    sides: [],
    unread: cursor.unread.filter(([, , again]) => !again),
  };
  await update(tx, cursor.triggerId, change);
  return { ...cursor, ...change };
}

const isSilenced = ({ nextBlock, silentBelow }: Cursor) => nextBlock < silentBelow;

/** Adds the read blocks that a reorg can have replaced to the unread ranges. */
async function readAgain(tx: Database, cursor: Cursor, config: ChainConfig): Promise<readonly BlockRange[]> {
  if (isSilenced(cursor)) return cursor.unread;
  const fired = await firstFired(tx, [cursor.triggerId]);
  const first = firstToRead(cursor, config, fired.get(cursor.triggerId));
  return addRange(cursor.unread, first, cursor.nextBlock - 1n, 'again');
}

/**
 * Drops the logs that were confirmed between the last read and `head`. The background reads the blocks that were confirmed at the
 * last read, and the lower blocks that a reorg can have replaced. With a factory, all blocks are read for its children.
 */
export async function dropPaused(
  tx: Database,
  cursor: Cursor,
  { before, after, head }: { before: ChainConfig; after: ChainConfig; head: number },
): Promise<Cursor> {
  const first = frontier(cursor);
  const confirmed = cursor.headBlock - BigInt(before.confirmations);
  const newest = greatest(BigInt(head), cursor.headBlock);
  const resumed = greatest(first, confirmed + 1n, newest - BigInt(after.confirmations) + 1n);
  if (resumed === first) return cursor;
  const again = greatest(resumed - REORG_DEPTH, BigInt(firstBlock(after)));
  const next = isSilenced(cursor) ? cursor.nextBlock : greatest(first, confirmed + 1n);
  const change = {
    silentBelow: resumed,
    sides: [],
    nextBlock: after.factory && next < again ? next : again,
    unread: [...addRange(await readAgain(tx, cursor, after), first, confirmed)],
  };
  await update(tx, cursor.triggerId, change);
  return { ...cursor, ...change };
}

/** First block that is still to be read after `dropPaused` made `now` of `before`. */
export function firstToFire(before: Cursor, now: Cursor, { confirmations }: ChainConfig): number {
  const first = frontier(before);
  const isWaiting = first <= before.headBlock - BigInt(confirmations);
  const unread = before.unread.flatMap(([from, , again]) => (again ? [] : [from]));
  return Math.min(...unread, Number(isWaiting ? first : frontier(now)));
}

/** Moves the blocks up to `last` to the unread ranges, which are read in the background, when they are many. */
export async function deferRead(
  tx: Database,
  cursor: Cursor,
  { config, last }: { config: ChainConfig; last: bigint },
): Promise<Cursor> {
  const { nextBlock } = cursor;
  if (isSilenced(cursor) || nextBlock + REORG_DEPTH > last) return cursor;
  const change = {
    nextBlock: last + 1n,
    unread: [...addRange(await readAgain(tx, cursor, config), nextBlock, last)],
  };
  await update(tx, cursor.triggerId, change);
  return { ...cursor, ...change };
}

export function greatest(first: bigint, ...others: bigint[]): bigint {
  let found = first;
  for (const other of others) if (other > found) found = other;
  return found;
}
