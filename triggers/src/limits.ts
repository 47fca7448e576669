import { tooManyRequests } from '@latchkey/http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from './config.ts';

/** Counts by key in this process. */
export type Limit = {
  /** Counts one; 429 when it is one too many in its minute. */
  take: (key: string) => Promise<void>;
  /** Takes one back that came to nothing. */
  giveBack: (key: string) => Promise<void>;
};

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ webhooks, access }: Pick<Config, 'webhooks' | 'access'>) {
  return {
    webhookIp: createLimit(webhooks.perMinutePerIp, 'Too many webhooks from this address.'),
    webhookUser: createLimit(webhooks.perMinutePerUser, 'Too many webhooks for the owner of this trigger.'),
    pairingIp: createLimit(access.pairingsPerMinutePerIp, 'Too many pairings from this address.'),
    pairingPollIp: createLimit(access.pairingPollsPerMinutePerIp, 'Too many requests from this address.'),
    loginIp: createLimit(access.loginsPerMinutePerIp, 'Too many logins from this address.'),
  };
}

function createLimit(perMinute: number, message: string): Limit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return {
    async take(key) {
      try {
        await limiter.consume(key);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw tooManyRequests(message, refused.msBeforeNext / 1000);
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}
