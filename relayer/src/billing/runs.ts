/**
 * Payment for runs. Each second is reserved before it begins. The started seconds are captured when the run ends,
 * together with its outcome. A run whose process is lost costs nothing.
 */

import type { RunResult } from '@latchkey/runner-protocol';
import { onceAvailable } from '@latchkey/service/database-errors';
import type { Sealer } from '@latchkey/service/sealer';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { findOutput } from '../db/output-recordings.ts';
import type { SignedReceipt } from '../runners/receipts.ts';
import { createRunMeter, type RunMeter, RunUnpaidError, SECOND_MS, UNPAID_MS } from './run-meter.ts';
import {
  endRun,
  findLost,
  findOutcome,
  type OpenRun,
  openRun,
  type RunEnd,
  type RunReport,
  renewLease,
  reserveSecond,
} from './run-rows.ts';

const RENEWAL_MS = 5_000;
/** Time for which the result of a run waits for a database that takes no writes: without its record a retry executes it again. */
const RECORD_MS = 600_000;

/** The result of a run as its caller gets it. */
type Reply = Omit<RunResult, 'usage'>;

const startedSeconds = ({ durationMs }: Reply): number => Math.max(1, Math.ceil(durationMs / SECOND_MS));
const outcomeFrom = (id: string, { cid, receipt, ...result }: Ended, costMicros: bigint): RunOutcome => ({
  id,
  cid,
  receipt,
  result,
  costMicros,
});

/** The sealed outcome. `cid` is absent in outcomes of earlier versions. */
type Ended = Reply & { cid?: string | undefined; receipt?: SignedReceipt | undefined };

/** Actions choose the names of their errors, and a runner reports hosts: PostgreSQL cannot store every text. */
const storable = (text: string): string => text.replaceAll(/\p{C}/gu, '\ufffd');

function toReport({ durationMs, error, usage }: RunResult, receipt: SignedReceipt | undefined): RunReport {
  const errorName = error ? storable(error.name) : null;
  return { durationMs, errorName, usage: { ...usage, fetchHosts: usage.fetchHosts.map(storable) }, receipt };
}

export type PaidRun = {
  /** Block of the last write to the account when the run began; 0 without writes. */
  accountHead: bigint;
  /** Longest run of the usage key, in seconds; null is unlimited. */
  maxRunSec: number | null;
  /** Aborts when the next second cannot be paid: with the `ActionError` that ends the run, or with `RunUnpaidError`. */
  signal: AbortSignal;
  /** Counts the time for which a process has the run. */
  clock: Pick<RunMeter, 'start' | 'pause'>;
  /**
   * Captures the started seconds that credit covers, none of a run whose code did not begin, releases the rest, and stores the outcome of
   * an idempotent run. Resolves to the outcome to reply with: when another attempt of the request ended first, its outcome counts and this
   * run costs nothing.
   */
  capture: (result: RunResult, receipt?: SignedReceipt, hasBegun?: boolean) => Promise<RunOutcome>;
  /** Releases everything and stores no outcome. */
  release: () => Promise<void>;
};

export type RunOutcome = {
  id: string;
  /** CID of the code that ran. Undefined for runs of earlier versions. */
  cid: string | undefined;
  /** Undefined for a run that ended before its code began, and for runs of earlier versions. */
  receipt: SignedReceipt | undefined;
  result: Reply;
  /** Micro-credits captured for the run. */
  costMicros: bigint;
  /** True when the code is stored, and its use by the account was noted in the last day. */
  hasCode?: boolean;
};

/** The output of a run, as its record has it. */
type RunOutput = Pick<RunResult, 'response' | 'logs' | 'error'>;

export type Runs = {
  /** Returns the outcome of an earlier attempt of the idempotent request. */
  outcome: (idempotencyId: string) => Promise<RunOutcome | undefined>;
  /** Returns the recorded output of a run. */
  output: (id: string) => Promise<RunOutput | undefined>;
  /** Reserves the first second. Rejects with `InsufficientCreditError` or `CapError`. */
  begin: (run: OpenRun) => Promise<PaidRun>;
  /** Releases the reserves of runs whose process is lost. Resolves to the number of these runs. */
  releaseLost: () => Promise<number>;
};

