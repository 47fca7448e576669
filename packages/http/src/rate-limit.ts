import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
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

export function createRateLimit({ points: limit, periodSec = 60, message }: RateLimitOptions): RateLimit {
  const limiter = new RateLimiterMemory({ points: limit, duration: periodSec });
  return {
    async take(key, points = 1) {
      const { msBeforeNext } = await limiter.consume(key, points).catch(async (refused: unknown) => {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        // The library counts the points that it refuses.
        await limiter.reward(key, points);
        throw tooManyRequests(message, refused.msBeforeNext / 1_000);
      });
      const endsAtMs = Date.now() + msBeforeNext;
      let counted = points;
      return {
        settle(cost) {
          // Later, points that are given back would be left over in the next period.
          if (Date.now() < endsAtMs) void limiter.penalty(key, cost - counted);
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
