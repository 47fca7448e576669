/**
 * What has fired, beside what is on the chain. A range of blocks is settled by one transaction: logs on the chain that have not
 * fired do, logs that fired and are not on the chain are retracted, and the cursor passes the range. Settling again changes nothing.
 */
import { and, between, eq, lt, sql } from 'drizzle-orm';
import { type AbiEvent, type Hex, numberToHex } from 'viem';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { chainCursors, firedLogs, runs } from '../db/schema.ts';
import { acceptRun, QueueFullError, TriggerDisabledError } from '../runs/accept.ts';
import type { ChainEventConfig } from './chain-event.ts';
import { REORG_DEPTH } from './chain-headers.ts';
import type { ChainLog } from './chain-rpc.ts';
import { decodeLog } from './event-signature.ts';

/** Runs stored by one transaction. */
const BATCH = 100;

/** A trigger as it is followed. */
export type Followed = {
  id: string;
  config: ChainEventConfig;
  event: AbiEvent;
  topic0: Hex;
  /** What its cursor is about. */
  follows: string;
};

/** Where reading starts: the cursor, less what the chain might have replaced behind it. Made when it is not there. */
export function openCursor(db: Database, { id, follows, config }: Followed): Promise<bigint> {
  return db.transaction(async (tx) => {
    const first = BigInt(config.start_block);
    const start = { follows, nextBlock: first, headBlock: 0n };
    await tx
      .insert(chainCursors)
      .values({ triggerId: id, ...start })
      .onConflictDoNothing();
    const [cursor] = await tx.select().from(chainCursors).where(eq(chainCursors.triggerId, id)).for('update');
    if (cursor?.follows === follows) {
      const final = cursor.nextBlock - REORG_DEPTH;
      if (final > first) return final;
    } else {
      await tx.delete(firedLogs).where(eq(firedLogs.triggerId, id));
      await tx.update(chainCursors).set(start).where(eq(chainCursors.triggerId, id));
    }
    return first;
  });
}

/** The numbers of the blocks with logs that fired. */
export async function firedBlocks(db: Database, id: string, from: bigint, to: bigint): Promise<bigint[]> {
  const rows = await db
    .selectDistinct({ number: firedLogs.blockNumber })
    .from(firedLogs)
    .where(and(eq(firedLogs.triggerId, id), between(firedLogs.blockNumber, from, to)));
  return rows.map(({ number }) => number);
}

export type Range = {
  from: bigint;
  to: bigint;
  /** The number of the newest block that the answers are about. */
  head: bigint;
  /** All logs of the range that the trigger waits for. */
  logs: readonly ChainLog[];
  /** The block on the chain; undefined where nothing is to be said about it. */
  hashOf: (number: bigint) => Hex | undefined;
};

/** `next` is the block to go on from; `more`: at once, `waits`: later, when there is room for runs or the node has caught up. */
export type Settled = { next: bigint; state: 'done' | 'more' | 'waits' };

export async function settle(
  { db, worker }: Pick<Context, 'db' | 'worker'>,
  trigger: Followed,
  range: Range,
): Promise<Settled> {
  const { settled, accepted } = await db.transaction((tx) => settleIn(tx, trigger, range));
  if (accepted > 0) worker.wake();
  return settled;
}

const keyOf = (log: { blockHash: string; transactionHash: string; logIndex: bigint | number }) =>
  `${log.blockHash}:${log.transactionHash}:${log.logIndex}`;

