import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientNetwork } from './client-network.ts';
import { tooManyRequests } from './errors.ts';

/** Counts points per key in this process. */
export type RateLimit = {
  /** Takes points, 1 when absent; 429 with the time to wait when the key has too few left. */
  take: (key: string, points?: number) => Promise<void>;
  /** Gives points back that came to nothing. */
  giveBack: (key: string, points?: number) => Promise<void>;
};

export type RateLimitOptions = {
  /** Points that one key may take in each period. */
  points: number;
  /** 60 seconds when absent. */
  periodSec?: number;
  /** Text of the 429. */
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

/** The same by client address; the key is `req.ip`. Texts that are not addresses count as they are. */
export function createAddressLimit(options: RateLimitOptions): RateLimit {
  const limit = createRateLimit(options);
  return {
    take: (address, points) => limit.take(clientNetwork(address), points),
    giveBack: (address, points) => limit.giveBack(clientNetwork(address), points),
  };
}
