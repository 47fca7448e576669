import { Session } from 'node:inspector/promises';

/** Long enough that neither a start nor its first requests wait for the collection. */
const DELAY_MS = 2_000;

/**
 * Collects garbage once, in two seconds. A start and a flood leave more garbage than the service then uses, and V8 would keep it
 * until the service is busy.
 */
export function collectGarbageSoon(): void {
  setTimeout(() => void collectGarbage(), DELAY_MS).unref();
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage').finally(() => session.disconnect());
}
