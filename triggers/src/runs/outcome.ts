/** Decides how a run continues after an answer of the relayer. */
import type { RunAnswer } from '../run-request.ts';
import type { Attempt, Executed, HoldReason, Outcome } from './queue.ts';

/** Crashes of runners during a run, while other runs were executed, after which the run is taken for their cause. */
const MAX_CRASHES = 3;
const FIRST_RETRY_MS = 1_000;
/** Longest delay that grows by itself. */
const LONGEST_BACKOFF_MS = 60_000;
/** Longest delay after the code began: each retry can repeat what the code did elsewhere. */
const LONGEST_RETRY_MS = 3_600_000;
/** Time after which a run is tried again that the relayer refused for missing credit or its usage key. */
export const HOLD_MS = 30_000;

export type Decision = {
  outcome: Outcome;
  /** Undefined when the request does not count as an attempt. */
  attempt?: Omit<Attempt, 'startedAt'>;
  /** Keeps all runs of the trigger waiting, unless the run is of an earlier revision. */
  trigger?: { state: 'held'; reason: HoldReason } | { state: 'paused'; reason: string };
};

/** Returns the delay after claim number `claim`: about 1, 4, 16 s and so on up to `longestMs`, with jitter. */
export const retryDelayMs = (claim: number, longestMs = LONGEST_BACKOFF_MS): number =>
  Math.min(FIRST_RETRY_MS * 4 ** (claim - 1), longestMs) * (0.5 + Math.random());

/** A failure without a reply of the action: the cost is unknown. */
export const failure = (error: { name: string; message: string }): Outcome => ({
  status: 'failed',
  error,
  logs: '',
  costMicros: null,
});

const waiting = (delayMs: number, executed: Executed): Outcome => ({
  status: 'queued',
  delayMs,
  executed,
});
type Unserved = { retryAfterMs: number; began?: boolean };

/** Returns a delay that grows with the claims of the run: a run that is never executed costs little. */
const delayOf = ({ retryAfterMs, began }: Unserved, { claim }: { claim: number }): number =>
  Math.min(
    Math.max(retryAfterMs, retryDelayMs(claim, began ? LONGEST_RETRY_MS : LONGEST_BACKOFF_MS)),
    LONGEST_RETRY_MS,
  );

/** The facts that decide about a run. */
export type Tried = {
  attempt: number;
  claim: number;
  /** Has waited for the service for over a day: its owner is told. */
  isLate: boolean;
  /** It waits no longer for credit or a key. */
  isOld: boolean;
  /** Another run was executed since this one was claimed. */
  othersRan: boolean;
};

/**
 * A failure of the service costs no attempt and ends no run, except for a run during which runners crashed while other runs were
 * executed: it is the likely cause.
 */
export function decide(answer: RunAnswer, run: Tried): Decision {
  const { httpStatus } = answer;
  if (answer.kind === 'reply') {
    const { reply, costMicros } = answer;
    if (reply.approval_id !== undefined) {
      const { approval_id: approvalId, logs } = reply;
      return { outcome: { status: 'queued', delayMs: FIRST_RETRY_MS, approvalId, logs, costMicros } };
    }
    return { outcome: ranOutcome(answer), attempt: { httpStatus, message: 'ran' } };
  }
  const { message } = answer;
  const attempt = { httpStatus, message };
  switch (answer.kind) {
    case 'unreachable':
      return {
        outcome: waiting(delayOf(answer, run), 'perhaps'),
        ...(run.isLate && { trigger: { state: 'held', reason: 'service_unavailable' } as const }),
      };
    case 'limited':
      // 409: the approval is not used. A limit does not show whether an earlier request was executed.
      return { outcome: waiting(delayOf(answer, run), httpStatus === 409 ? 'never' : 'not now') };
    case 'unpaid':
      if (run.isOld) return { outcome: failure({ name: 'payment_required', message }), attempt };
      return { outcome: waiting(HOLD_MS, 'not now'), trigger: { state: 'held', reason: 'payment_required' } };
    case 'unknown key':
      if (run.isOld) return { outcome: failure({ name: 'unauthorized', message }), attempt };
      return {
        outcome: waiting(HOLD_MS, 'not now'),
        trigger: {
          state: 'paused',
          reason: `The relayer refused the usage key. Set a valid usage_api_key and enable the trigger. The reply: ${message}`,
        },
      };
    case 'crashed': {
      const outcome = waiting(retryDelayMs(run.claim, LONGEST_RETRY_MS), 'perhaps');
      if (!run.othersRan) return { outcome };
      if (run.attempt + 1 < MAX_CRASHES) return { outcome, attempt };
      return { outcome: failure({ name: 'service_unavailable', message }), attempt };
    }
    case 'refused':
      return { outcome: failure({ name: answer.name, message }), attempt };
  }
}

function ranOutcome({
  reply,
  costMicros,
  cid,
  relayerRunId,
  durationMs,
}: RunAnswer & { kind: 'reply' }): Outcome {
  const { response, logs, has_error, error } = reply;
  const ran = { logs, costMicros, cid, relayerRunId, durationMs };
  if (!has_error) return { status: 'success', response: response ?? null, ...ran };
  const thrown = error ?? { name: 'Error', message: 'The action failed.' };
  return { status: 'failed', error: thrown, ...ran };
}