async function settleIn(
  tx: Database,
  trigger: Followed,
  { from, to, head, logs, hashOf }: Range,
): Promise<{ settled: Settled; accepted: number }> {
  const { id, config, follows } = trigger;
  const [cursor] = await tx
    .select()
    .from(chainCursors)
    .where(and(eq(chainCursors.triggerId, id), eq(chainCursors.follows, follows)))
    .for('update');
  if (!cursor || cursor.headBlock > head) return { settled: { next: from, state: 'waits' }, accepted: 0 };

  let accepted = 0;
  const accept = async (input: Record<string, unknown>, dedupeKey: string) => {
    if (accepted === BATCH) throw new BatchFull();
    // The caller wakes the worker after the commit.
    const context = { db: tx, worker: { wake: () => {} } };
    const run = await acceptRun(context, { id }, { input, dedupeKey: `${config.chain_id}:${dedupeKey}` });
    accepted++;
    return run;
  };

  const fired = await tx
    .select()
    .from(firedLogs)
    .where(and(eq(firedLogs.triggerId, id), between(firedLogs.blockNumber, from, to)))
    .orderBy(firedLogs.blockNumber, firedLogs.logIndex);
  const known = new Map(fired.map((row) => [keyOf(row), row]));

  let next = from;
  let state: Settled['state'] = 'done';
  try {
    for (const [key, row] of known) {
      const hash = hashOf(row.blockNumber);
      if (row.retractedAt || hash === undefined || hash === row.blockHash) continue;
      if (config.fire_on_retraction) {
        const [run] = await tx.select({ input: runs.input }).from(runs).where(eq(runs.id, row.runId));
        if (run) await accept({ ...run.input, retracted: true }, `${key}:${row.retractions}:retracted`);
      }
      await mark(tx, row, sql`clock_timestamp()`);
      await tx
        .update(firedLogs)
        .set({ retractedAt: sql`clock_timestamp()`, retractions: row.retractions + 1 })
        .where(isRow(row));
    }
    // Older ones are final, and what has fired of them is forgotten.
    const final = cursor.nextBlock - REORG_DEPTH;
    for (const log of logs) {
      next = log.blockNumber;
      const key = keyOf(log);
      const row = known.get(key);
      if (log.blockNumber < final || (row && !row.retractedAt)) continue;
      if (row && !config.fire_on_retraction) {
        await mark(tx, row, null);
        await tx.update(firedLogs).set({ retractedAt: null }).where(isRow(row));
        continue;
      }
      // Whoever was told of a retraction is told that it is undone.
      const run = await accept(inputOf(trigger, log), row ? `${key}:${row.retractions}` : key);
      if (!run.isNew) await mark(tx, { runId: run.id }, null);
      if (row) await tx.update(firedLogs).set({ retractedAt: null, runId: run.id }).where(isRow(row));
      else
        await tx.insert(firedLogs).values({
          triggerId: id,
          blockNumber: log.blockNumber,
          blockHash: log.blockHash,
          transactionHash: log.transactionHash,
          logIndex: Number(log.logIndex),
          runId: run.id,
        });
    }
    next = to + 1n;
  } catch (error) {
    if (error instanceof BatchFull) state = 'more';
    else if (error instanceof QueueFullError || error instanceof TriggerDisabledError) state = 'waits';
    else throw error;
  }
  let { nextBlock } = cursor;
  if (next > nextBlock) nextBlock = next;
  await tx.update(chainCursors).set({ nextBlock, headBlock: head }).where(eq(chainCursors.triggerId, id));
  if (accepted > 0)
    await tx
      .delete(firedLogs)
      .where(and(eq(firedLogs.triggerId, id), lt(firedLogs.blockNumber, nextBlock - REORG_DEPTH)));
  return { settled: { next, state }, accepted };
}

/** The transaction has stored as much as one should. */
class BatchFull extends Error {}

type Row = typeof firedLogs.$inferSelect;

const isRow = (row: Row) =>
  and(
    eq(firedLogs.triggerId, row.triggerId),
    eq(firedLogs.blockHash, row.blockHash),
    eq(firedLogs.transactionHash, row.transactionHash),
    eq(firedLogs.logIndex, row.logIndex),
  );

const mark = (tx: Database, { runId }: Pick<Row, 'runId'>, retractedAt: ReturnType<typeof sql> | null) =>
  tx.update(runs).set({ retractedAt }).where(eq(runs.id, runId));

/** The parameters that the action gets. */
function inputOf({ config, event, topic0 }: Followed, log: ChainLog): Record<string, unknown> {
  return {
    source: 'chain_event',
    event: {
      chain_key: config.chain,
      chain_id: config.chain_id,
      contract_address: config.contract_address,
      event_signature: config.event_signature,
      topic0,
      topics: log.topics,
      data: log.data,
      block_number: Number(log.blockNumber),
      transaction_hash: log.transactionHash,
      log_index: Number(log.logIndex),
      decoded: decodeLog(event, { topics: log.topics.slice(1), data: log.data }),
      raw_log: rawOf(log),
    },
  };
}

/** As JSON-RPC has it. */
const rawOf = ({ address, topics, data, blockHash, transactionHash, ...log }: ChainLog) => ({
  address,
  topics,
  data,
  blockNumber: numberToHex(log.blockNumber),
  blockHash,
  transactionHash,
  transactionIndex: numberToHex(log.transactionIndex),
  logIndex: numberToHex(log.logIndex),
  removed: false,
});
