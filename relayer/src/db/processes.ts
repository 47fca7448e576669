/**
 * Tells whether this process is the only relayer on its database. A sole relayer need not read again what it has read, because no
 * other process changes it. Leases make this safe:
 *
 * - A process relies on being alone for at most `RELIANCE_MS` after it asked.
 * - A process that joins others waits that long before it acknowledges a write. All others have asked again by then.
 * - A process acknowledges a write only while its row counts, so no other process takes itself for alone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { callForRow } from '@latchkey/service/call-function';
import { eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { relayerProcesses } from './schema.ts';

const RELIANCE_MS = 2_000;
/** A row counts for ten seconds in `renew_process`, and can be a second older than the renewal. */
const MEMBERSHIP_MS = 8_000;
/** A database that takes longer for a renewal may have kept other processes from renewing their leases. */
const SLOW_MS = 1_000;

export type Processes = {
  /**
   * Number of the period for which this process has been alone; undefined when others may exist. At the end of a period, forget
   * what was read in it.
   */
  solePeriod: () => number | undefined;
  /** Resolves when all other processes know of this one. Await before acknowledging a write. */
  ensureMember: () => Promise<void>;
  /** Renews the membership. Call about twice a second. */
  renew: () => Promise<void>;
  /** Milliseconds since the database last failed or was slow. */
  calmMs: () => number;
  leave: () => Promise<void>;
};

/** Joins the relayers on this database. Resolves when all of them know of this one. */
export async function joinProcesses(db: Database): Promise<Processes> {
  const id = randomUUID();
  let soleUntil = Number.NEGATIVE_INFINITY;
  let period = 0;
  let memberUntil = Number.NEGATIVE_INFINITY;
  let knownFrom = Number.NEGATIVE_INFINITY;
  let troubledAt = Number.NEGATIVE_INFINITY;

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const columns = { isNew: sql<boolean>`is_new`, hasOthers: sql<boolean>`has_others` };
    const renewing = callForRow(db, columns, sql`renew_process(${id})`);
    const { isNew, hasOthers } = await renewing.catch((error: unknown) => {
      troubledAt = performance.now();
      throw error;
    });
    const now = performance.now();
    if (now - askedAt > SLOW_MS) troubledAt = now;
    if (isNew && hasOthers) knownFrom = now + RELIANCE_MS;
    memberUntil = Math.max(memberUntil, askedAt + MEMBERSHIP_MS);
    if (hasOthers) soleUntil = Number.NEGATIVE_INFINITY;
    else {
      // Others can have come and gone since the last period ended.
      if (now >= soleUntil || isNew) period++;
      soleUntil = askedAt + RELIANCE_MS;
    }
  };
  const ensureMember = async (): Promise<void> => {
    if (performance.now() >= memberUntil) await renew();
    const waitMs = knownFrom - performance.now();
    if (waitMs > 0) await delay(waitMs);
  };

  await ensureMember();
  return {
    solePeriod: () => (performance.now() < soleUntil ? period : undefined),
    ensureMember,
    renew,
    calmMs: () => performance.now() - troubledAt,
    async leave() {
      soleUntil = Number.NEGATIVE_INFINITY;
      await db.delete(relayerProcesses).where(eq(relayerProcesses.id, id));
    },
  };
}
