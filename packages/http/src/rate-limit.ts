import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientNetwork } from './client-network.ts';
import { tooManyRequests } from './errors.ts';

/** A counter of points per key in this process. */
export type RateLimit = {
  /** Takes points (default 1). Rejects with 429 and the time to wait when the key has too few left. */
  take: (key: string, points?: number) => Promise<void>;
  /** Returns points of an attempt that had no effect. */
  giveBack: (key: string, points?: number) => Promise<void>;
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
      try {
        await limiter.consume(key, points);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw tooManyRequests(message, refused.msBeforeNext / 1000);
      }
    },
    async giveBack(key, points = 1) {
      await limiter.reward(key, points);
    },
  };
}

/** Limits per client network; the key is `req.ip`. Texts that are not addresses count unchanged. */
export function createAddressLimit(options: RateLimitOptions): RateLimit {
  const limit = createRateLimit(options);
  return {
    take: (address, points) => limit.take(clientNetwork(address), points),
    giveBack: (address, points) => limit.giveBack(clientNetwork(address), points),
  };
}
