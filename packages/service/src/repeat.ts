/**
 * Runs a task immediately and every `intervalMs`, never concurrently; `onError` gets its failures. Disposing aborts the
 * signal of the task in progress and waits for its end.
 */
export function repeat({
  intervalMs,
  task,
  onError,
  isImmediate = true,
}: {
  intervalMs: number;
  task: (signal: AbortSignal) => Promise<unknown>;
  onError: (error: unknown) => void;
  /** False waits one interval before the first run (default true). */
  isImmediate?: boolean;
}): AsyncDisposable {
  const stop = new AbortController();
  let current: Promise<void> | undefined;
  const run = (): void => {
    current ??= task(stop.signal)
      .then(() => {}, onError)
      .finally(() => {
        current = undefined;
      });
  };
  const timer = setInterval(run, intervalMs);
  timer.unref();
  if (isImmediate) run();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop.abort();
      await current;
    },
  };
}
