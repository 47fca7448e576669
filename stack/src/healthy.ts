import { setTimeout as delay } from 'node:timers/promises';
import type { PartName } from './output.ts';
import { StackError } from './root.ts';

const HEALTHY_DEADLINE_MS = 90_000;
const HEALTH_POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 5_000;

/** Polls until `check` resolves. Throws a StackError with the last error after a deadline or when aborted. */
export async function becomesHealthy(
  name: PartName,
  check: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + HEALTHY_DEADLINE_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (cause) {
      if (Date.now() > deadline) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new StackError(`The ${name} did not become healthy: ${reason}`, { cause });
      }
    }
    await delay(HEALTH_POLL_MS, undefined, { signal });
  }
}

export async function answersHealthy(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
  if (!response.ok)
    throw new Error(`${url} returned ${response.status} ${(await response.text()).slice(0, 500)}`);
  await response.body?.cancel();
}
