/** One JSON line on standard output. */
export function log(
  level: 'info' | 'warn' | 'error',
  msg: string,
  fields: Record<string, unknown> = {},
): void {
  const { pid } = process;
  console.log(
    JSON.stringify({ time: new Date().toISOString(), level, name: 'indexer', pid, msg, ...fields }),
  );
}

/** The kind of an error and the first line of its text: the further lines of viem's repeat URLs and bodies. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.split('\n', 1)[0]}` : String(error);
}
