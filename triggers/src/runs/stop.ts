/** Stops runs, queued and running. A stop is kept in the row of its run, until the run has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '@latchkey/service/repeat';
import { SealError, type Sealer } from '@latchkey/service/sealer';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { revisions, runs, triggers } from '../db/schema.ts';
import { type RelayerClient, RelayerUnavailableError } from '../relayer-client.ts';
import { stopQueued } from './queue.ts';

const WAIT_MS = 5_000;
const POLL_MS = 50;
/** Interval in which the relayer is asked again. */
const AGAIN_MS = 1_000;
/** Runs of one turn. They are chosen at random, so that runs that cannot be stopped do not keep others from it. */
const MAX_AT_ONCE = 50;

export type StopContext = { db: Database; relayer: Pick<RelayerClient, 'stopRun'>; sealer: Sealer };

/** The index `runs_stopping` has the same expression. */
const isUnfinished = sql`${runs.status} in ('queued', 'running')`;
const { id, claim, status, askedAt, approvalId, idempotencyKey, triggerId, revision } = runs;
const columns = { id, claim, status, askedAt, approvalId, idempotencyKey, triggerId, revision };
type Run = Pick<typeof runs.$inferSelect, keyof typeof columns>;

/** Stops a run, also when it is executed again meanwhile. Resolves when it has ended, or after some seconds: it is stopped later then. */
export async function stopRun(context: StopContext, runId: string, signal?: AbortSignal): Promise<void> {
  const { db } = context;
  const isThis = and(eq(runs.id, runId), isUnfinished);
  await db
    .update(runs)
    .set({ stopRequestedAt: sql`coalesce(${runs.stopRequestedAt}, clock_timestamp())` })
    .where(isThis);
  const deadline = performance.now() + WAIT_MS;
  let againAt = 0;
  while (performance.now() < deadline && !signal?.aborted) {
    const [run] = await db.select(columns).from(runs).where(isThis);
    if (!run) return;
    if (performance.now() >= againAt) {
      await stopOnce(context, run).catch((thrown: unknown) => {
        if (!(thrown instanceof RelayerUnavailableError)) throw thrown;
      });
      againAt = performance.now() + AGAIN_MS;
    }
    await delay(POLL_MS);
  }
}

/** Stops the runs whose stop is not done yet, also of processes that have ended. */
export function startStopper({ log, ...context }: StopContext & { log: Logger }): AsyncDisposable {
  return repeat({
    intervalMs: AGAIN_MS,
    async task() {
      const wanted = await context.db
        .select(columns)
        .from(runs)
        .where(and(isNotNull(runs.stopRequestedAt), isUnfinished))
        .orderBy(sql`random()`)
        .limit(MAX_AT_ONCE);
      const stop = (run: Run) =>
        stopOnce(context, run).catch((err: unknown) =>
          log.warn({ err, run_id: run.id }, 'failed to stop a run'),
        );
      await Promise.all(wanted.map(stop));
    },
    onError: (err) => log.error({ err }, 'failed to read the runs that are being stopped'),
  });
}

/** Asks the relayer to stop a run that it may execute or keep waiting, and ends a queued one. */
async function stopOnce(context: StopContext, run: Run): Promise<void> {
  const usageKey =
    run.status === 'running' || run.askedAt !== null ? await usageKeyOf(context, run) : undefined;
  if (usageKey !== undefined) await context.relayer.stopRun(usageKey, run.approvalId ?? run.idempotencyKey);
  if (run.status === 'queued') await stopQueued(context.db, run);
}

/** Resolves to the usage key of the revision that a run uses; to undefined when no sealing key opens it. */
async function usageKeyOf(
  { db, sealer }: StopContext,
  { triggerId, revision }: Run,
): Promise<string | undefined> {
  const isOfRun = and(eq(revisions.triggerId, triggers.id), eq(revisions.number, revision ?? 0));
  const [found] = await db
    .select({ current: triggers.usageApiKey, earlier: revisions.usageApiKey })
    .from(triggers)
    .leftJoin(revisions, isOfRun)
    .where(eq(triggers.id, triggerId));
  try {
    return sealer.openText(found?.earlier ?? found?.current ?? '', triggerId);
  } catch (thrown) {
    if (thrown instanceof SealError) return undefined;
    throw thrown;
  }
}
