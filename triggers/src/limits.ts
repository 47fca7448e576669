import { clientNetwork, createRateLimit, type RateLimit } from '@latchkey/http';
import type { Config } from './config.ts';

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ webhooks, access }: Pick<Config, 'webhooks' | 'access'>) {
  return {
    webhookIp: createAddressLimit(webhooks.perMinutePerIp, 'Too many webhooks from this address.'),
    webhookUser: createLimit(webhooks.perMinutePerUser, 'Too many webhooks for the owner of this trigger.'),
    pairingIp: createAddressLimit(access.pairingsPerMinutePerIp, 'Too many pairings from this address.'),
    pairingPollIp: createAddressLimit(
      access.pairingPollsPerMinutePerIp,
      'Too many requests from this address.',
    ),
    loginIp: createAddressLimit(access.loginsPerMinutePerIp, 'Too many logins from this address.'),
  };
}

/** By any key. */
const createLimit = (perMinute: number, message: string): RateLimit =>
  createRateLimit({ points: perMinute, message });

/** By the client's address. */
function createAddressLimit(perMinute: number, message: string): RateLimit {
  const limit = createLimit(perMinute, message);
  return {
    take: (ip, points) => limit.take(clientNetwork(ip), points),
    giveBack: (ip, points) => limit.giveBack(clientNetwork(ip), points),
  };
}
