/** The statements on the table `approvals`. An approval whose run can still go on has the input of the run. */
import { sweepTable } from '@latchkey/service/sweep-table';
import { and, desc, eq, getTableColumns, gt, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { EventType } from '../webhooks/event-types.ts';
import type { StoredRequest } from './approval-schema.ts';
import type { Database } from './database.ts';
import type { RunOwner } from './run-records.ts';
import { approvals } from './schema.ts';

const { input, signatures, ...columns } = getTableColumns(approvals);
/** Without the input and the signatures, which can be long. */
const recordColumns = {
  ...columns,
  signedBy: sql<Hex[]>`array(select jsonb_object_keys(${signatures}))`,
};

export type ApprovalRecord = Omit<typeof approvals.$inferSelect, 'input' | 'signatures'> & {
  signedBy: Hex[];
};

export const approvalStates = ['waiting', 'approved', 'used', 'refused', 'expired'] as const;
export type ApprovalState = (typeof approvalStates)[number];

export function stateOf({ usedBy, refusedBy, expiresAt, signedBy, request }: ApprovalRecord): ApprovalState {
  if (usedBy !== null) return 'used';
  if (refusedBy !== null) return 'refused';
  if (expiresAt.getTime() <= Date.now()) return 'expired';
  return signedBy.length >= request.threshold ? 'approved' : 'waiting';
}

const isUnexpired = gt(approvals.expiresAt, sql`clock_timestamp()`);
const isOpen = and(isNotNull(approvals.input), isUnexpired);

/** Maximum numbers of open approvals. */
export type OpenLimits = { account: number; usageKey: number };

/** The wire form of what a run asked for. */
export const toWireRequest = (request: StoredRequest) => ({
  summary: request.summary,
  hash: request.hash,
  approvers: request.approvers,
  contract_approvers: request.contractApprovers,
  passkey_approvers: request.passkeyApprovers ?? [],
  passkey_rp_id: request.passkeyRpId ?? null,
  threshold: request.threshold,
  expires: request.expires,
});

/**
 * Stores an approval and queues `approval.wanted`. Resolves to the owner that has reached its maximum, if one has; runs that end
 * concurrently can exceed it by their number.
 */
export async function insertApproval(
  db: Database,
  approval: typeof approvals.$inferInsert,
  most: OpenLimits,
): Promise<keyof OpenLimits | undefined> {
  const open = await db
    .select({ key: approvals.key })
    .from(approvals)
    .where(and(eq(approvals.account, approval.account), isOpen))
    .limit(most.account);
  if (open.length >= most.account) return 'account';
  if (open.filter(({ key }) => key === approval.key).length >= most.usageKey) return 'usageKey';
  const { id, runId, cid, key, request } = approval;
  const event = {
    approval_id: id,
    run_id: runId,
    cid,
    usage_key_hash: key,
    ...toWireRequest(request),
  };
  const type: EventType = 'approval.wanted';
  const inserted = db.insert(approvals).values(approval).returning({ account: approvals.account });
  await db.execute(sql`
    with inserted as ${inserted}
    select queue_webhook(account, ${type}::text, ${JSON.stringify(event)}::json) from inserted`);
  return undefined;
}

export async function findApproval(db: Database, id: string): Promise<ApprovalRecord | undefined> {
  const [found] = await db.select(recordColumns).from(approvals).where(eq(approvals.id, id));
  return found;
}

/** Resolves to the approval with its signatures and the sealed input of its run. */
export async function findWithInput(db: Database, id: string) {
  const [found] = await db
    .select({ ...recordColumns, signatures, input })
    .from(approvals)
    .where(eq(approvals.id, id));
  return found;
}

/** Resolves to the approvals of the owner, newest first. */
export function listApprovals(
  db: Database,
  { account, key }: RunOwner,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ApprovalRecord[]> {
  const owned = and(eq(approvals.account, account), key === undefined ? undefined : eq(approvals.key, key));
  const last = db
    .select({ createdAt: approvals.createdAt, id: approvals.id })
    .from(approvals)
    .where(and(owned, eq(approvals.id, before ?? '')));
  return db
    .select(recordColumns)
    .from(approvals)
    .where(
      and(
        owned,
        before === undefined ? undefined : sql`(${approvals.createdAt}, ${approvals.id}) < (${last})`,
      ),
    )
    .orderBy(desc(approvals.createdAt), desc(approvals.id))
    .limit(limit);
}

/** `approver`: an address, or the public key of a passkey. */
export type Signed = { id: string; approver: Hex; signature: Hex };

/** Adds the signature of an approver, or replaces another one. Has no effect on an approval that is not open. */
export async function addSignature(db: Database, { id, approver, signature }: Signed): Promise<void> {
  await db
    .update(approvals)
    .set({
      signatures: sql`${approvals.signatures} || jsonb_build_object(${approver}::text, ${signature}::text)`,
    })
    .where(
      and(
        eq(approvals.id, id),
        isOpen,
        sql`${approvals.signatures} ->> ${approver}::text is distinct from ${signature}::text`,
      ),
    );
}

/** Refuses an approval that has not expired. One that a run has is refused once that run gives it back. */
export async function refuseApproval(
  db: Database,
  { id, approver }: Omit<Signed, 'signature'>,
): Promise<void> {
  await db
    .update(approvals)
    .set({ refusedBy: approver, input: null })
    .where(and(eq(approvals.id, id), isNull(approvals.refusedBy), isUnexpired));
}

/** Ends an open approval: it has expired then. Resolves to the approval; to undefined when it is not of the account. */
export async function cancelApproval(
  db: Database,
  account: string,
  id: string,
): Promise<ApprovalRecord | undefined> {
  const isOwn = and(eq(approvals.id, id), eq(approvals.account, account));
  await db
    .update(approvals)
    // In the past also for the clock of a relayer that is behind.
    .set({ expiresAt: sql`clock_timestamp() - interval '1 minute'`, input: null })
    .where(and(isOwn, isOpen));
  const [found] = await db.select(recordColumns).from(approvals).where(isOwn);
  return found;
}

/** Gives an approved and open approval to a run. Resolves to false when it is not, or another run has it. */
export async function claimApproval(db: Database, id: string, runId: string): Promise<boolean> {
  const signed = sql`(select count(*) from jsonb_object_keys(${approvals.signatures}))`;
  const isApproved = sql`${signed} >= (${approvals.request}->>'threshold')::int`;
  const claimed = await db
    .update(approvals)
    .set({ usedBy: runId, input: null })
    .where(and(eq(approvals.id, id), isOpen, isApproved))
    .returning({ id: approvals.id });
  return claimed.length > 0;
}

/** Takes an approval back from a run whose code did not begin. One that was refused meanwhile stays without its input. */
export async function releaseApproval(db: Database, id: string, runId: string, input: string): Promise<void> {
  await db
    .update(approvals)
    .set({ usedBy: null, input: sql`case when ${approvals.refusedBy} is null then ${input}::text end` })
    .where(and(eq(approvals.id, id), eq(approvals.usedBy, runId)));
}

/** Deletes the inputs of expired approvals, and approvals that expired more than `days` ago. In batches, until `signal` is aborted. */
export async function sweepApprovals(db: Database, days: number, signal?: AbortSignal): Promise<void> {
  const { expiresAt } = approvals;
  const hasInput = and(isNotNull(input), lte(expiresAt, sql`now()`));
  await sweepTable(db, approvals, { by: expiresAt, isOld: hasInput, set: sql`input = null` }, signal);
  const isOld = lt(expiresAt, sql`now() - make_interval(days => ${days}::int)`);
  await sweepTable(db, approvals, { by: expiresAt, isOld }, signal);
}
