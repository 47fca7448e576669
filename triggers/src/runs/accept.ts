/** Accepts runs. Every source, test and replay stores its runs through this module. */

import { batch } from '@latchkey/service/batch';
import { callFunction, type RowOf } from '@latchkey/service/call-function';
import { isDatabaseUnavailable } from '@latchkey/service/database-errors';
import { and, asc, count, eq, gte, inArray, lt, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { type RunStatus, runs, type TriggerKind, triggers, waitingInputs } from '../db/schema.ts';
import type { Trigger } from '../sources/source.ts';
import { toConcurrencyKey } from './concurrency-key.ts';
import { traceAcceptance } from './trace.ts';
import type { WaitingInputs } from './waiting-inputs.ts';
import type { Worker } from './worker.ts';

/** The trigger is disabled or deleted. */
export class TriggerDisabledError extends Error {
  override readonly name = 'TriggerDisabledError';
}

/** The trigger was changed or deleted since it was read. No run was stored. */
export class TriggerChangedError extends Error {
  override readonly name = 'TriggerChangedError';
}

/**
 * The trigger has `max_queued_runs` runs in the queue, or accepted `max_runs_per_minute` runs in the last 60 seconds, or the inputs of the
 * unfinished runs of its account have reached their limit.
 */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly retryAfterSec: number;
  /** The limit per minute that was reached, if it was that one. */
  readonly perMinute: number | undefined;
  constructor(message: string, retryAfterSec: number, perMinute?: number) {
    super(message);
    this.retryAfterSec = retryAfterSec;
    this.perMinute = perMinute;
  }
}

/** An estimate: the time until the queue gets shorter is unknown. */
const QUEUE_RETRY_SEC = 5;
const INPUTS_RETRY_SEC = 60;
/** Inputs of one replay. */
const MAX_REPLAYED_BYTES = 64 * 1024 * 1024;
/** Runs per statement. Each can have about a megabyte. */
const MAX_GROUP = 64;

export type AcceptOptions = { db: Database; worker: Pick<Worker, 'wake' | 'counters'> };
type AcceptorOptions = AcceptOptions & { inputs?: Pick<WaitingInputs, 'isFull'> };

export type NewRun = Pick<typeof runs.$inferInsert, 'input' | 'scheduledFor' | 'replayOf'> & {
  /** Unique per trigger for as long as the run is kept. */
  dedupeKey?: string | undefined;
  /** Part of the trigger's limits that the run can use, from 0 to 1. Default: 1. */
  share?: number;
};

/** A trigger as it was read: `updatedAt` identifies its version. */
export type ReadTrigger = Pick<Trigger, 'id' | 'updatedAt' | 'concurrencyKey'>;
type Acceptance = { trigger: ReadTrigger; run: NewRun };
export type Accepted = { id: string; isNew: boolean };

/** A row of the function `accept_runs`, whose migration describes the outcomes. */
type Row = RowOf<typeof columns>;
const columns = {
  outcome: sql<'new' | 'known' | 'changed' | 'disabled' | 'busy' | 'queued' | 'recent'>`outcome`,
  id: sql<string>`run_id`,
  owner: sql<string>`owner`,
  kind: sql<TriggerKind>`trigger_kind`,
  limit: sql<number>`run_limit`,
  retrySec: sql<number>`retry_sec`,
};

/** Stores runs in one statement, in their order. With `waits`, waits for the locks of the triggers. */
async function store(
  db: Database,
  acceptances: readonly Acceptance[],
  { waits }: { waits: boolean },
): Promise<Row[]> {
  const column = (read: (acceptance: Acceptance) => unknown) => sql.param(acceptances.map(read));
  // One parameter per run, because the text of an array would be escaped and unescaped.
  const inputs = acceptances.map(({ run }) => sql.param(JSON.stringify(run.input)));
  return callFunction(
    db,
    columns,
    sql`triggers.accept_runs(
      ${column(({ trigger }) => trigger.id)}::uuid[],
      ${column(({ trigger }) => trigger.updatedAt.toISOString())}::timestamptz[],
      array[${sql.join(inputs, sql`, `)}]::text[],
      ${column(({ run }) => run.dedupeKey ?? null)}::text[],
      ${column(({ trigger, run }) => toConcurrencyKey(trigger.concurrencyKey, run.input))}::text[],
      ${column(({ run }) => run.scheduledFor?.toISOString() ?? null)}::timestamptz[],
      ${column(({ run }) => run.replayOf ?? null)}::uuid[],
      ${column(({ run }) => run.share ?? 1)}::double precision[],
      ${waits}::boolean
    )`,
  );
}

