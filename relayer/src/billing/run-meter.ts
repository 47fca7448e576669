/**
 * The clock of a paid run. Reserves each second before it begins and stops the run when the next second cannot be paid.
 */
import { ActionError } from '@latchkey/runner-protocol';
import { CapError } from './caps.ts';
import { InsufficientCreditError } from './ledger.ts';

export const SECOND_MS = 1_000;
/**
 * Time before the end of a second at which the next one is reserved. Shorter runs need no second reserve.
 */
const RESERVE_AHEAD_MS = 750;
/**
 * Time for which a run goes on while the ledger does not answer: a run that ended then would be executed again. Its seconds are charged
 * at its end, as far as credit allows.
 */
export const UNPAID_MS = 120_000;

/** The ledger did not respond for too long, or released the run: the run is stopped and costs nothing. */
export class RunUnpaidError extends Error {
  override readonly name = 'RunUnpaidError';
}

const isSpent = (thrown: unknown): thrown is Error =>
  thrown instanceof InsufficientCreditError || thrown instanceof CapError;

/** Returns the error that ends the run when a reserve fails. */
const toEndReason = (thrown: unknown): Error =>
  isSpent(thrown)
    ? new ActionError('CreditError', `${thrown.message}: the next second cannot be paid`)
    : new RunUnpaidError('failed to reserve the next second', { cause: thrown });

export type RunMeterOptions = {
  /** Reserves one more second. Rejects with `InsufficientCreditError`, `CapError` or `RunUnpaidError`. */
  reserveSecond: () => Promise<void>;
  /** Called with the rejection of `reserveSecond` when its cause is not the credit of the run. */
  onReserveError: (thrown: unknown) => void;
};

export type RunMeter = {
  /** Aborts when the next second cannot be paid: with the `ActionError` that ends the run, or with `RunUnpaidError`. */
  signal: AbortSignal;
  /** Starts the clock; the first second is already reserved. */
  start: () => void;
  /** Stops the clock of a run that did not begin, until it is started again. */
  pause: () => void;
  /** Stops the run unless it has ended. */
  abort: (reason: Error) => void;
  /** Stops the clock. Resolves when no reserve is in flight. */
  stop: () => Promise<void>;
  /** Reserves the started seconds that are not reserved yet, so that a slow host does not make a run cheaper. */
  collect: (startedSeconds: number) => Promise<void>;
};

/** One for all runs: an abort without a reason makes an error with its stack. */
const runEnded = new Error('the run has ended');

/** Creates the meter of a run whose first second is reserved. */
export function createRunMeter({ reserveSecond, onReserveError }: RunMeterOptions): RunMeter {
  const stopped = new AbortController();
  let seconds = 1;
  /** Undefined while the run has not begun. */
  let startedAtMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reserving: Promise<void> = Promise.resolve();
  const stopAt = (atMs: number, reason: Error): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stopped.abort(reason), Math.max(0, atMs - performance.now()));
  };
  /** Reserves the next second. Stops the run at the end of the last reserved one, and later while the ledger does not answer. */
  const reserveNext = async (fromMs: number, endsAtMs: number): Promise<void> => {
    stopAt(endsAtMs + UNPAID_MS, new RunUnpaidError('the next second was not reserved in time'));
    try {
      await reserveSecond();
    } catch (thrown) {
      if (!isSpent(thrown)) onReserveError(thrown);
      return stopAt(endsAtMs, toEndReason(thrown));
    }
    seconds++;
    if (stopped.signal.aborted || startedAtMs !== fromMs) return;
    clearTimeout(timer);
    waitForNext(fromMs);
  };

  const waitForNext = (fromMs: number): void => {
    const endsAtMs = fromMs + seconds * SECOND_MS;
    const waitMs = Math.max(0, endsAtMs - RESERVE_AHEAD_MS - performance.now());
    timer = setTimeout(() => {
      reserving = reserveNext(fromMs, endsAtMs);
    }, waitMs);
  };

  return {
    signal: stopped.signal,
    start() {
      startedAtMs = performance.now();
      waitForNext(startedAtMs);
    },
    pause() {
      startedAtMs = undefined;
      clearTimeout(timer);
    },
    abort: (reason) => stopped.abort(reason),
    async stop() {
      clearTimeout(timer);
      stopped.abort(runEnded);
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
