import type { ApprovalRequest } from './approvals.ts';
import { ActionError, type RunError } from './errors.ts';
import type { KeyOperation } from './messages.ts';

/** The resources that a run used. */
export type RunUsage = {
  /** Processor time in milliseconds, in the steps of the kernel's accounting (10 ms). 0 where the machine does not tell. */
  cpuMs: number;
  /** Highest memory of the action, in bytes, read every 20 ms and at the end. */
  memoryPeakBytes: number;
  /** Key functions that succeeded, in their order, with the wallet (EIP-55) if they name one. */
  keyOperations: { operation: KeyOperation; wallet: string | null }[];
  /** Hosts of all requests of `fetch`, with their ports unless they are the protocol's. Each is listed once. */
  fetchHosts: string[];
};

export const noUsage: RunUsage = { cpuMs: 0, memoryPeakBytes: 0, keyOperations: [], fetchHosts: [] };

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
  usage: RunUsage;
  /** The approval that the run asked for, when it ended because it did not have it. */
  approval?: ApprovalRequest | undefined;
  /** Id that the relayer gave the approval. */
  approvalId?: string;
};

export const failedResult = (
  error: RunError,
  logs = '',
  durationMs = 0,
  usage: RunUsage = noUsage,
): RunResult => ({
  response: null,
  logs,
  hasError: true,
  error,
  durationMs,
  usage,
});

/** Returns the error of a run that `signal` ended. */
export const abortError = (signal: AbortSignal): ActionError =>
  signal.reason instanceof ActionError
    ? signal.reason
    : new ActionError('StoppedError', 'the run was aborted');
