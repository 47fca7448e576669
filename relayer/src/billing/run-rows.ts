/** The statements on the table `runs`. A run is open from the reserve of its first second to its end. */
import type { RunUsage } from '@latchkey/runner-protocol';
import { callForRow } from '@latchkey/service/call-function';
import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import type { SignedReceipt } from '../runners/receipts.ts';
import { throwRefusal } from './ledger.ts';
import { RUN_SECOND_MICROS } from './money.ts';
import { RunUnpaidError } from './run-meter.ts';

/** A run whose lease was not renewed for so long has lost its process. */
export const LEASE_SEC = 15;

export type OpenRun = {
  id: string;
  account: bigint;
  /** Hash of the usage key. */
  key: bigint;
  /** CID of the code. */
  cid: string;
  idempotencyId: string | undefined;
};

/** The part of the record that the end of a run adds. `errorName` is null for a success. */
export type RunReport = {
  durationMs: number;
  errorName: string | null;
  usage: RunUsage;
  /** Absent for a run that ended before its code began. */
  receipt: SignedReceipt | undefined;
};

/**
 * The first `seconds` reserves are captured, the others released. `outcome` is the sealed outcome of an idempotent run, `output` the
 * sealed output of a recorded run. `report` is null for a run that is released.
 */
export type RunEnd = {
  seconds: number;
  outcome: string | null;
  output: string | null;
  report: RunReport | null;
};

/** `accountHead`: block of the account's last write, 0 without writes. `isRecorded`: its output is recorded. */
export type BegunRun = {
  accountHead: bigint;
  isRecorded: boolean;
  /** Longest run of the key, in seconds; null is unlimited. */
  maxRunSec: number | null;
};

const lease = sql`make_interval(secs => ${LEASE_SEC})`;

/** Reserves the first second. Rejects with `InsufficientCreditError` or `CapError`. */
export async function openRun(db: Database, run: OpenRun): Promise<BegunRun> {
  const { id, cid, idempotencyId = null } = run;
  const [account, key] = [hashText(run.account), hashText(run.key)];
  const { head, isRecorded, maxRunSec } = await callForRow(
    db,
    {
      head: sql<string | null>`head`,
      isRecorded: sql<boolean>`is_recorded`,
      maxRunSec: sql<number | null>`max_run_sec`,
    },
    sql`start_run(${id}, ${account}, ${key}, ${cid}, ${idempotencyId}, ${RUN_SECOND_MICROS}::bigint, ${lease})`,
  ).catch(throwRefusal);
  return { accountHead: BigInt(head ?? 0), isRecorded, maxRunSec };
}

/** Reserves one more second. Rejects with `InsufficientCreditError`, `CapError` or `RunUnpaidError`. */
export async function reserveSecond(db: Database, id: string): Promise<void> {
  const { isOpen } = await callForRow(
    db,
    { isOpen: sql<boolean>`is_open` },
    sql`reserve_second(${id}, ${RUN_SECOND_MICROS}::bigint, ${lease}) as is_open`,
  ).catch(throwRefusal);
  if (!isOpen) throw new RunUnpaidError('the run was released');
}

/** Resolves to false when the run is no longer open. */
export async function renewLease(db: Database, id: string): Promise<boolean> {
  const renewed = await db
    .update(runs)
    .set({ leaseUntil: sql`clock_timestamp() + ${lease}` })
    .where(and(eq(runs.id, id), isNull(runs.endedAt)))
    .returning({ id: runs.id });
  return renewed.length > 0;
}

export const isOpenRun = async (db: Database, id: string): Promise<boolean> =>
  (await db.$count(runs, and(eq(runs.id, id), isNull(runs.endedAt)))) > 0;

/** An ended run. `hasCode`: the use of its code was noted in the last day. */
export type EndedRun = { costMicros: bigint; hasCode: boolean };

/** Ends an open run. Resolves to undefined when it has already ended. */
export async function endRun(
  db: Database,
  id: string,
  { seconds, outcome, output, report }: RunEnd,
): Promise<EndedRun | undefined> {
  const { durationMs = null, errorName = null, usage, receipt } = report ?? {};
  const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));
  const { charged, hasCode } = await callForRow(
    db,
    { charged: sql<string | null>`charged`, hasCode: sql<boolean>`has_code` },
    sql`finish_run(${id}, ${seconds}::integer, ${durationMs}::integer, ${errorName}, ${json(usage)}::jsonb, ${json(receipt)}::jsonb, ${outcome}, ${output})`,
  );
  return charged === null ? undefined : { costMicros: BigInt(charged), hasCode };
}

/** Resolves to the run of an idempotent request that has stored its outcome. */
export async function findOutcome(db: Database, idempotencyId: string) {
  const { id, outcome, chargedMicros } = runs;
  const [row] = await db
    .select({ id, outcome, chargedMicros })
    .from(runs)
    .where(and(eq(runs.idempotencyId, idempotencyId), isNotNull(outcome)));
  return row;
}

/** Resolves to the ids of open runs whose process no longer renews its lease. */
export async function findLost(db: Database): Promise<string[]> {
  const lost = await db
    .select({ id: runs.id })
    .from(runs)
    .where(and(isNull(runs.endedAt), lt(runs.leaseUntil, sql`clock_timestamp()`)));
  return lost.map(({ id }) => id);
}
