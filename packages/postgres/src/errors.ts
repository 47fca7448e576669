/** PostgreSQL cannot run on this machine; the message gives the cause and the fix. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
}