async function storeOne(db: Database, acceptance: Acceptance): Promise<Row> {
  const [row] = await store(db, [acceptance], { waits: true });
  if (!row) throw new Error('accept_runs returned no row');
  return row;
}

/** Returns the stored run and wakes the worker. Throws the error of a run that was not stored. */
function settle(worker: AcceptOptions['worker'], row: Row): Accepted {
  const { outcome, id, limit } = row;
  switch (outcome) {
    case 'new':
      worker.counters?.accepted(row.kind, 1);
      worker.wake(row.owner);
      return { id, isNew: true };
    case 'known':
      return { id, isNew: false };
    case 'changed':
      throw new TriggerChangedError('The trigger was changed or deleted.');
    case 'busy':
      throw new Error('accept_runs did not wait for the lock of the trigger');
    case 'disabled':
      throw new TriggerDisabledError('The trigger is disabled.');
    case 'queued':
      throw queueFull(limit);
    case 'recent':
      throw tooManyRecent(limit, row.retrySec);
  }
}

/** Stores a run. The run is durable when the promise resolves. */
export type Accept = (trigger: ReadTrigger & Pick<Trigger, 'userId'>, run: NewRun) => Promise<Accepted>;

/**
 * Returns a function that stores runs, concurrent ones together in one statement. For a known dedupe key it resolves to the existing
 * run with `isNew` false, whatever the limits are. Rejects with `TriggerChangedError`, `TriggerDisabledError` or `QueueFullError`.
 */
export function createAcceptor({ db, worker, inputs }: AcceptorOptions): Accept {
  const storeGrouped = batch(
    async (group: Acceptance[]): Promise<(Row | Error)[]> => {
      try {
        return await store(db, group, { waits: false });
      } catch (error) {
        if (group.length === 1 || isDatabaseUnavailable(error)) throw error;
      }
      // The database cannot store one of the runs, for example JSON that is nested too deeply, and has stored none.
      const rows: (Row | Error)[] = [];
      for (const one of group)
        rows.push(...(await store(db, [one], { waits: false }).catch((error: Error) => [error])));
      return rows;
    },
    { maxSize: MAX_GROUP },
  );
  return async (trigger, run) => {
    const startTime = new Date();
    if (inputs?.isFull(trigger.userId)) return requireKnown(db, trigger.id, run);
    let row = await storeGrouped({ trigger, run });
    // Alone, because in a group all runs, and the next group, would wait for the lock of this trigger.
    if (!(row instanceof Error) && row.outcome === 'busy') row = await storeOne(db, { trigger, run });
    if (row instanceof Error) throw row;
    const accepted = settle(worker, row);
    traceAcceptance(accepted.id, startTime);
    return accepted;
  };
}

/**
 * Reads the trigger and stores a run, with the results of `createAcceptor`. When `db` is a transaction, the caller must wake the
 * worker after the commit.
 */
export async function acceptRun(
  { db, worker }: AcceptOptions,
  { id }: { id: string },
  run: NewRun,
): Promise<Accepted> {
  const { userId, updatedAt, concurrencyKey } = triggers;
  // Repeats only when the trigger was changed meanwhile.
  for (;;) {
    const [trigger] = await db
      .select({ id: triggers.id, updatedAt, concurrencyKey, isFull: waitingInputs.isFull })
      .from(triggers)
      .leftJoin(waitingInputs, eq(waitingInputs.userId, userId))
      .where(eq(triggers.id, id));
    if (!trigger) throw new TriggerDisabledError('The trigger was deleted.');
    if (trigger.isFull) return requireKnown(db, id, run);
    const row = await storeOne(db, { trigger, run });
    if (row.outcome !== 'changed') return settle(worker, row);
  }
}

/** Resolves to the stored run with the dedupe key. Rejects with `QueueFullError` when there is none. */
async function requireKnown(db: Database, triggerId: string, { dedupeKey }: NewRun): Promise<Accepted> {
  const isKnown = and(eq(runs.triggerId, triggerId), eq(runs.dedupeKey, dedupeKey ?? ''));
  const [known] = dedupeKey === undefined ? [] : await db.select({ id: runs.id }).from(runs).where(isKnown);
  if (known) return { id: known.id, isNew: false };
  throw inputsFull();
}

