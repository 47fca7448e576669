/** The clock of a paid run: reserves each second before it begins and stops the run that cannot pay for the next one. */
import { ActionError } from '../runtime/errors.ts';
import { CapError } from './caps.ts';
import { InsufficientCreditError } from './ledger.ts';

export const SECOND_MS = 1_000;
/**
 * Before the end of a second, when the next one is reserved: runs shorter than the rest need no second reserve, and a database that
 * takes longer ends the run.
 */
const RESERVE_AHEAD_MS = 750;

/** The ledger did not answer in time, or gave the run up: it is stopped and costs nothing. */
export class RunUnpaidError extends Error {
  override readonly name = 'RunUnpaidError';
}

const isSpent = (thrown: unknown): thrown is Error =>
  thrown instanceof InsufficientCreditError || thrown instanceof CapError;

export type RunMeterOptions = {
  /** Reserves one more second. Rejects with `InsufficientCreditError`, `CapError` or `RunUnpaidError`. */
  reserveSecond: () => Promise<void>;
  /** Called with what `reserveSecond` rejected with when it says nothing about the credit of the run. */
  onReserveError: (thrown: unknown) => void;
};

export type RunMeter = {
  /** Aborted when the next second cannot be paid: by an `ActionError` that the run ends with, or by `RunUnpaidError`. */
  signal: AbortSignal;
  /** The seconds of the run count from now; the first one is reserved. */
  start: () => void;
  /** Stops the run unless it has ended. */
  abort: (reason: Error) => void;
  /** Ends the clock: resolves when no reserve is under way any more. */
  stop: () => Promise<void>;
  /** Reserves the seconds that began before they were reserved: a busy host does not make a run cheaper. */
  collect: (startedSeconds: number) => Promise<void>;
};

/** A meter of a run whose first second is reserved. */
export function createRunMeter({ reserveSecond, onReserveError }: RunMeterOptions): RunMeter {
  const stopped = new AbortController();
  let seconds = 1;
  let timer: NodeJS.Timeout | undefined;
  let reserving: Promise<void> = Promise.resolve();

  /** What ends the run when the reserve fails. */
  const reasonOf = (thrown: unknown): Error => {
    if (isSpent(thrown))
      return new ActionError('CreditError', `${thrown.message}: the next second cannot be paid`);
    onReserveError(thrown);
    return new RunUnpaidError('the next second was not reserved', { cause: thrown });
  };

  /** Reserves the next second; the run is stopped at the end of the last one that is reserved. */
  const reserveNext = async (startedAtMs: number, msLeft: number): Promise<void> => {
    let reason: Error = new RunUnpaidError('the next second was not reserved in time');
    timer = setTimeout(() => stopped.abort(reason), msLeft);
    try {
      await reserveSecond();
    } catch (thrown) {
      reason = reasonOf(thrown);
      return;
    }
    seconds++;
    if (stopped.signal.aborted) return;
    clearTimeout(timer);
    waitForNext(startedAtMs);
  };

  const waitForNext = (startedAtMs: number): void => {
    const endsInMs = startedAtMs + seconds * SECOND_MS - performance.now();
    const waitMs = Math.max(0, endsInMs - RESERVE_AHEAD_MS);
    timer = setTimeout(() => {
      reserving = reserveNext(startedAtMs, endsInMs - waitMs);
    }, waitMs);
  };

  return {
    signal: stopped.signal,
    start: () => waitForNext(performance.now()),
    abort: (reason) => stopped.abort(reason),
    async stop() {
      clearTimeout(timer);
      stopped.abort();
      await reserving;
      clearTimeout(timer);
    },
    async collect(startedSeconds) {
      try {
        for (; seconds < startedSeconds; seconds++) await reserveSecond();
      } catch (thrown) {
        if (!isSpent(thrown) && !(thrown instanceof RunUnpaidError)) throw thrown;
      }
    },
  };
}
