/**
 * Reconciles the logs that have fired with the logs on the chain. One transaction settles a range of blocks: it fires new logs,
 * retracts fired logs that are no longer on the chain, and advances the cursor. Settling a range again changes nothing.
 */
import { and, between, eq, lt, sql } from 'drizzle-orm';
import { type AbiEvent, type Hex, numberToHex } from 'viem';
import type { Database } from '../db/database.ts';
import { chainCursors, firedLogs, runs, triggers } from '../db/schema.ts';
import { type AcceptOptions, acceptRun, QueueFullError, TriggerDisabledError } from '../runs/accept.ts';
import type { ChainEventConfig } from './chain-event.ts';
import { REORG_DEPTH } from './chain-headers.ts';
import type { ChainLog } from './chain-rpc.ts';
import { decodeLog } from './event-signature.ts';

/** Runs per transaction. */
const BATCH = 100;

/** A chain-event trigger with its parsed event. */
export type Followed = {
  id: string;
  config: ChainEventConfig;
  event: AbiEvent;
  topic0: Hex;
  /** Identity of the cursor: the cursor is reset when it changes. */
  follows: string;
};

/** Opens or creates the cursor of a trigger. Resolves to the first block to read: REORG_DEPTH before the cursor. */
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

/** Resolves to the numbers of blocks in a range that have fired logs. */
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
  /** Head of the chain when the logs were read. */
  head: bigint;
  /** All logs of the range that match the trigger. */
  logs: readonly ChainLog[];
  /** Hash of a block on the chain. Undefined when it is unknown: fired logs of the block then stay as they are. */
  hashAt: (number: bigint) => Hex | undefined;
};

/**
 * `next` is the block to continue with. `more`: continue immediately. `waits`: continue later, when the queue has capacity or the
 * node has caught up.
 */
export type Settled = { next: bigint; state: 'done' | 'more' | 'waits' };

/** Settles a range in one transaction, and wakes the worker after the commit. */
export async function settle(
  { db, worker }: AcceptOptions,
  trigger: Followed,
  range: Range,
): Promise<Settled> {
  const { settled, accepted } = await db.transaction((tx) => settleIn({ db: tx, worker }, trigger, range));
  if (accepted > 0) worker.wake();
  return settled;
}

const logKey = (log: { blockHash: string; transactionHash: string; logIndex: bigint | number }) =>
  `${log.blockHash}:${log.transactionHash}:${log.logIndex}`;

async function settleIn(
  { db: tx, worker }: AcceptOptions,
  trigger: Followed,
  { from, to, head, logs, hashAt }: Range,
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
    const inTransaction = { db: tx, worker: { ...worker, wake: () => {} } };
    const run = await acceptRun(
      inTransaction,
      { id },
      { input, dedupeKey: `${config.chain_id}:${dedupeKey}` },
    );
    accepted++;
    return run;
  };

  const fired = await tx
    .select()
    .from(firedLogs)
    .where(and(eq(firedLogs.triggerId, id), between(firedLogs.blockNumber, from, to)))
    .orderBy(firedLogs.blockNumber, firedLogs.logIndex);
  const known = new Map(fired.map((row) => [logKey(row), row]));

  let next = from;
  let state: Settled['state'] = 'done';
  try {
    for (const [key, row] of known) {
      const hash = hashAt(row.blockNumber);
      if (row.retractedAt || hash === undefined || hash === row.blockHash) continue;
      if (config.fire_on_retraction) {
        const [run] = await tx.select({ input: runs.input }).from(runs).where(eq(runs.id, row.runId));
        if (run) await accept({ ...run.input, retracted: true }, `${key}:${row.retractions}:retracted`);
      }
      await setRetractedAt(tx, id, row, sql`clock_timestamp()`);
      await tx
        .update(firedLogs)
        .set({ retractedAt: sql`clock_timestamp()`, retractions: row.retractions + 1 })
        .where(isRow(row));
    }
    // Older blocks are final. Their rows in fired_logs were deleted, so their logs must not fire again.
    const final = cursor.nextBlock - REORG_DEPTH;
    for (const log of logs) {
      next = log.blockNumber;
      const key = logKey(log);
      const row = known.get(key);
      if (log.blockNumber < final || (row && !row.retractedAt)) continue;
      if (row && !config.fire_on_retraction) {
        await setRetractedAt(tx, id, row, null);
        await tx.update(firedLogs).set({ retractedAt: null }).where(isRow(row));
        continue;
      }
      // With fire_on_retraction, a log that returns to the chain fires again.
      const run = await accept(toRunInput(trigger, log), row ? `${key}:${row.retractions}` : key);
      if (!run.isNew) await setRetractedAt(tx, id, { runId: run.id }, null);
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

/** The transaction has stored BATCH runs. */
class BatchFull extends Error {}

type Row = typeof firedLogs.$inferSelect;

const isRow = (row: Row) =>
  and(
    eq(firedLogs.triggerId, row.triggerId),
    eq(firedLogs.blockHash, row.blockHash),
    eq(firedLogs.transactionHash, row.transactionHash),
    eq(firedLogs.logIndex, row.logIndex),
  );

async function setRetractedAt(
  tx: Database,
  triggerId: string,
  { runId }: Pick<Row, 'runId'>,
  retractedAt: ReturnType<typeof sql> | null,
): Promise<void> {
  // The end of a run and a deletion lock in this order too.
  await tx.select({ id: triggers.id }).from(triggers).where(eq(triggers.id, triggerId)).for('no key update');
  await tx.update(runs).set({ retractedAt }).where(eq(runs.id, runId));
}

/** Builds the parameters of the action. */
function toRunInput({ config, event, topic0 }: Followed, log: ChainLog): Record<string, unknown> {
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
      raw_log: toRawLog(log),
    },
  };
}

/** Formats a log as in JSON-RPC. */
const toRawLog = ({ address, topics, data, blockHash, transactionHash, ...log }: ChainLog) => ({
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
