import { RuntimeUnavailableError } from '@latchkey/runner-protocol';

/** The relayer or the runner was stopped before the run ended. The run costs nothing, has no outcome, and can be retried. */
export class RunInterruptedError extends Error {
  override readonly name = 'RunInterruptedError';
}

/** The runner ended unannounced during a run, which may have caused it. The run costs nothing and has no outcome. */
export class RunnerCrashedError extends RuntimeUnavailableError {
  override readonly name = 'RunnerCrashedError';
}

/** Too few key nodes answer. The message is public. The run or mint costs nothing and can be retried. */
export class KeyNodesUnavailableError extends RuntimeUnavailableError {
  override readonly name = 'KeyNodesUnavailableError';
}

/** The account has its share of the slots and of the queue. */
export class RunShareError extends Error {
  override readonly name = 'RunShareError';
}
