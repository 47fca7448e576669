import { Session } from 'node:inspector/promises';

/** Long enough that neither the start nor the first requests wait for the collection. */
const AFTER_START_MS = 2_000;

/**
 * Collects garbage once, shortly after the start. Loading the modules leaves more garbage than the service then uses, and V8 would
 * keep it until the service is busy.
 */
export function collectGarbageSoon(): void {
  setTimeout(() => void collectGarbage(), AFTER_START_MS).unref();
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage').finally(() => session.disconnect());
}
