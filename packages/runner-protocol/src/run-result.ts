import { ActionError, type RunError } from './errors.ts';

/**
 * `error` is present when `hasError`, and then `response` is null. `logs` is the console output, also of a failed run.
 */
export type RunResult = {
  response: unknown;
  logs: string;
  hasError: boolean;
  error?: RunError;
  /** Billed duration: from the moment a process picked up the run, in whole milliseconds. */
  durationMs: number;
};

export const failedResult = (error: RunError, logs = '', durationMs = 0): RunResult => ({
  response: null,
  logs,
  hasError: true,
  error,
  durationMs,
});

/** Returns the error of a run that `signal` ended. */
export const abortError = (signal: AbortSignal): ActionError =>
  signal.reason instanceof ActionError
    ? signal.reason
    : new ActionError('StoppedError', 'the run was aborted');
