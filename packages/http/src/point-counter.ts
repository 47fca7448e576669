import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Keys with points. A further one replaces the key that was used least recently: the holder of so many keys has the points of each. */
const MAX_KEYS = 100_000;

/** Counts points per key in this process, for a limited number of keys. */
export class PointCounter extends RateLimiterMemory {
  readonly #latest = new LRUCache<string, true>({
    maxSize: MAX_KEYS,
    sizeCalculation: () => 1,
    dispose: (_, key) => void this.delete(key),
  });

  override consume(key: string, points?: number) {
    this.#latest.set(key, true);
    return super.consume(key, points);
  }

  override penalty(key: string, points?: number) {
    this.#latest.set(key, true);
    return super.penalty(key, points);
  }
}
