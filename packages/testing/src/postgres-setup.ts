/** Vitest global setup: one PostgreSQL server per test run. */
import { SERVER_VARIABLE, startTestServer } from './postgres.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const server = await startTestServer();
  process.env[SERVER_VARIABLE] = server.url;
  return async () => {
    await server[Symbol.asyncDispose]();
  };
}
