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