const oldestFirst = [asc(runs.createdAt), asc(runs.id)];

export type Replay = { from?: Date | undefined; to?: Date | undefined; statuses: RunStatus[] };

/**
 * Stores a new run with the input of each matching run that was not replayed yet, oldest first, as many as the limits allow.
 * `remaining` counts the others. Rejects like `acceptRun` when the limits allow none.
 */
export async function replayRuns(
  { db, worker }: AcceptOptions,
  { id: triggerId }: { id: string },
  { from, to, statuses }: Replay,
): Promise<{ replayed: number; remaining: number }> {
  const replays = alias(runs, 'replays');
  const { kind, ...done } = await db.transaction(async (tx) => {
    const trigger = await lock(tx, triggerId);
    const [waiting] = await tx.select().from(waitingInputs).where(eq(waitingInputs.userId, trigger.userId));
    if (waiting?.isFull) throw inputsFull();
    const isMatching = and(
      eq(runs.triggerId, triggerId),
      inArray(runs.status, statuses),
      from && gte(runs.createdAt, from),
      to && lt(runs.createdAt, to),
      notExists(tx.select({ one: sql`1` }).from(replays).where(eq(replays.replayOf, runs.id))),
    );
    const [{ total } = { total: 0 }] = await tx.select({ total: count() }).from(runs).where(isMatching);
    if (total === 0) return { kind: trigger.kind, replayed: 0, remaining: 0 };
    const chosen = await tx
      .select({ id: runs.id })
      .from(runs)
      .where(isMatching)
      .orderBy(...oldestFirst)
      .limit(Math.min(trigger.maxQueuedRuns, trigger.maxRunsPerMinute));
    let replayed = 0;
    let bytes = 0;
    for (let start = 0; start < chosen.length && bytes < MAX_REPLAYED_BYTES; start += MAX_GROUP) {
      const ids = chosen.slice(start, start + MAX_GROUP).map(({ id }) => id);
      const group = await tx
        .select({ replayOf: runs.id, input: runs.input, scheduledFor: runs.scheduledFor })
        .from(runs)
        .where(inArray(runs.id, ids))
        .orderBy(...oldestFirst);
      const rows = await store(
        tx,
        group.map((run) => ({ trigger, run })),
        { waits: true },
      );
      for (const { input } of group) bytes += Buffer.byteLength(JSON.stringify(input));
      replayed += rows.filter(({ outcome }) => outcome === 'new').length;
      const refused = rows.find(({ outcome }) => outcome !== 'new');
      if (refused && replayed === 0) settle(worker, refused);
      // A later run must not overtake a refused one.
      if (refused) break;
    }
    return { kind: trigger.kind, replayed, remaining: total - replayed };
  });
  worker.counters?.accepted(kind, done.replayed);
  if (done.replayed > 0) worker.wake();
  return done;
}

type Locked = Awaited<ReturnType<typeof lock>>;

/** Returns true for a trigger that accepts events: an enabled one, and a paused webhook that holds them. */
export const isAccepting = ({
  kind,
  enabled,
  holdWhenPaused,
}: Pick<Locked, 'kind' | 'enabled' | 'holdWhenPaused'>): boolean =>
  enabled || (holdWhenPaused && kind === 'webhook');

/** Locks the trigger, so that its limits are exact under concurrency. Claims do not wait for this lock. */
async function lock(tx: Database, triggerId: string) {
  const [trigger] = await tx.select().from(triggers).where(eq(triggers.id, triggerId)).for('no key update');
  if (!trigger) throw new TriggerDisabledError('The trigger was deleted.');
  return trigger;
}

const queueFull = (limit: number) =>
  new QueueFullError(`The queue of this trigger is full: ${limit} runs.`, QUEUE_RETRY_SEC);
const inputsFull = () =>
  new QueueFullError(
    'The inputs of the unfinished runs of this account have reached their limit: wait for runs to end, stop some, or delete a trigger.',
    INPUTS_RETRY_SEC,
  );
const tooManyRecent = (limit: number, retrySec: number) =>
  new QueueFullError(`This trigger accepts at most ${limit} runs per minute.`, retrySec, limit);
