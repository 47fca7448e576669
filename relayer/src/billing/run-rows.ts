/** The statements on the table `runs`. A run is open from the reserve of its first second to its end. */
import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { admitRun } from './caps.ts';
import { endReserves, reserve } from './ledger.ts';
import { RUN_SECOND_MICROS } from './money.ts';
import { RunUnpaidError } from './run-meter.ts';

const LEASE_SEC = 15;

export type OpenRun = {
  id: string;
  account: bigint;
  /** Hash of the usage key. */
  key: bigint;
  idempotencyId: string | undefined;
};

/** The first `seconds` reserves are captured, the others released. `sealed`: the outcome of an idempotent run. */
export type RunEnd = { seconds: number; sealed: string | null };

const lease = sql`clock_timestamp() + make_interval(secs => ${LEASE_SEC})`;
const isOpen = (id: string) => and(eq(runs.id, id), isNull(runs.endedAt));
const second = ({ id, account, key }: OpenRun) => ({
  account,
  key,
  amountMicros: RUN_SECOND_MICROS,
  reason: `run ${id}`,
});

/** Reserves the first second. Rejects with `InsufficientCreditError` or `CapError`. */
export async function openRun(db: Database, run: OpenRun): Promise<void> {
  await db.transaction(async (tx) => {
    await admitRun(tx, run.key);
    await tx.insert(runs).values({
      id: run.id,
      account: hashText(run.account),
      key: hashText(run.key),
      idempotencyId: run.idempotencyId ?? null,
      leaseUntil: lease,
      reserves: [await reserve(tx, second(run))],
    });
  });
}

/** Reserves one more second. Rejects with `InsufficientCreditError`, `CapError` or `RunUnpaidError`. */
export async function reserveSecond(db: Database, run: OpenRun): Promise<void> {
  await db.transaction(async (tx) => {
    const [found] = await tx.select({ id: runs.id }).from(runs).where(isOpen(run.id)).for('update');
    if (!found) throw new RunUnpaidError('the run was released');
    const number = await reserve(tx, second(run));
    await tx
      .update(runs)
      .set({ reserves: sql`array_append(${runs.reserves}, ${number}::bigint)`, leaseUntil: lease })
      .where(isOpen(run.id));
  });
}

/** Resolves to false when the run is no longer open. */
export async function renewLease(db: Database, id: string): Promise<boolean> {
  const renewed = await db
    .update(runs)
    .set({ leaseUntil: lease })
    .where(isOpen(id))
    .returning({ id: runs.id });
  return renewed.length > 0;
}

/** Ends an open run. Resolves to its row, or to undefined when it has already ended. */
export function endRun(
  db: Database,
  id: string,
  { seconds, sealed }: RunEnd,
): Promise<typeof runs.$inferSelect | undefined> {
  return db.transaction(async (tx) => {
    const [ended] = await tx
      .update(runs)
      .set({ endedAt: sql`clock_timestamp()`, outcome: sealed })
      .where(isOpen(id))
      .returning();
    if (!ended) return undefined;
    const account = BigInt(ended.account);
    await endReserves(tx, 'release', account, ended.reserves.slice(seconds));
    await endReserves(tx, 'capture', account, ended.reserves.slice(0, seconds));
    return ended;
  });
}

/** Resolves to the row of the run of an idempotent request that has an outcome. */
export async function findOutcome(db: Database, idempotencyId: string) {
  const { id, outcome, reserves } = runs;
  const [row] = await db
    .select({ id, outcome, reserves })
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
