/** The output of a run in flight, stored while it runs. */
import { and, eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';
import type { ClaimedRun } from './claim.ts';

/** Output within this time is stored together: a shorter run needs no statement. */
const STORE_MS = 500;
/** Of UTF-8, more than a relayer sends of a run. Further output is dropped, so that no relayer fills the memory. */
const MAX_BYTES = 1024 * 1024;

export type LiveOutput = {
  /** The code has begun, under this id of the relayer. */
  start: (relayerRunId: string) => void;
  add: (text: string) => void;
  /** Resolves when nothing more is stored. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

export function createLiveOutput(
  db: Database,
  { id, claim }: Pick<ClaimedRun, 'id' | 'claim'>,
  log: Logger,
): LiveOutput {
  let relayerRunId: string | undefined;
  let logs = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();

  const store = async (): Promise<void> => {
    timer = undefined;
    await db
      .update(runs)
      .set({ logs, relayerRunId })
      .where(and(eq(runs.id, id), eq(runs.claim, claim), eq(runs.status, 'running')))
      .catch((err: unknown) =>
        log.warn({ err, run_id: id }, 'failed to store the output of a run in flight'),
      );
  };
  const storeSoon = (): void => {
    timer ??= setTimeout(() => {
      storing = storing.then(store);
    }, STORE_MS);
  };
  return {
    start(startedId) {
      relayerRunId = startedId;
      storeSoon();
    },
    add(text) {
      bytes += Buffer.byteLength(text);
      if (bytes > MAX_BYTES) return;
      logs += text;
      storeSoon();
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await storing;
    },
  };
}
