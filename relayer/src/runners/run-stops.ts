/** Ends runs that their account stops, through any relayer on the database. */
import { ActionError } from '@latchkey/runner-protocol';
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Processes } from '../db/processes.ts';
import { runs } from '../db/schema.ts';

/** A stop through another relayer is noticed after at most this time. */
const POLL_MS = 150;

export type RunStops = {
  /** Returns a `signal` that aborts with an `ActionError` when the run is stopped. Dispose it when the run has ended. */
  watch: (id: string) => Disposable & { signal: AbortSignal };
  /** Stops a run of this or another relayer. Has no effect on a run that has ended. */
  stop: (id: string) => Promise<void>;
};

export function createRunStops(
  db: Database,
  processes: Pick<Processes, 'solePeriod'>,
  log: Logger,
): RunStops {
  const running = new Map<string, AbortController>();
  let polling: NodeJS.Timeout | undefined;

  const abort = (id: string): void =>
    running.get(id)?.abort(new ActionError('StoppedError', 'the run was stopped by its account'));

  const poll = async (): Promise<void> => {
    // A sole relayer got every stop itself.
    if (processes.solePeriod() !== undefined) return;
    const isStopped = and(isNotNull(runs.stopRequestedAt), isNull(runs.endedAt));
    const stopped = await db
      .select({ id: runs.id })
      .from(runs)
      .where(and(inArray(runs.id, [...running.keys()]), isStopped));
    for (const { id } of stopped) abort(id);
  };

  return {
    watch(id) {
      const stop = new AbortController();
      running.set(id, stop);
      polling ??= setInterval(() => {
        poll().catch((err: unknown) => log.warn({ err }, 'failed to look for stopped runs'));
      }, POLL_MS);
      return {
        signal: stop.signal,
        [Symbol.dispose]() {
          running.delete(id);
          if (running.size > 0) return;
          clearInterval(polling);
          polling = undefined;
        },
      };
    },
    async stop(id) {
      abort(id);
      await db
        .update(runs)
        .set({ stopRequestedAt: sql`clock_timestamp()` })
        .where(and(eq(runs.id, id), isNull(runs.endedAt)));
    },
  };
}
