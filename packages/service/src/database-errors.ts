/** The driver's error under a thrown one: drizzle wraps it. `code` is an SQLSTATE, or the system's for a connection. */
export function driverError(thrown: unknown): { code?: string; message: string } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return thrown.cause instanceof Error ? driverError(thrown.cause) : thrown;
}

/** True when the database could not be reached, or has no connection left for this request. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const { code = '', message = '' } = driverError(thrown) ?? {};
  return (
    /^(08|53|57P)|^ECONN|^ETIMEDOUT$/.test(code) || /timeout exceeded when trying to connect/.test(message)
  );
}
