import { ActionError, type RunError } from './errors.ts';

/** `error` is there exactly when `hasError`; `response` is null then. `logs` is the console output, kept always. */
export type RunResult = {
  response: unknown;
  logs: string;
  hasError: boolean;
  error?: RunError;
  /** From the moment a process took the run, in whole milliseconds; what is charged. */
  durationMs: number;
};

export const failedResult = (error: RunError, logs = '', durationMs = 0): RunResult => ({
  response: null,
  logs,
  hasError: true,
  error,
  durationMs,
});

/** The error of a run that `signal` ended. */
export const abortError = (signal: AbortSignal): ActionError =>
  signal.reason instanceof ActionError
    ? signal.reason
    : new ActionError('StoppedError', 'the run was stopped from outside');
