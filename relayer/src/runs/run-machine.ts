/**
 * The life of a run as pure transitions: an event in, the next effect out. A run is paid at most once, and a paid run ends once:
 * its result is captured, or its error refunds it.
 */
import { type ActionError, failedResult, type RunResult, toRunError } from '@latchkey/runner-protocol';
import { LockLostError } from '@latchkey/service/locks';
import { RunUnpaidError } from '../billing/run-meter.ts';
import type { RunOutcome } from '../billing/runs.ts';
import { RunInterruptedError } from '../runners/errors.ts';

export type Run =
  /** The contract is asked whether the key may run the action. `keyBlock`: the block at which the key was read. */
  | { state: 'asked'; keyBlock: bigint }
  /** The first second is being reserved. */
  | { state: 'permitted'; keyBlock: bigint }
  /** The account changed after the key was read: the contract is asked again. */
  | { state: 'paid' }
  /** The runners have the run. Its code has not begun. */
  | { state: 'placed' }
  | { state: 'running' }
  /** The result is being captured. */
  | { state: 'ended' }
  | { state: 'refunded'; error: unknown }
  /** Ended before it was paid. */
  | { state: 'refused' };

export type RunEvent =
  | { type: 'permitted' }
  /** `accountHead`: block of the last write to the account. */
  | { type: 'paid'; accountHead: bigint }
  /** A process has the code. */
  | { type: 'begun' }
  /** The process had no room after all: the run waits for another one. */
  | { type: 'moved' }
  /** The run ended before its code began. */
  | { type: 'stopped'; error: ActionError }
  /** `stop`: the reason of the abort of the run. `outage`: why a key function could not ask for a key. */
  | { type: 'finished'; result: RunResult; stop?: unknown; outage?: Error | undefined }
  | { type: 'captured'; outcome: RunOutcome }
  | { type: 'refunded' }
  /** The latest effect failed. */
  | { type: 'failed'; error: unknown };

export type Effect =
  | { type: 'ask' }
  | { type: 'ask again' }
  | { type: 'reserve' }
  | { type: 'place' }
  /** Starts the clock of the run and tells its caller. */
  | { type: 'start' }
  /** Pauses the clock of the run. */
  | { type: 'pause' }
  /** `hasBegun`: the code ran. */
  | { type: 'capture'; result: RunResult; hasBegun: boolean }
  | { type: 'refund' }
  | { type: 'reply'; outcome: RunOutcome }
  | { type: 'fail'; error: unknown };

export type Step = { run: Run; effect: Effect };

/** The first step of a run whose key was read at this block. */
export const ask = (keyBlock: bigint): Step => ({
  run: { state: 'asked', keyBlock },
  effect: { type: 'ask' },
});

const place: Step = { run: { state: 'placed' }, effect: { type: 'place' } };
const refund = (error: unknown): Step => ({ run: { state: 'refunded', error }, effect: { type: 'refund' } });
const capture = (result: RunResult, hasBegun: boolean): Step => ({
  run: { state: 'ended' },
  effect: { type: 'capture', result, hasBegun },
});

/** Throws when the event is impossible in the state of the run. */
export function advance(run: Run, event: RunEvent): Step {
  if (event.type === 'failed') return fail(run, event.error);
  const impossible = new Error(`a run that is ${run.state} cannot be ${event.type}`);
  switch (run.state) {
    case 'asked':
      if (event.type !== 'permitted') throw impossible;
      return { run: { ...run, state: 'permitted' }, effect: { type: 'reserve' } };
    case 'permitted':
      if (event.type !== 'paid') throw impossible;
      // Another relayer wrote to the account after the key was read.
      if (event.accountHead > run.keyBlock) return { run: { state: 'paid' }, effect: { type: 'ask again' } };
      return place;
    case 'paid':
      if (event.type !== 'permitted') throw impossible;
      return place;
    case 'placed':
      if (event.type === 'begun') return { run: { state: 'running' }, effect: { type: 'start' } };
      if (event.type !== 'stopped') throw impossible;
      return capture(failedResult(toRunError(event.error.name, event.error.message)), false);
    case 'running':
      if (event.type === 'moved') return { run: { state: 'placed' }, effect: { type: 'pause' } };
      if (event.type !== 'finished') throw impossible;
      return finish(event);
    case 'ended':
      if (event.type !== 'captured') throw impossible;
      return { run, effect: { type: 'reply', outcome: event.outcome } };
    case 'refunded':
      if (event.type !== 'refunded') throw impossible;
      return { run, effect: { type: 'fail', error: run.error } };
    default:
      throw impossible;
  }
}

function finish({ result, stop, outage }: Extract<RunEvent, { type: 'finished' }>): Step {
  const isRefunded = [RunUnpaidError, RunInterruptedError, LockLostError].some(
    (error) => stop instanceof error,
  );
  if (isRefunded) return refund(stop);
  // The service caused the failure: the run costs nothing and can be retried.
  return result.hasError && outage ? refund(outage) : capture(result, true);
}

function fail(run: Run, error: unknown): Step {
  switch (run.state) {
    case 'asked':
    case 'permitted':
      return { run: { state: 'refused' }, effect: { type: 'fail', error } };
    case 'paid':
    case 'placed':
    case 'running':
    case 'ended':
      return refund(error);
    default:
      return { run, effect: { type: 'fail', error } };
  }
}
