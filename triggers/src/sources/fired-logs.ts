/**
 * Reconciles the logs that have fired with the logs on the chain. One transaction settles a range of blocks: it fires new logs,
 * retracts fired logs that are no longer on the chain, and advances the cursor. Settling a range again changes nothing.
 */
import { and, between, eq, isNotNull, lt, not, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Database } from '../db/database.ts';
import { type BlockRange, chainCursors, firedLogs, runs, type Side } from '../db/schema.ts';
import { type AcceptOptions, acceptRun, QueueFullError, TriggerDisabledError } from '../runs/accept.ts';
import { type Births, storeBirths } from './chain-children.ts';
import type { ChainConfig } from './chain-config.ts';
import {
  type Cursor,
  greatest,
  horizon,
  isUnread,
  lockFollowed,
  readCursor,
  removeBelow,
} from './chain-cursor.ts';
import type { Fired, Followed } from './followed.ts';
import { isIgnored, toRunInput } from './log-input.ts';

/** Runs per transaction. */
const BATCH = 100;
/** Part of the trigger's limits that logs of unread ranges can use. New logs have the rest. */
const UNREAD_SHARE = 0.5;

/** Resolves to the numbers of blocks in a range that have fired logs. */
export async function firedBlocks(db: Database, id: string, from: bigint, to: bigint): Promise<bigint[]> {
  const rows = await db
    .selectDistinct({ number: firedLogs.blockNumber })
    .from(firedLogs)
    .where(
      and(eq(firedLogs.triggerId, id), isNotNull(firedLogs.runId), between(firedLogs.blockNumber, from, to)),
    );
  return rows.map(({ number }) => number);
}

export type Range = {
  /** Read at the cursor, or in its first unread range. */
  lane: 'head' | 'unread';
  from: bigint;
  to: bigint;
  /** Head of the chain when the logs were read. */
  head: bigint;
  /** All logs or blocks of the range that match the trigger. */
  logs: readonly Fired[];
  /** Hash of a block on the chain. Undefined when it is unknown: fired logs of the block then stay as they are. */
  hashAt: (number: bigint) => Hex | undefined;
  /** Changes that the range makes to the children of a factory. */
  births?: Births | undefined;
  /** The sides of the balance after the range. Undefined when they are as before. */
  sides?: readonly Side[] | undefined;
};

/**
 * `next` is the block to continue with. `more`: continue immediately. `waits`: continue later, when the queue has capacity or the
 * node has caught up. `moved`: the trigger or its cursor was changed.
 */
export type Settled = {
  next: bigint;
  state: 'done' | 'more' | 'waits' | 'moved';
  /** The ranges that are left. Undefined when nothing was stored. */
  unread?: readonly BlockRange[];
  /** The stored sides of a balance. Undefined when nothing was stored. */
  sides?: readonly Side[];
};

/** Settles a range in one transaction, and wakes the worker after the commit. */
export async function settle(
  { db, worker }: AcceptOptions,
  trigger: Followed,
  range: Range,
): Promise<Settled> {
  const { settled, accepted } = await db.transaction((tx) => settleIn({ db: tx, worker }, trigger, range));
  if (range.births && settled.unread) range.births.isStored = true;
  if (trigger.kind === 'chain_block') trigger.sides = settled.sides ?? trigger.sides;
  if (accepted > 0) worker.wake();
  return settled;
}

/** Identifies a log on the chain. */
export const logKey = (log: { blockHash: string; transactionHash: string; logIndex: bigint | number }) =>
  `${log.blockHash}:${log.transactionHash}:${log.logIndex}`;

