/** Commands that run until Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `step` again and again with a pause. Resolves at the first Ctrl-C or when `isDone`, and rejects when a step does. */
export async function untilInterrupted(
  pauseMs: number,
  step: (signal: AbortSignal) => Promise<void>,
  isDone = () => false,
): Promise<void> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const interrupted = new Promise<void>((resolve) =>
    controller.signal.addEventListener('abort', () => resolve()),
  );
  process.once('SIGINT', end);
  try {
    while (!controller.signal.aborted) {
      await Promise.race([step(controller.signal), interrupted]);
      if (isDone()) return;
      await sleep(pauseMs, undefined, { signal: controller.signal }).catch(() => {});
    }
  } finally {
    process.off('SIGINT', end);
  }
}
