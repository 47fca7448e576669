/** Decides how a run continues after an answer of the relayer. */
import type { RunAnswer } from '../relayer-client.ts';
import type { Attempt, Outcome } from './queue.ts';

const RETRIES = 3;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 3_600_000;
/** Time until a run is tried again that the relayer refused for missing credit or its usage key. */
export const HOLD_MS = 30_000;

export type Decision = {
  outcome: Outcome;
  /** Undefined when the request does not count as an attempt. */
  attempt?: Omit<Attempt, 'startedAt'>;
  /** Keeps all runs of the trigger waiting, unless the run is of an earlier revision. */
  trigger?: { state: 'held' } | { state: 'paused'; reason: string };
};

/** Returns the delay after attempt number `attempt`: about 1, 4 and 16 s with jitter. */
export const retryDelayMs = (attempt: number): number =>
  FIRST_RETRY_MS * 4 ** (attempt - 1) * (0.5 + Math.random());

/** A failure without a reply of the action: the cost is unknown. */
export const failure = (error: { name: string; message: string }): Outcome => ({
  status: 'failed',
  error,
  logs: '',
  costMicros: null,
});

const waiting = (delayMs: number, mayHaveRun: boolean): Outcome => ({
  status: 'queued',
  delayMs,
  mayHaveRun,
});
/** Grows with the claims of the run, so that one that is never executed costs little. */
const delayOf = ({ retryAfterMs }: { retryAfterMs: number }, { claim }: { claim: number }): number =>
  Math.min(Math.max(retryAfterMs, retryDelayMs(Math.min(claim, RETRIES))), LONGEST_RETRY_MS);

/**
 * Only failed executions count as attempts; after the first one and three retries the run fails. `isOld`: accepted
 * longer than 7 days ago, so that it waits no longer for credit or a key.
 */
export function decide(answer: RunAnswer, run: { attempt: number; claim: number; isOld: boolean }): Decision {
  const { httpStatus } = answer;
  if (answer.kind === 'reply')
    return { outcome: ranOutcome(answer), attempt: { httpStatus, message: 'ran' } };
  const { message } = answer;
  const attempt = { httpStatus, message };
  switch (answer.kind) {
    case 'unreachable':
      return { outcome: waiting(delayOf(answer, run), true) };
    case 'limited':
      return { outcome: waiting(delayOf(answer, run), false) };
    case 'unpaid':
      if (run.isOld) return { outcome: failure({ name: 'payment_required', message }), attempt };
      return { outcome: waiting(HOLD_MS, false), trigger: { state: 'held' } };
    case 'unknown key':
      if (run.isOld) return { outcome: failure({ name: 'unauthorized', message }), attempt };
      return {
        outcome: waiting(HOLD_MS, false),
        trigger: {
          state: 'paused',
          reason: `The relayer refused the usage key. Set a valid usage_api_key and enable the trigger. The reply: ${message}`,
        },
      };
    case 'failed': {
      const number = run.attempt + 1;
      if (number <= RETRIES) return { outcome: waiting(retryDelayMs(number), true), attempt };
      return { outcome: failure({ name: 'service_unavailable', message }), attempt };
    }
    case 'refused':
      return { outcome: failure({ name: answer.name, message }), attempt };
  }
}

function ranOutcome({ reply, costMicros, cid, durationMs }: RunAnswer & { kind: 'reply' }): Outcome {
  const { response, logs, has_error, error } = reply;
  if (!has_error) return { status: 'success', response: response ?? null, logs, costMicros, cid, durationMs };
  const thrown = error ?? { name: 'Error', message: 'The action failed.' };
  return { status: 'failed', error: thrown, logs, costMicros, cid, durationMs };
}
