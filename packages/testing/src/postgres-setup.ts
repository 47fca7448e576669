/** Vitest's global set-up: one PostgreSQL server for all tests of the run. */
import { SERVER_VARIABLE, startTestServer } from './postgres.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const server = await startTestServer();
  process.env[SERVER_VARIABLE] = server.url;
  return async () => {
    await server[Symbol.asyncDispose]();
  };
}