async function settleIn(
  { db: tx, worker }: AcceptOptions,
  trigger: Followed,
  range: Range,
): Promise<{ settled: Settled; accepted: number }> {
  const { id } = trigger;
  const { lane, from, to, head } = range;
  const stop = (state: Settled['state']) => ({ settled: { next: from, state }, accepted: 0 });
  if (!(await lockFollowed(tx, trigger))) return stop('moved');
  const cursor = await readCursor(tx, id, trigger.config);
  const first = lane === 'head' ? cursor.nextBlock : cursor.unread[0]?.[0];
  if (first === undefined || from > first) return stop('moved');
  if (cursor.headBlock > head) return stop('waits');
  if (range.births) await storeBirths(tx, id, range.births);

  const fired = await tx
    .select()
    .from(firedLogs)
    .where(and(eq(firedLogs.triggerId, id), between(firedLogs.blockNumber, from, to)))
    .orderBy(firedLogs.blockNumber, firedLogs.logIndex);
  // The caller wakes the worker after the commit.
  const options = { db: tx, worker: { ...worker, wake: () => {} } };
  let settled: Settled = { next: to + 1n, state: 'done' };
  let accepted = 0;
  const steps = planSteps(trigger.config, cursor, range, fired);
  for (const step of steps) {
    const state = accepted === BATCH ? 'more' : await takeStep(options, trigger, lane, step);
    if (state === 'accepted') accepted++;
    else if (state !== 'done') {
      settled = { next: 'log' in step ? step.log.blockNumber : from, state };
      break;
    }
  }
  const moved =
    lane === 'unread'
      ? { unread: removeBelow(cursor.unread, settled.next) }
      : { nextBlock: greatest(settled.next, cursor.nextBlock) };
  // The position of the chain goes on without a trigger that waits.
  const isLive = cursor.isLive && (lane === 'unread' || settled.state !== 'waits');
  const sides = sidesAfter(settled.state === 'done' ? range.sides : undefined, cursor, steps);
  await tx
    .update(chainCursors)
    .set({ ...moved, isLive, headBlock: head, ...(trigger.kind === 'chain_block' && { sides }) })
    .where(eq(chainCursors.triggerId, id));
  settled.unread = moved.unread ?? cursor.unread;
  settled.sides = sides;
  if (accepted > 0) await removeFinal(tx, { ...cursor, ...moved });
  return { settled, accepted };
}

/** A balance whose change was retracted is compared with the side before. */
function sidesAfter(found: Range['sides'], { sides }: Cursor, steps: readonly Step[]): readonly Side[] {
  const gone = new Set(steps.map((step) => step.kind === 'retract' && step.row.blockHash));
  return (found ?? sides).filter(({ hash }) => !gone.has(hash));
}

/**
 * `retract` marks the run of a log that has left the chain, and `restore` unmarks it when the log is back. `silence` notes a log that
 * fires nothing. `fire` runs the action, again for a row whose log is back.
 */
type Step =
  | { kind: 'retract' | 'restore'; row: Row; runId: string }
  | { kind: 'silence'; log: Fired }
  | { kind: 'fire'; log: Fired; row: Row | undefined };

/** Returns what a range changes, in order, given the rows of its blocks. */
function planSteps(
  config: ChainConfig,
  cursor: Cursor,
  { lane, logs, hashAt }: Range,
  fired: readonly Row[],
): Step[] {
  const steps: Step[] = [];
  for (const row of fired) {
    const hash = hashAt(row.blockNumber);
    const isGone = hash !== undefined && hash !== row.blockHash;
    if (row.runId !== null && !row.retractedAt && isGone)
      steps.push({ kind: 'retract', row, runId: row.runId });
  }
  const known = new Map(fired.map((row) => [logKey(row), row]));
  for (const log of logs) {
    const { blockNumber } = log;
    const row = known.get(logKey(log));
    if (row) {
      if (row.runId === null || !row.retractedAt) continue;
      // With fire_on_retraction, a log that returns to the chain fires again.
      if (config.fire_on_retraction) steps.push({ kind: 'fire', log, row });
      else steps.push({ kind: 'restore', row, runId: row.runId });
    } else if (blockNumber >= config.start_block && isOf(lane, cursor, blockNumber))
      steps.push(isSilent(lane, cursor, blockNumber) ? { kind: 'silence', log } : { kind: 'fire', log, row });
  }
  return steps;
}

