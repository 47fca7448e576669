/** Runs action code, each run in a process of its own that can reach nothing but the host functions given to it. */
import type { RunKeys } from '../keys/release.ts';
import type { RunError } from './errors.ts';
import type { FetchOptions } from './guarded-fetch.ts';
import type { RunLimits } from './limits.ts';

export type RuntimeOptions = {
  /** Processes that wait, started and warm, for a run. */
  poolSize?: number;
  /** Runs at once. */
  maxConcurrentRuns?: number;
  /** Runs that wait for one of those to end; one more is a `RuntimeUnavailableError`. */
  maxQueuedRuns?: number;
  limits?: Partial<RunLimits>;
  fetch?: Partial<FetchOptions>;
  /** Told what went wrong on the host's side of a run; the action gets an `InternalError` without detail. */
  onHostError?: (error: unknown, context: { cid: string }) => void;
};

export type RunRequest = {
  code: string;
  /** CID text of the code; names the run to `onHostError`. */
  cid: string;
  /** Handed to `main`; null and undefined are `{}`. */
  jsParams?: unknown;
  keys: RunKeys;
  /** Ends the run, in the queue too. An abort whose reason is an `ActionError` becomes the run's error. */
  signal?: AbortSignal;
  /** Overrides for this run. Memory is a property of the process: see `RuntimeOptions.limits`. */
  limits?: Partial<Omit<RunLimits, 'memoryLimitMb'>>;
};

/** `error` is there exactly when `hasError`; `response` is null then. `logs` is the console output, kept always. */
export type RunResult = {
  response: unknown;
  logs: string;
  hasError: boolean;
  error?: RunError;
  /** From the moment a process took the run, in whole milliseconds; what is charged. */
  durationMs: number;
};

export type RuntimeStats = {
  /** Processes that wait for a run. */
  idle: number;
  /** Processes that are being started. */
  starting: number;
  running: number;
  queued: number;
};

export type Runtime = {
  /**
   * Never rejects for what the action does: a throw, a time-out and a broken limit are results. Rejects with
   * `RuntimeUnavailableError` when no process can take the run.
   */
  run(request: RunRequest): Promise<RunResult>;
  stats(): RuntimeStats;
  /** Ends all runs and processes; resolves when the last one is gone. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
