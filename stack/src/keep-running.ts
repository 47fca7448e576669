/** Restarts a part that ends by itself, as the service manager of a deployment does. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './parts.ts';

const RESTART_MS = 200;
const MAX_RESTART_MS = 30_000;
/** A part that ends within this time of its start counts as failed to start. */
const MIN_LIFE_MS = 2_000;

export type KeepRunningOptions = {
  start: () => Promise<Part>;
  log: (line: string) => void;
  /** Called whenever the part ends by itself. A part with it is also restarted when it fails to start, after growing intervals. */
  onEnd?: (exit: string, tail: string) => void;
};

/** Starts a part. `exited` resolves after `stop`, and without `onEnd` when the part fails to start. */
export async function keepRunning({ start, log, onEnd }: KeepRunningOptions): Promise<Part> {
  let current = await start();
  let startedAt = performance.now();
  let pauseMs = RESTART_MS;
  const stopping = new AbortController();
  const exited = Promise.withResolvers<string>();
  const { name } = current;

  const follow = async (): Promise<void> => {
    for (;;) {
      const exit = await current.exited;
      const hasFailed = performance.now() - startedAt < MIN_LIFE_MS;
      if (stopping.signal.aborted || (hasFailed && !onEnd)) return exited.resolve(exit);
      pauseMs = hasFailed ? Math.min(2 * pauseMs, MAX_RESTART_MS) : RESTART_MS;
      log(`${name} ended with ${exit}: restarting it in ${pauseMs / 1_000} s`);
      onEnd?.(exit, current.tail());
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return exited.resolve(exit);
      startedAt = performance.now();
      current = await start();
      if (stopping.signal.aborted) await current.stop();
    }
  };
  void follow().catch((error: unknown) => exited.resolve(String(error)));

  return {
    name,
    get pid() {
      return current.pid;
    },
    exited: exited.promise,
    isStopping: () => stopping.signal.aborted,
    tail: () => current.tail(),
    async stop() {
      stopping.abort();
      await current.stop();
      await exited.promise;
    },
  };
}
