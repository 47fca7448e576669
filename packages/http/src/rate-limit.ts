import { clientNetwork } from './client-network.ts';
import { tooManyRequests } from './errors.ts';

/** Points that an attempt has taken. */
export type TakenPoints = {
  /** Replaces them by the points that the attempt cost. Without effect after the end of their period. */
  settle: (points: number) => void;
};

/** A counter of points per key in this process. */
export type RateLimit = {
  /** Takes points (default 1). Rejects with 429 and the time to wait, and takes none, when the key has too few left. */
  take: (key: string, points?: number) => Promise<TakenPoints>;
};

export type RateLimitOptions = {
  /** Points per key and period. */
  points: number;
  /** Default 60 seconds. */
  periodSec?: number;
  /** Message of the 429. */
  message: string;
};

/** A period of a key. It begins with the first request. */
type Period = { taken: number; endsAtMs: number };

export function createRateLimit({ points: limit, periodSec = 60, message }: RateLimitOptions): RateLimit {
  const periodMs = periodSec * 1_000;
  const periods = new Map<string, Period>();
  const currentPeriod = (key: string): Period => {
    const current = periods.get(key);
    if (current && current.endsAtMs > Date.now()) return current;
    const next = { taken: 0, endsAtMs: Date.now() + periodMs };
    periods.set(key, next);
    const forget = () => {
      if (periods.get(key) === next) periods.delete(key);
    };
    setTimeout(forget, periodMs).unref();
    return next;
  };
  return {
    async take(key, points = 1) {
      const period = currentPeriod(key);
      if (period.taken + points > limit)
        throw tooManyRequests(message, (period.endsAtMs - Date.now()) / 1_000);
      period.taken += points;
      let counted = points;
      return {
        settle(cost) {
          period.taken += cost - counted;
          counted = cost;
        },
      };
    },
  };
}

/** Limits per client network; the key is `req.ip`. Texts that are not addresses count unchanged. */
export function createAddressLimit(options: RateLimitOptions): RateLimit {
  const limit = createRateLimit(options);
  return { take: (address, points) => limit.take(clientNetwork(address), points) };
}
