import { ConfigError } from './settings.ts';

/** Starts a service as this process, and closes it on SIGINT and SIGTERM. */
export async function runService(start: () => Promise<AsyncDisposable>): Promise<void> {
  const fail = (error: unknown): never => {
    console.error(error instanceof ConfigError ? `The settings are wrong:\n${error.message}` : error);
    process.exit(1);
  };
  const service = await Promise.resolve().then(start).catch(fail);
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // A second signal does not wait.
      if (stopping) process.exit(1);
      stopping = true;
      service[Symbol.asyncDispose]().then(() => process.exit(0), fail);
    });
}
