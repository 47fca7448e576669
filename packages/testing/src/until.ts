import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * Resolves to the first truthy value of `probe`; rejects after `timeoutMs`, also while a probe is running. A failing `probe` is
 * retried.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const ended = new AbortController();
    const leftMs = Math.max(0, deadline - Date.now());
    const tooLong = setTimeout(leftMs, undefined, { signal: ended.signal }).catch(() => undefined);
    const value = await Promise.race([probe().catch(() => undefined), tooLong]);
    ended.abort();
    if (value) return value;
    if (Date.now() >= deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await setTimeout(20);
  }
}

export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return promise;
}
