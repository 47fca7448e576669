import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { clientNetwork } from './client-network.ts';
import { HttpError, tooManyRequests } from './errors.ts';
import { PointCounter } from './point-counter.ts';
import type { LimitState } from './rate-limit-headers.ts';

/** Share of the points of a minute that one second can use. */
const PACE = 1 / 12;

/** Points that an attempt has taken. */
type TakenPoints = {
  /** The limit after the attempt. */
  limit: LimitState;
  /** Replaces the taken points by the points that the attempt cost. Without effect after the end of their period. */
  settle: (points: number) => void;
};

/** A counter of points per key in this process. */
export type RateLimit = {
  /** Takes points (default 1). Rejects with 429 and the time to wait, and takes none, when the key has too few left. */
  take: (key: string, points?: number) => Promise<TakenPoints>;
};

export type RateLimitOptions = {
  /** Name in the headers of replies: lower-case letters and hyphens. */
  name: string;
  /** Points per key and period. */
  points: number;
  /** Default 60 seconds. */
  periodSec?: number;
  /** Message of the 429. */
  message: string;
};

/** Returns the state of a limit in which `used` points of the period are taken. */
const stateOf = (
  { name, points, periodSec = 60 }: RateLimitOptions,
  used: number,
  msBeforeNext: number,
): LimitState => ({
  name,
  points,
  periodSec,
  remaining: Math.max(0, points - used),
  resetSec: msBeforeNext / 1_000,
});

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { points: total, periodSec = 60, message } = options;
  const limiter = new PointCounter({ points: total, duration: periodSec });
  return {
    async take(key, points = 1) {
      const after = await limiter.consume(key, points).catch(async (refused: unknown) => {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        // The library counts the points that it refuses.
        await limiter.reward(key, points);
        const { consumedPoints, msBeforeNext } = refused;
        const limit = stateOf(options, consumedPoints - points, msBeforeNext);
        throw tooManyRequests(message, limit.resetSec, limit);
      });
      const { consumedPoints, msBeforeNext } = after;
      const endsAtMs = Date.now() + msBeforeNext;
      let counted = points;
      return {
        limit: stateOf(options, consumedPoints, msBeforeNext),
        settle(cost) {
          // Later, points that are given back would be left over in the next period.
          if (Date.now() < endsAtMs) void limiter.penalty(key, cost - counted);
          counted = cost;
        },
      };
    },
  };
}

export type PacedLimitOptions = Omit<RateLimitOptions, 'periodSec'> & {
  leastPerSecond: number;
  /** Period of the pace, which lets the points of one period go on in one moment. Default 1 second. */
  paceSec?: number;
};

/**
 * Limits per minute, and does not let a key take the points of a minute in one moment, which would hold up the requests of
 * others: above a twelfth of them per second, and `leastPerSecond`, an attempt waits.
 */
export function createPacedLimit(options: PacedLimitOptions): RateLimit {
  const { name, points, leastPerSecond, paceSec = 1, message } = options;
  const ofMinute = createRateLimit({ name, points, message });
  const ofPace = createRateLimit({
    name,
    points: Math.ceil(Math.max(leastPerSecond, points * PACE) * paceSec),
    periodSec: paceSec,
    message,
  });
  const turn = async (key: string, count: number | undefined): Promise<TakenPoints> => {
    for (;;) {
      try {
        return await ofPace.take(key, count);
      } catch (error) {
        if (!(error instanceof HttpError) || error.retryAfterSec === undefined) throw error;
        // Random, because attempts that waited together would go on together.
        await delay(error.retryAfterSec * 1_000 * (1 + Math.random()));
      }
    }
  };
  return {
    async take(key, count) {
      const ofKey = await ofMinute.take(key, count);
      const taken = [ofKey, await turn(key, count)];
      return {
        limit: ofKey.limit,
        settle(cost) {
          for (const { settle } of taken) settle(cost);
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

/** Refuses the requests of a client network after too many bad ones. Requests of others cost it nothing. */
export type BadRequestLimit = {
  /** Rejects with 429 and the time to wait. */
  check: (ip: string) => Promise<void>;
  /** Counts a bad request. Requests that are in flight at this time can exceed the limit. */
  count: (ip: string) => void;
};

export function createBadRequestLimit(options: RateLimitOptions): BadRequestLimit {
  const { points, periodSec = 60, message } = options;
  const limiter = new PointCounter({ points, duration: periodSec });
  return {
    async check(ip) {
      const known = await limiter.get(clientNetwork(ip));
      if (!known || known.remainingPoints > 0) return;
      const limit = stateOf(options, known.consumedPoints, known.msBeforeNext);
      throw tooManyRequests(message, limit.resetSec, limit);
    },
    count: (ip) => void limiter.penalty(clientNetwork(ip), 1),
  };
}

/**
 * Limits lookups without a result per client network. Takes a point of the address before the lookup, so that concurrent
 * requests cannot exceed the limit. Gives it back when the lookup finds something or fails.
 */
export async function countMisses<T>(
  limit: RateLimit,
  ip: string,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const network = clientNetwork(ip);
  const points = await limit.take(network);
  let isMiss = false;
  try {
    const found = await ask();
    isMiss = found === undefined;
    return found;
  } finally {
    if (!isMiss) points.settle(0);
  }
}
