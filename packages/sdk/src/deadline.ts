import { abortError, LatchkeyError } from './errors.ts';

/** Of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the code `aborted`. A write that was sent by then may still happen. */
  signal?: AbortSignal | undefined;
  /** For the whole call, retries and the wait for its block included; it rejects with the code `timeout`. */
  timeoutMs?: number | undefined;
}

/** When a call ends at the latest. */
export interface Deadline {
  signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  endsAtMs: number;
}

/** The deadline of a call that begins now. */
export function deadlineOf(options: CallOptions, defaultTimeoutMs: number): Deadline {
  const { signal, timeoutMs = defaultTimeoutMs } = options;
  if (!(timeoutMs > 0)) throw new LatchkeyError('configuration', 'timeoutMs has to be over 0');
  const end = AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1));
  return {
    signal: signal ? AbortSignal.any([signal, end]) : end,
    endsAtMs: performance.now() + timeoutMs,
  };
}

/** The promise, or the rejection `onAbort` as soon as the signal is aborted. What the promise does goes on. */
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
