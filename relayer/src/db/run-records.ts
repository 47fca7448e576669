import { and, desc, eq, getTableColumns, gte, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { runs } from './schema.ts';

export const runStatuses = ['running', 'success', 'failed', 'released'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The account, or the key of it, whose runs a caller can see. */
export type RunOwner = {
  /** Master hash, as text. */
  account: string;
  /** Hash of the usage key whose runs they are, as text; undefined for all runs of the account. */
  key: string | undefined;
};

export type RunFilter = {
  key?: string | undefined;
  cid?: string | undefined;
  status?: RunStatus | undefined;
  errorName?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Id of a run: selects the runs that began before it. */
  before?: string | undefined;
};

const { outcome: _outcome, output: _output, reserves: _reserves, ...columns } = getTableColumns(runs);

export type RunRecord = Omit<typeof runs.$inferSelect, 'outcome' | 'output' | 'reserves'>;

/** Returns the status that the columns of a run tell. */
export function statusOf({ endedAt, durationMs, errorName }: RunRecord): RunStatus {
  if (!endedAt) return 'running';
  if (durationMs === null) return 'released';
  return errorName === null ? 'success' : 'failed';
}

const conditions: Record<RunStatus, SQL | undefined> = {
  running: isNull(runs.endedAt),
  success: and(isNotNull(runs.durationMs), isNull(runs.errorName)),
  failed: isNotNull(runs.errorName),
  released: and(isNotNull(runs.endedAt), isNull(runs.durationMs)),
};

const ownedBy = ({ account, key }: RunOwner) =>
  and(eq(runs.account, account), key === undefined ? undefined : eq(runs.key, key));

/** Resolves to the runs that match all of the filter, newest first. */
export function listRuns(
  db: Database,
  owner: RunOwner,
  { key, cid, status, errorName, from, to, before }: RunFilter,
  limit: number,
): Promise<RunRecord[]> {
  const last = db
    .select({ startedAt: runs.startedAt, id: runs.id })
    .from(runs)
    .where(and(ownedBy(owner), before === undefined ? undefined : eq(runs.id, before)));
  return db
    .select(columns)
    .from(runs)
    .where(
      and(
        ownedBy(owner),
        key === undefined ? undefined : eq(runs.key, key),
        cid === undefined ? undefined : eq(runs.cid, cid),
        status && conditions[status],
        errorName === undefined ? undefined : eq(runs.errorName, errorName),
        from && gte(runs.startedAt, from),
        to && lt(runs.startedAt, to),
        before === undefined ? undefined : sql`(${runs.startedAt}, ${runs.id}) < (${last})`,
      ),
    )
    .orderBy(desc(runs.startedAt), desc(runs.id))
    .limit(limit);
}

/** Resolves to undefined for an unknown run and for a run of another owner. */
export async function findRun(db: Database, owner: RunOwner, id: string): Promise<RunRecord | undefined> {
  const [run] = await db
    .select(columns)
    .from(runs)
    .where(and(ownedBy(owner), eq(runs.id, id)));
  return run;
}
