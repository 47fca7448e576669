import { Session } from 'node:inspector/promises';

/** A service is healthy before, and its first requests do not wait for the collection. */
const AFTER_START_MS = 2_000;

/**
 * Returns the memory that loading modules left behind, once and soon: most of what a new service occupies. V8 would keep it until
 * the service is busy.
 */
export function collectGarbageSoon(): void {
  setTimeout(() => void collectGarbage(), AFTER_START_MS).unref();
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage').finally(() => session.disconnect());
}
