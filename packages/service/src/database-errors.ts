import { setTimeout as delay } from 'node:timers/promises';

/** `code` is an SQLSTATE, or a system code for a connection error. */
type DriverError = { message: string; code?: string; detail?: string; column?: string };

/** Returns the driver's error that drizzle wraps. */
export function driverError(thrown: unknown): DriverError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return thrown.cause instanceof Error ? driverError(thrown.cause) : thrown;
}

/**
 * Returns true when the database is unreachable, too busy or takes no writes: its connection broke, none was free in time, a
 * statement timed out, the server is a standby or its disk is full.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const { code = '', message = '' } = driverError(thrown) ?? {};
  return (
    /^(08|53|57P|57014$|25006$|58)|^ECONN|^ETIMEDOUT$/.test(code) ||
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable/.test(
      message,
    )
  );
}

/** True when a statement waited for a lock for longer than its `lock_timeout`. */
export const isLockTimeout = (thrown: unknown): boolean => driverError(thrown)?.code === '55P03';

const LOCK_RETRY_MS = 1_000;
const DEADLOCK = '40P01';

/**
 * Repeats work with a `lock_timeout` until it gets its locks: other statements would wait behind one that went on waiting. `attempt`
 * counts from 0.
 */
export async function onceUnlocked(work: (attempt: number) => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt);
    } catch (thrown) {
      if (!isLockTimeout(thrown) && driverError(thrown)?.code !== DEADLOCK) throw thrown;
      await delay(LOCK_RETRY_MS);
    }
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Repeats `work` while the database is unavailable, for at most `maxMs`. Rejects with every other error immediately, and with the last one
 * when `signal` aborts.
 */
export async function onceAvailable<T>(
  work: () => Promise<T>,
  maxMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const until = performance.now() + maxMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (thrown) {
      if (!isDatabaseUnavailable(thrown) || performance.now() + pauseMs > until) throw thrown;
      await delay(pauseMs, undefined, signal && { signal }).catch(() => {});
      if (signal?.aborted) throw thrown;
    }
  }
}
