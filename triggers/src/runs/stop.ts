/** Stops runs, queued and running. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Sealer } from '@latchkey/service/sealer';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { revisions, runs, triggers } from '../db/schema.ts';
import type { RelayerClient } from '../relayer-client.ts';
import { stopQueued } from './queue.ts';

const WAIT_MS = 5_000;
const POLL_MS = 50;

export type StopContext = { db: Database; relayer: Pick<RelayerClient, 'stopRun'>; sealer: Sealer };
type Run = typeof runs.$inferSelect;

/**
 * Stops a run, also when it is executed again meanwhile. Resolves when it has ended, or after some seconds. Rejects with
 * `RelayerUnavailableError`.
 */
export async function stopRun(context: StopContext, id: string, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  let askedId: string | undefined;
  while (performance.now() < deadline && !signal?.aborted) {
    const [run] = await context.db.select().from(runs).where(eq(runs.id, id));
    if (run?.status !== 'queued' && run?.status !== 'running') return;
    // A queued run too: the relayer may still execute it when a reply was lost. A running run has the id of its earlier execution
    // until the present one is stored.
    if (run.relayerRunId !== null && run.relayerRunId !== askedId) {
      askedId = run.relayerRunId;
      await context.relayer.stopRun(await usageKeyOf(context, run), askedId);
    } else if (run.status === 'queued') await stopQueued(context.db, run);
    else await delay(POLL_MS);
  }
}

/** Returns the usage key of the revision that a run uses. */
async function usageKeyOf({ db, sealer }: StopContext, { triggerId, revision }: Run): Promise<string> {
  const isOfRun = and(eq(revisions.triggerId, triggers.id), eq(revisions.number, revision ?? 0));
  const [found] = await db
    .select({ current: triggers.usageApiKey, earlier: revisions.usageApiKey })
    .from(triggers)
    .leftJoin(revisions, isOfRun)
    .where(eq(triggers.id, triggerId));
  return sealer.openText(found?.earlier ?? found?.current ?? '', triggerId);
}
