/** Restarts a part that ends by itself, as the service manager of a deployment does. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './parts.ts';

const RESTART_MS = 200;
/** A part that ends sooner after its start has failed to start. */
const MIN_LIFE_MS = 2_000;

export type KeepRunningOptions = { start: () => Promise<Part>; log: (line: string) => void };

/** Starts a part. `exited` resolves after `stop`, and when the part fails to start. */
export async function keepRunning({ start, log }: KeepRunningOptions): Promise<Part> {
  let current = await start();
  let startedAt = performance.now();
  let isStopping = false;
  const exited = Promise.withResolvers<string>();
  const { name } = current;

  const follow = async (): Promise<void> => {
    for (;;) {
      const exit = await current.exited;
      if (isStopping || performance.now() - startedAt < MIN_LIFE_MS) return exited.resolve(exit);
      log(`${name} ended with ${exit}: restarting it`);
      await delay(RESTART_MS);
      if (isStopping) return exited.resolve(exit);
      startedAt = performance.now();
      current = await start();
      if (isStopping) await current.stop();
    }
  };
  void follow().catch((error: unknown) => exited.resolve(String(error)));

  return {
    name,
    get pid() {
      return current.pid;
    },
    exited: exited.promise,
    isStopping: () => isStopping,
    tail: () => current.tail(),
    async stop() {
      isStopping = true;
      await current.stop();
      await exited.promise;
    },
  };
}