/** Resolves to 'accepted' when the step stored a run, and to 'waits' when the queue has no capacity for it. */
async function takeStep(
  options: AcceptOptions,
  trigger: Followed,
  lane: Range['lane'],
  step: Step,
): Promise<'done' | 'accepted' | 'waits'> {
  const { db: tx } = options;
  const { id, config } = trigger;
  const accept = (input: Record<string, unknown>, key: string) =>
    acceptRun(
      options,
      { id },
      {
        input,
        dedupeKey: `${config.chain_id}:${key}`,
        ...(lane === 'unread' && { share: UNREAD_SHARE }),
      },
    );
  try {
    switch (step.kind) {
      case 'retract':
        return await retract(tx, step, config.fire_on_retraction ? accept : undefined);
      case 'restore':
        await setRetractedAt(tx, step.runId, null);
        await tx.update(firedLogs).set({ retractedAt: null }).where(isRow(step.row));
        return 'done';
      case 'silence':
        await tx.insert(firedLogs).values({ ...toRow(id, step.log), runId: null });
        return 'done';
      case 'fire': {
        const { log, row } = step;
        const input = toRunInput(trigger, log);
        if (!row && (await isIgnored(options, trigger, input))) return 'done';
        const key = logKey(log);
        const run = await accept(input, row ? `${key}:${row.retractions}` : key);
        // With fire_on_retraction, a later run of the log may be the one in force.
        if (!run.isNew && !config.fire_on_retraction) await setRetractedAt(tx, run.id, null);
        if (row) await tx.update(firedLogs).set({ retractedAt: null, runId: run.id }).where(isRow(row));
        else await tx.insert(firedLogs).values({ ...toRow(id, log), runId: run.id });
        return 'accepted';
      }
    }
  } catch (error) {
    if (error instanceof QueueFullError || error instanceof TriggerDisabledError) return 'waits';
    throw error;
  }
}

/** Marks a run as retracted. With `accept`, tells the action by another run. */
async function retract(
  tx: Database,
  { row, runId }: { row: Row; runId: string },
  accept: ((input: Record<string, unknown>, key: string) => Promise<unknown>) | undefined,
): Promise<'done' | 'accepted'> {
  const [run] = accept ? await tx.select({ input: runs.input }).from(runs).where(eq(runs.id, runId)) : [];
  if (run) await accept?.({ ...run.input, retracted: true }, `${logKey(row)}:${row.retractions}:retracted`);
  await setRetractedAt(tx, runId, sql`clock_timestamp()`);
  await tx
    .update(firedLogs)
    .set({ retractedAt: sql`clock_timestamp()`, retractions: row.retractions + 1 })
    .where(isRow(row));
  return run ? 'accepted' : 'done';
}

/** Returns whether a log that is not known belongs to the lane. Logs below the horizon are final, and their rows were deleted. */
const isOf = (lane: Range['lane'], cursor: Cursor, block: bigint) =>
  lane === 'unread' ? isUnread(cursor, block) : block >= horizon(cursor) && !isUnread(cursor, block);

const isSilent = (lane: Range['lane'], { nextBlock, silentBelow }: Cursor, block: bigint) =>
  lane === 'head' && block >= nextBlock && block < silentBelow;

/** Deletes the rows of blocks that are final and read. */
const removeFinal = (tx: Database, cursor: Cursor) =>
  tx
    .delete(firedLogs)
    .where(
      and(
        eq(firedLogs.triggerId, cursor.triggerId),
        lt(firedLogs.blockNumber, horizon(cursor)),
        ...cursor.unread.map(([first, last]) =>
          not(between(firedLogs.blockNumber, BigInt(first), BigInt(last))),
        ),
      ),
    );

const toRow = (triggerId: string, { blockNumber, blockHash, transactionHash, logIndex }: Fired) => ({
  triggerId,
  blockNumber,
  blockHash,
  transactionHash,
  logIndex: Number(logIndex),
});

type Row = typeof firedLogs.$inferSelect;

const isRow = (row: Row) =>
  and(
    eq(firedLogs.triggerId, row.triggerId),
    eq(firedLogs.blockHash, row.blockHash),
    eq(firedLogs.transactionHash, row.transactionHash),
    eq(firedLogs.logIndex, row.logIndex),
  );

const setRetractedAt = (tx: Database, runId: string, retractedAt: ReturnType<typeof sql> | null) =>
  tx.update(runs).set({ retractedAt }).where(eq(runs.id, runId));