const NOTHING: RunEnd = { seconds: 0, outcome: null, output: null, report: null };

/** The sealer's context of a recorded output. The outcome of the same run has another one. */
const outputContext = (id: string) => `output ${id}`;

export function createRuns(db: Database, sealer: Sealer, log: Logger): Runs {
  const outcome: Runs['outcome'] = async (idempotencyId) => {
    const row = await findOutcome(db, idempotencyId);
    if (!row?.outcome || row.chargedMicros === null) return undefined;
    const ended = JSON.parse(sealer.openText(row.outcome, row.id)) as Ended;
    return outcomeFrom(row.id, ended, row.chargedMicros);
  };

  return {
    begin: (run) => beginRun({ db, sealer, log, outcome }, run),
    outcome,
    async output(id) {
      const sealed = await findOutput(db, id);
      return sealed === undefined ? undefined : JSON.parse(sealer.openText(sealed, outputContext(id)));
    },
    async releaseLost() {
      let released = 0;
      for (const id of await findLost(db))
        if (await endRun(db, id, NOTHING)) {
          released++;
          log.warn({ run_id: id }, 'lost the process of a run: its credit was released');
        }
      return released;
    },
  };
}

type Parts = { db: Database; sealer: Sealer; log: Logger; outcome: Runs['outcome'] };

async function beginRun({ db, sealer, log, outcome }: Parts, run: OpenRun): Promise<PaidRun> {
  const { id, cid, idempotencyId } = run;
  const { accountHead, isRecorded, maxRunSec } = await openRun(db, run);
  const meter: RunMeter = createRunMeter({
    reserveSecond: () => onceAvailable(() => reserveSecond(db, id), UNPAID_MS, meter.signal),
    onReserveError: (err) => log.error({ err, run_id: id }, 'failed to reserve a second of a run'),
  });
  const renewal = setInterval(() => {
    renewLease(db, id).then(
      (isOpen) => isOpen || meter.abort(new RunUnpaidError('the run was released')),
      (err: unknown) => log.error({ err, run_id: id }, 'failed to renew the lease of a run'),
    );
  }, RENEWAL_MS);
  const settle = async (end: RunEnd) => {
    clearInterval(renewal);
    await meter.stop();
    await meter.collect(end.seconds);
    return endRun(db, id, end);
  };

  return {
    accountHead,
    maxRunSec,
    signal: meter.signal,
    clock: meter,
    async capture(result, receipt, hasBegun = true) {
      const { usage: _usage, ...reply } = result;
      const own: Ended = { ...reply, cid, receipt };
      const { response, logs, error } = result;
      const kept: RunOutput = { response, logs, ...(error && { error }) };
      try {
        const end: RunEnd = {
          seconds: hasBegun ? startedSeconds(result) : 0,
          outcome: idempotencyId === undefined ? null : sealer.seal(JSON.stringify(own), id),
          output: isRecorded ? sealer.seal(JSON.stringify(kept), outputContext(id)) : null,
          report: toReport(result, receipt),
        };
        const ended = await onceAvailable(() => settle(end), RECORD_MS);
        if (ended) return { ...outcomeFrom(id, own, ended.costMicros), hasCode: ended.hasCode };
        // The reply to an earlier statement can have been lost after its commit.
        const stored = idempotencyId === undefined ? undefined : await outcome(idempotencyId);
        if (stored) return stored;
        log.warn({ run_id: id }, 'a run ended after it was released: it costs nothing');
        return outcomeFrom(id, own, 0n);
      } catch (thrown) {
        const first = idempotencyId === undefined ? undefined : await outcome(idempotencyId);
        if (!first) throw thrown;
        await settle(NOTHING);
        return first;
      }
    },
    async release() {
      await settle(NOTHING);
    },
  };
}
