import type { BareClient } from './bare-client.ts';
import { abortError, LatchkeyError } from './errors.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the code `aborted`. A write that was already sent can still take effect. */
  signal?: AbortSignal | undefined;
  /**
   * Timeout of the whole call, including retries and the wait for its block. The call rejects with the code `timeout`.
   */
  timeoutMs?: number | undefined;
}

/** The time at which a call ends at the latest. */
export interface Deadline {
  signal: AbortSignal;
  /** By the clock of `performance.now()`. */
  endsAtMs: number;
}

/** Returns the deadline of a call that begins now. */
export function createDeadline(options: CallOptions, defaultTimeoutMs: number): Deadline {
  const { signal, timeoutMs = defaultTimeoutMs } = options;
  if (!(timeoutMs > 0)) throw new LatchkeyError('configuration', 'a timeout must be above 0 milliseconds');
  const end = AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1));
  return {
    signal: signal ? AbortSignal.any([signal, end]) : end,
    endsAtMs: performance.now() + timeoutMs,
  };
}

const DEFAULT_TIMEOUT_MS = 60_000;

export function defaultDeadline(client: BareClient, options: CallOptions = {}): Deadline {
  return createDeadline(options, client.internals.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

/**
 * Resolves or rejects with the promise, or rejects with `onAbort` as soon as the signal aborts. The work of the promise
 * continues.
 */
export async function unlessAborted<T>(
  promise: Promise<T>,
  { signal }: Deadline,
  onAbort: (reason: unknown) => LatchkeyError = abortError,
): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(onAbort(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    stop = () => signal.removeEventListener('abort', abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}

export async function pause(ms: number, deadline: Deadline): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await unlessAborted(over, deadline);
  } finally {
    clearTimeout(timer);
  }
}
