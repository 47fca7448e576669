/** Certificates of the public keys of actions, which key nodes sign after the first run of an action. Runners verify them. */
import { setImmediate } from 'node:timers/promises';
import { ActionError } from '@latchkey/runner-protocol';
import { eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { actionKeys } from '../db/schema.ts';
import type { ActionOfKey, Runners } from '../runners/runners.ts';
import type { AskNodes } from './key-nodes.ts';

/** Actions whose certificate is known to be stored. */
const MAX_KNOWN = 10_000;
/** Actions that wait for their certificate. Further actions get theirs after a later run. */
const MAX_WAITING = 1_000;

export type ActionKeys = {
  /** Gets and stores the certificate of an action after its run, unless it is stored: one at a time, with errors in the log only. */
  publish: (action: ActionOfKey, nodes: AskNodes) => void;
  /** Rejects with an `ActionError` for an action that has not run. Waits for a certificate that is on its way. */
  certificateOf: (cid: string) => Promise<string>;
};

export type ActionKeysOptions = { db: Database; runners: Pick<Runners, 'certify'>; log: Logger };

export function createActionKeys({ db, runners, log }: ActionKeysOptions): ActionKeys {
  const stored = new LRUCache<string, true>({ max: MAX_KNOWN });
  const waiting = new Map<string, Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  const read = async (cid: string): Promise<string | undefined> => {
    const [row] = await db
      .select({ certificate: actionKeys.certificate })
      .from(actionKeys)
      .where(eq(actionKeys.cid, cid));
    return row?.certificate;
  };
  const store = async (action: ActionOfKey, nodes: AskNodes): Promise<void> => {
    const { cid } = action;
    if ((await read(cid)) === undefined) {
      const certificate = await runners.certify(action, nodes);
      await db.insert(actionKeys).values({ cid, certificate }).onConflictDoNothing();
    }
    stored.set(cid, true);
  };

  return {
    publish(action, nodes) {
      const { cid } = action;
      if (stored.get(cid) || waiting.has(cid) || waiting.size >= MAX_WAITING) return;
      // The reply of the run leaves first.
      last = Promise.all([last, setImmediate()])
        .then(() => store(action, nodes))
        .catch((err: unknown) => log.warn({ err, cid }, 'failed to store the public key of an action'))
        .finally(() => waiting.delete(cid));
      waiting.set(cid, last);
    },
    async certificateOf(cid) {
      const find = () => read(cid);
      const certificate = (await find()) ?? (await waiting.get(cid)?.then(find));
      if (certificate !== undefined) return certificate;
      const message = `the public key of the action ${cid} is not known: it has not run yet. Run it once`;
      throw new ActionError('ActionKeyError', message);
    },
  };
}
