/** Waits for runs to end, so that deliveries are answered with their results. */
import { batch } from '@latchkey/service/batch';
import { repeat } from '@latchkey/service/repeat';
import { eq, inArray, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { type RunStatus, runs, triggers } from '../db/schema.ts';

/** Interval of the statement that reads all runs for which this process waits. It finds those that other processes end. */
const LOOK_MS = 250;
/** Waiting requests of this process. Further ones do not wait. */
export const MAX_WAITING = 500;
export const MAX_WAITING_PER_USER = 20;

export type RunEnd = { status: RunStatus; response?: unknown };
type Waiter = { id: string; userId: string; resolve: (end: RunEnd | undefined) => void };

export type RunEnds = AsyncDisposable & {
  /** Call when a run has ended in this process. */
  tell: (id: string, end: RunEnd) => void;
  /**
   * Resolves to the end of a run. Resolves to undefined after `timeoutMs`, when the client leaves, when its trigger is paused or
   * held, when too many requests wait, and after `stop`.
   */
  wait: (
    run: { id: string; userId: string; isNew: boolean },
    options: { timeoutMs: number; signal: AbortSignal },
  ) => Promise<RunEnd | undefined>;
  /** Ends all waits, also those that begin later. */
  stop: () => void;
};

export function createRunEnds({ db, log }: { db: Database; log: Logger }): RunEnds {
  const waiting = new Set<Waiter>();
  let isStopped = false;
  const read = batch((ids: string[]) => readEnds(db, ids));
  const tell = (id: string, end: RunEnd | undefined): void => {
    for (const waiter of waiting) if (waiter.id === id) waiter.resolve(end);
  };
  const look = async (id: string): Promise<void> => {
    const end = await read(id);
    if (end !== 'to come') tell(id, end);
  };
  const onError = (err: unknown): void => log.warn({ err }, 'failed to read the ends of runs');
  const looking = repeat({
    intervalMs: LOOK_MS,
    task: () => Promise.all([...new Set([...waiting].map(({ id }) => id))].map(look)),
    onError,
  });
  return {
    tell,
    async wait({ id, userId, isNew }, { timeoutMs, signal }) {
      const own = [...waiting].filter((waiter) => waiter.userId === userId).length;
      if (isStopped || own >= MAX_WAITING_PER_USER || waiting.size >= MAX_WAITING) return undefined;
      const { promise, resolve } = Promise.withResolvers<RunEnd | undefined>();
      const waiter = { id, userId, resolve };
      const leave = () => resolve(undefined);
      waiting.add(waiter);
      signal.addEventListener('abort', leave);
      const timer = setTimeout(leave, timeoutMs);
      // The run of an earlier delivery may have ended long ago.
      if (!isNew) look(id).catch(onError);
      const end = await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      waiting.delete(waiter);
      return end;
    },
    stop() {
      isStopped = true;
      for (const { resolve } of waiting) resolve(undefined);
    },
    [Symbol.asyncDispose]: () => looking[Symbol.asyncDispose](),
  };
}

const FINAL: ReadonlySet<RunStatus> = new Set(['success', 'failed', 'skipped']);

/** Resolves to the ends of runs, to undefined for those that are deleted or whose trigger starts no runs now. */
async function readEnds(db: Database, ids: string[]): Promise<(RunEnd | 'to come' | undefined)[]> {
  const found = await db
    .select({
      id: runs.id,
      status: runs.status,
      response: runs.response,
      starts: sql<boolean>`${triggers.enabled} and coalesce(${triggers.heldUntil} < clock_timestamp(), true)`,
    })
    .from(runs)
    .innerJoin(triggers, eq(triggers.id, runs.triggerId))
    .where(inArray(runs.id, [...new Set(ids)]));
  const byId = new Map(found.map((run) => [run.id, run]));
  return ids.map((id) => {
    const run = byId.get(id);
    if (!run) return undefined;
    const { status, response, starts } = run;
    if (FINAL.has(status)) return { status, response };
    return starts || status === 'running' ? 'to come' : undefined;
  });
}
