import { and, desc, eq, getTableColumns, gte, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from './database.ts';
import { type Compared, hasExactly, hasHash } from './hashed.ts';
import { runs } from './schema.ts';

export const runStatuses = ['running', 'success', 'failed', 'waiting_for_approval', 'released'] as const;
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

/** The error of runs that ended because they need an approval. The expression `status` has it too. */
const NEEDS_APPROVAL = 'ApprovalRequiredError';

/** Returns the status that the columns of a run tell. */
export function statusOf({ endedAt, durationMs, errorName }: RunRecord): RunStatus {
  if (!endedAt) return 'running';
  if (durationMs === null) return 'released';
  if (errorName === NEEDS_APPROVAL) return 'waiting_for_approval';
  return errorName === null ? 'success' : 'failed';
}

const status = sql<RunStatus>`case when ${runs.endedAt} is null then 'running' when ${runs.durationMs} is null then 'released' when ${runs.errorName} is null then 'success' when ${runs.errorName} = 'ApprovalRequiredError' then 'waiting_for_approval' else 'failed' end`;

const ownedBy = ({ account, key }: RunOwner) =>
  and(eq(runs.account, account), key === undefined ? undefined : eq(runs.key, key));

/** The condition of an index that has exactly the runs of a filter, apart from its times, and the order of runs of the same time in it. */
type Indexed = { where: SQL | undefined; tie: SQL | PgColumn };

/** Returns the index for a filter, of those in indexes.sql. */
function indexFor(account: string, { key, cid, status: wanted, errorName }: RunFilter): Indexed {
  const owner =
    key === undefined ? { value: runs.account, wanted: account } : { value: runs.key, wanted: key };
  const values: Compared[] = [owner];
  // Runs that have not ended are few: their index is without the CID.
  if (cid !== undefined && wanted !== 'running') values.push({ value: runs.cid, wanted: cid });
  if (errorName !== undefined) values.push({ value: runs.errorName, wanted: errorName });
  else if (wanted !== undefined) values.push({ value: status, wanted });
  const compared: Compared[] = [...values];
  if (key !== undefined) compared.push({ value: runs.account, wanted: account });
  if (cid !== undefined && wanted === 'running') compared.push({ value: runs.cid, wanted: cid });
  const exactly = compared.length === 1 ? undefined : hasExactly(compared);
  if (values.length === 1) return { where: and(eq(owner.value, owner.wanted), exactly), tie: runs.id };
  const where = and(
    hasHash(values),
    errorName === undefined ? undefined : isNotNull(runs.errorName),
    values.length === 3 && errorName === undefined ? isNotNull(runs.endedAt) : undefined,
    exactly,
  );
  return { where, tie: sql`hashtext(${runs.id})` };
}

/** Resolves to the runs that match all of the filter, newest first. */
export async function listRuns(
  db: Database,
  owner: RunOwner,
  filter: RunFilter,
  limit: number,
): Promise<RunRecord[]> {
  const { from, to, before, errorName } = filter;
  const key = owner.key ?? filter.key;
  // No run has two keys, and an error names the status of its run.
  if (filter.key !== undefined && filter.key !== key) return [];
  const statusOfError = errorName === NEEDS_APPROVAL ? 'waiting_for_approval' : 'failed';
  if (errorName !== undefined && (filter.status ?? statusOfError) !== statusOfError) return [];
  const { where, tie } = indexFor(owner.account, { ...filter, key });
  const last = db
    .select({ startedAt: runs.startedAt, tie })
    .from(runs)
    .where(and(ownedBy(owner), before === undefined ? undefined : eq(runs.id, before)));
  return db
    .select(columns)
    .from(runs)
    .where(
      and(
        where,
        from && gte(runs.startedAt, from),
        to && lt(runs.startedAt, to),
        before === undefined ? undefined : sql`(${runs.startedAt}, ${tie}) < (${last})`,
      ),
    )
    .orderBy(desc(runs.startedAt), desc(tie))
    .limit(limit);
}

/** Resolves to the run in progress that a request of the usage key with an `Idempotency-Key` has begun. */
export async function findRunning(
  db: Database,
  { key, idempotencyId }: { key: string; idempotencyId: string },
): Promise<RunRecord | undefined> {
  const [run] = await db
    .select(columns)
    .from(runs)
    .where(and(eq(runs.key, key), isNull(runs.endedAt), eq(runs.idempotencyId, idempotencyId)))
    .orderBy(desc(runs.startedAt))
    .limit(1);
  return run;
}

/** Resolves to undefined for an unknown run and for a run of another owner. */
export async function findRun(db: Database, owner: RunOwner, id: string): Promise<RunRecord | undefined> {
  const [run] = await db
    .select(columns)
    .from(runs)
    .where(and(ownedBy(owner), eq(runs.id, id)));
  return run;
}
