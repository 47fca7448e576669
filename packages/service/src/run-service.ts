import { collectGarbageSoon } from './collect-garbage.ts';
import { createLogger, linesWritten } from './logger.ts';
import { ConfigError } from './settings.ts';
import { endTracing, startTracing } from './tracing.ts';

/**
 * Starts a service in this process, and closes it on SIGINT and SIGTERM. A signal during the start ends the process: process 1 of a
 * container has no default handlers. A failure is a line of the log.
 */
export async function runService(name: string, start: () => Promise<AsyncDisposable>): Promise<void> {
  const fail = (error: unknown): never => {
    const log = createLogger({ name });
    if (error instanceof ConfigError) log.fatal({ settings: error.message.split('\n') }, 'invalid settings');
    else log.fatal({ err: error }, 'the service failed to start or to stop');
    process.exit(1);
  };
  let service: AsyncDisposable | undefined;
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // A second signal ends the process immediately.
      if (stopping || service === undefined) process.exit(1);
      stopping = true;
      service[Symbol.asyncDispose]()
        .then(endTracing)
        .then(linesWritten)
        .then(() => process.exit(0), fail);
    });
  service = await startTracing(name).then(start).catch(fail);
  collectGarbageSoon();
}
