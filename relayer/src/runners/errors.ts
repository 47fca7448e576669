/** The relayer stopped before the run ended. The run costs nothing, has no outcome, and can be retried. */
export class RunInterruptedError extends Error {
  override readonly name = 'RunInterruptedError';
}

/** The account has its share of the slots and of the queue. */
export class RunShareError extends Error {
  override readonly name = 'RunShareError';
}
