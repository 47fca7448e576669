/** Claims due runs. A claim leases a run to one process. All times are the database's. */
import { callForRow, callFunction } from '@latchkey/service/call-function';
import { isLockTimeout } from '@latchkey/service/database-errors';
import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';

export const LEASE_SEC = 30;
/** Time for which a run waits for credit or for a valid usage key: 7 days. */
const MAX_WAIT_SEC = 7 * 24 * 3_600;
/** Time for which a run waits for the service before its owner is told: one day. */
const LATE_SEC = 24 * 3_600;
/** Longest time for which an approval is open: a run with one does not count as late or old before. */
const APPROVAL_SEC = 30 * 24 * 3_600;
/** The relayer keeps outcomes for 7 days. An hour less covers the time between a request and its run. */
const KNOWN_OUTCOME_SEC = (7 * 24 - 1) * 3_600;
/** Due runs of a trigger among which a claim looks for one whose concurrency key is free. */
const MAX_EXAMINED = 256;
/** Changes of the queue that a call reads. It holds the users of the changes until it ends. A claim reads few, so that it is fast after a flood. */
const CHANGES_OF_CLAIM = 128;
const CHANGES_OF_SETTLE = 500;
/** Calls of one claim. The later ones wait for claims of other processes. */
const MAX_CALLS = 8;
const MAX_SETTLES = 100;

export type ClaimLimits = {
  /** Maximum number of runs to claim. */
  limit: number;
  /** Maximum number of running runs per user, over all processes. */
  perUser: number;
};

export type ClaimedRun = {
  id: string;
  triggerId: string;
  userId: string;
  input: Record<string, unknown>;
  claim: number;
  attempt: number;
  idempotencyKey: string;
  revision: number;
  /** This and the following fields are from the revision of the run. Exactly one of `actionCode` and `actionCid` is set. */
  actionCode: string | null;
  actionCid: string | null;
  defaultParams: Record<string, unknown>;
  usageApiKey: string;
  /** True when the relayer may have executed the run and no longer knows its outcome. */
  isForgotten: boolean;
  /** True when its owner has stopped it. */
  isStopped: boolean;
  /** True when the run has waited for a day, beyond the time of an approval. */
  isLate: boolean;
  /** True when the run no longer waits for credit or for a valid usage key. */
  isOld: boolean;
  /** Seconds since the run was due. */
  lagSec: number;
  /** As `toConcurrencyKey` returns it. */
  concurrencyKey: string | null;
  /** The approval with which the run goes on, once it is approved. */
  approvalId: string | null;
};

/** The columns of the function `claim_ready`. */
const columns = {
  /** Null in the row that says that another call may find more. */
  id: sql<string | null>`run_id`,
  triggerId: sql<string>`run_trigger`,
  userId: sql<string>`run_user`,
  input: sql<Record<string, unknown>>`run_input`,
  claim: sql<number>`run_claim`,
  attempt: sql<number>`run_attempt`,
  idempotencyKey: sql<string>`run_key`,
  revision: sql<number>`run_revision`,
  actionCode: sql<string | null>`code`,
  actionCid: sql<string | null>`code_cid`,
  defaultParams: sql<Record<string, unknown>>`params`,
  usageApiKey: sql<string>`sealed_key`,
  askedAgoSec: sql<number | null>`asked_ago_sec`,
  ageSec: sql<number>`age_sec`,
  lagSec: sql<number>`lag_sec`,
  position: sql<number>`run_position`,
  concurrencyKey: sql<string | null>`(select concurrency_key from triggers.runs where id = run_id)`,
  approvalId: sql<string | null>`(select approval_id from triggers.runs where id = run_id)`,
  isStopped: sql<boolean>`(select stop_requested_at is not null from triggers.runs where id = run_id)`,
};

/**
 * Claims due runs of enabled triggers. Users with the fewest running runs come first (round robin among equals), and within a user the
 * triggers with the fewest. The limits of triggers and users are exact over all processes. Resolves to the runs in this order. Calls
 * `onClaimed` with each as soon as it is claimed: a later call can wait, or fail.
 */
export async function claim(
  db: Database,
  { limit, perUser }: ClaimLimits,
  onClaimed: (run: ClaimedRun) => void = () => {},
): Promise<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  for (let calls = 0; calls < MAX_CALLS && claimed.length < limit; calls++) {
    const rows = await callFunction(
      db,
      columns,
      sql`triggers.claim_ready(
        ${limit - claimed.length}::int, ${perUser}::int, ${CHANGES_OF_CLAIM}::int, ${MAX_EXAMINED}::int, ${LEASE_SEC}::int,
        ${calls > 0}::boolean
      )`,
    ).catch((error: unknown) => {
      // Another call holds the user for long: the next claim looks again.
      if (!isLockTimeout(error)) throw error;
      return [];
    });
    for (const { id, askedAgoSec, ageSec, position: _, ...row } of rows.toSorted(byPosition)) {
      if (id === null) continue;
      const isForgotten = (askedAgoSec ?? 0) > KNOWN_OUTCOME_SEC;
      const waitedSec = row.approvalId === null ? ageSec : ageSec - APPROVAL_SEC;
      const run = { ...row, id, isForgotten, isLate: waitedSec > LATE_SEC, isOld: waitedSec > MAX_WAIT_SEC };
      claimed.push(run);
      onClaimed(run);
    }
    if (rows.every(({ id }) => id !== null)) break;
  }
  return claimed;
}

const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position;

/** Brings the ready list up to date, as claims do, so that few changes wait while nothing or little is claimed. */
export async function settle(db: Database): Promise<void> {
  const columns = { isBehind: sql<boolean>`settle_queue` };
  for (let calls = 0; calls < MAX_SETTLES; calls++) {
    const call = sql`triggers.settle_queue(${CHANGES_OF_SETTLE}::int, ${MAX_EXAMINED}::int)`;
    if (!(await callForRow(db, columns, call)).isBehind) return;
  }
}
