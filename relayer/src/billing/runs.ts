/**
 * Payment for runs. Each second is reserved before it begins. The started seconds are captured when the run ends,
 * together with its outcome. A run whose process is lost costs nothing.
 */

import type { Sealer } from '@latchkey/service/sealer';
import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { runs } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import type { RunResult } from '../runtime/runtime.ts';
import { admitRun } from './caps.ts';
import { endReserves, reserve } from './ledger.ts';
import { RUN_SECOND_MICROS } from './money.ts';
import { createRunMeter, RunUnpaidError, SECOND_MS } from './run-meter.ts';

const LEASE_SEC = 15;
const RENEWAL_MS = 5_000;

const startedSeconds = ({ durationMs }: RunResult): number => Math.max(1, Math.ceil(durationMs / SECOND_MS));
/** A run that credit does not cover completely is charged up to the available credit. */
const paidSeconds = (result: RunResult, { reserves }: { reserves: unknown[] }): number =>
  Math.min(startedSeconds(result), reserves.length);
const outcomeFrom = (id: string, { cid, ...result }: Ended, seconds: number): RunOutcome => ({
  id,
  cid,
  result,
  costMicros: BigInt(seconds) * RUN_SECOND_MICROS,
});

/** The sealed outcome. `cid` is absent in outcomes of earlier versions. */
type Ended = RunResult & { cid?: string | undefined };

export type NewRun = {
  id: string;
  cid: string;
  account: bigint;
  /** Hash of the usage key. */
  key: bigint;
  idempotencyId: string | undefined;
};

export type PaidRun = {
  /** Aborts when the next second cannot be paid: with the `ActionError` that ends the run, or with `RunUnpaidError`. */
  signal: AbortSignal;
  /** Starts the clock. Call when a worker process picks up the run. */
  started: () => void;
  /**
   * Captures the started seconds, releases the rest, and stores the outcome of an idempotent run. Resolves to the
   * outcome to reply with: when another attempt of the request ended first, its outcome counts and this run costs
   * nothing.
   */
  capture: (result: RunResult) => Promise<RunOutcome>;
  /** Releases everything and stores no outcome. */
  release: () => Promise<void>;
};

export type RunOutcome = {
  id: string;
  /** CID of the code that ran. Undefined for runs of earlier versions. */
  cid: string | undefined;
  result: RunResult;
  /** Micro-credits captured for the run. */
  costMicros: bigint;
};

export type Runs = {
  /** Returns the outcome of an earlier attempt of the idempotent request. */
  outcome: (idempotencyId: string) => Promise<RunOutcome | undefined>;
  /** Reserves the first second. Rejects with `InsufficientCreditError` or `CapError`. */
  begin: (run: NewRun) => Promise<PaidRun>;
  /** Releases the reserves of runs whose process is lost. Resolves to the number of these runs. */
  releaseLost: () => Promise<number>;
};

export function createRuns(db: Database, sealer: Sealer, log: Logger): Runs {
  const lease = sql`clock_timestamp() + make_interval(secs => ${LEASE_SEC})`;
  const open = (id: string) => and(eq(runs.id, id), isNull(runs.endedAt));

  /** Ends an open run within a transaction; undefined when it has already ended. */
  const end = async (
    tx: Database,
    id: string,
    outcome: { seconds: number; sealed: string | null },
  ): Promise<typeof runs.$inferSelect | undefined> => {
    const [ended] = await tx
      .update(runs)
      .set({ endedAt: sql`clock_timestamp()`, outcome: outcome.sealed })
      .where(open(id))
      .returning();
    if (!ended) return undefined;
    const account = BigInt(ended.account);
    await endReserves(tx, 'release', account, ended.reserves.slice(outcome.seconds));
    await endReserves(tx, 'capture', account, ended.reserves.slice(0, outcome.seconds));
    return ended;
  };
  const nothing = { seconds: 0, sealed: null };

  const outcomeOf: Runs['outcome'] = async (idempotencyId) => {
    const [row] = await db
      .select({ id: runs.id, outcome: runs.outcome, reserves: runs.reserves })
      .from(runs)
      .where(and(eq(runs.idempotencyId, idempotencyId), isNotNull(runs.outcome)));
    if (!row?.outcome) return undefined;
    const ended = JSON.parse(sealer.openText(row.outcome, row.id)) as Ended;
    return outcomeFrom(row.id, ended, paidSeconds(ended, row));
  };

  const begin: Runs['begin'] = async ({ id, cid, account, key, idempotencyId }) => {
    const second = { account, key, amountMicros: RUN_SECOND_MICROS, reason: `run ${id}` };
    await db.transaction(async (tx) => {
      await admitRun(tx, key);
      await tx.insert(runs).values({
        id,
        account: hashText(account),
        key: hashText(key),
        idempotencyId: idempotencyId ?? null,
        leaseUntil: lease,
        reserves: [await reserve(tx, second)],
      });
    });

    const reserveSecond = () =>
      db.transaction(async (tx) => {
        const [run] = await tx.select({ id: runs.id }).from(runs).where(open(id)).for('update');
        if (!run) throw new RunUnpaidError('the run was released');
        const number = await reserve(tx, second);
        await tx
          .update(runs)
          .set({ reserves: sql`array_append(${runs.reserves}, ${number}::bigint)`, leaseUntil: lease })
          .where(open(id));
      });
    const meter = createRunMeter({
      reserveSecond,
      onReserveError: (err) => log.error({ err, run_id: id }, 'failed to reserve a second of a run'),
    });
    const renewal = setInterval(() => {
      db.update(runs)
        .set({ leaseUntil: lease })
        .where(open(id))
        .returning({ id: runs.id })
        .then(
          (renewed) => renewed.length === 0 && meter.abort(new RunUnpaidError('the run was released')),
          (err: unknown) => log.error({ err, run_id: id }, 'failed to renew the lease of a run'),
        );
    }, RENEWAL_MS);

    const settle = async (outcome: { seconds: number; sealed: string | null }) => {
      clearInterval(renewal);
      await meter.stop();
      await meter.collect(outcome.seconds);
      return db.transaction((tx) => end(tx, id, outcome));
    };

    return {
      signal: meter.signal,
      started: meter.start,
      async capture(result) {
        const own: Ended = { ...result, cid };
        const sealed = idempotencyId === undefined ? null : sealer.seal(JSON.stringify(own), id);
        try {
          const ended = await settle({ seconds: startedSeconds(result), sealed });
          if (ended) return outcomeFrom(id, own, paidSeconds(result, ended));
          log.warn({ run_id: id }, 'a run ended after it was released: it costs nothing');
          return outcomeFrom(id, own, 0);
        } catch (thrown) {
          const first = idempotencyId === undefined ? undefined : await outcomeOf(idempotencyId);
          if (!first) throw thrown;
          await settle(nothing);
          return first;
        }
      },
      async release() {
        await settle(nothing);
      },
    };
  };

  return {
    begin,
    outcome: outcomeOf,
    async releaseLost() {
      const lost = await db
        .select({ id: runs.id })
        .from(runs)
        .where(and(isNull(runs.endedAt), lt(runs.leaseUntil, sql`clock_timestamp()`)));
      let released = 0;
      for (const { id } of lost)
        if (await db.transaction((tx) => end(tx, id, nothing))) {
          released++;
          log.warn({ run_id: id }, 'lost the process of a run: its credit was released');
        }
      return released;
    },
  };
}
