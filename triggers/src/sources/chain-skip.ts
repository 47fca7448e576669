/** Leaves the blocks of an outage to the background, so that new blocks do not wait for them. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type BlockRange, chainCursors } from '../db/schema.ts';
import { addRange, type Cursor, firstFired, firstToRead, greatest } from './chain-cursor.ts';
import { followUnread, liveState } from './chain-lanes.ts';
import { keepChain } from './chain-position.ts';
import type { Following } from './chain-reads.ts';
import { detach } from './chain-states.ts';
import { chunks } from './chunks.ts';
import type { Followed } from './followed.ts';

/** Cursors per statement. */
const GROUP = 500;

/** `from` is the newest block that was processed, `to` the one from which the live triggers go on. */
type Skipped = { from: bigint; to: bigint; fired: ReadonlyMap<string, bigint> | undefined };
type Moved = { trigger: Followed; nextBlock: bigint; unread: readonly BlockRange[] };

/** Moves the position to the newest final block. All live triggers have the blocks between as unread ranges. */
export async function skipToFinal(following: Following): Promise<void> {
  const { db, claimant, headers, live, position, rpc, states } = following;
  await detachFamilies(following);
  const [from, to] = [position.head, headers.final()];
  const last = await rpc.block(from);
  if (!last) throw new Error(`node has no block ${from}`);
  const isReplaced = last.hash !== position.read.get(from);
  const moved: Moved[] = [];
  await db.transaction(async (tx) => {
    await keepChain(claimant, { headBlock: to, headHash: null }, tx);
    for (const group of chunks(live.all(), GROUP)) {
      const ids = group.map(({ id }) => id);
      const fired = isReplaced ? await firstFired(tx, ids) : undefined;
      const cursors = await lockLive(tx, ids);
      const changes = group.flatMap((trigger) => {
        const cursor = cursors.get(trigger.id);
        return cursor ? [skip(trigger, cursor, { from, to, fired })] : [];
      });
      await storeAll(tx, changes);
      moved.push(...changes);
    }
  });
  position.head = to;
  position.read.clear();
  for (const { trigger, ...cursor } of moved) {
    const state = states.get(trigger.id);
    if (state) followUnread(state, cursor.unread);
    else if (cursor.unread.length > 0) states.set(trigger.id, liveState(trigger, cursor));
  }
}

/** The blocks between can announce children: their triggers read them before they go on. */
async function detachFamilies({ db, live, changed }: Following): Promise<void> {
  for (const trigger of live.all()) {
    if (!trigger.family) continue;
    changed.add(trigger.id);
    live.delete(trigger.id);
    await detach(db, trigger);
  }
}

async function lockLive(tx: Database, ids: string[]): Promise<Map<string, Cursor>> {
  const rows = await tx
    .select()
    .from(chainCursors)
    .where(and(inArray(chainCursors.triggerId, ids), chainCursors.isLive))
    .orderBy(chainCursors.triggerId)
    .for('no key update');
  return new Map(rows.map((row) => [row.triggerId, row]));
}

/** Reads the blocks before again when a reorg has replaced them. */
function skip(trigger: Followed, stored: Cursor, { from, to, fired }: Skipped): Moved {
  const confirmations = BigInt(trigger.config.confirmations);
  const cursor = { ...stored, nextBlock: greatest(stored.nextBlock, from - confirmations + 1n) };
  const { nextBlock: next } = cursor;
  const last = to - confirmations;
  const again = fired
    ? addRange(cursor.unread, firstToRead(cursor, trigger.config, fired.get(trigger.id)), next - 1n, 'again')
    : cursor.unread;
  return { trigger, nextBlock: greatest(next, last + 1n), unread: addRange(again, next, last) };
}

async function storeAll(tx: Database, moved: readonly Moved[]): Promise<void> {
  if (moved.length === 0) return;
  const column = (read: (each: Moved) => unknown) => sql.param(moved.map(read));
  const given = sql`unnest(
    ${column(({ trigger }) => trigger.id)}::uuid[],
    ${column(({ nextBlock }) => String(nextBlock))}::bigint[],
    ${column(({ unread }) => JSON.stringify(unread))}::text[]
  ) as given (id, next_block, unread)`;
  await tx
    .update(chainCursors)
    .set({ nextBlock: sql`given.next_block`, unread: sql`given.unread::json` })
    .from(given)
    .where(eq(chainCursors.triggerId, sql`given.id`));
}
