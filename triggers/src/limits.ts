import { createAddressLimit, createConcurrencyLimit, createRateLimit } from '@latchkey/http';
import { limitUnknownTokens } from './auth/unknown-tokens.ts';
import type { Config } from './config.ts';

const ALERT_TESTS_PER_MINUTE = 10;
/** Streams of the people of an account, and of its agents together: each reads its run and its credential twice a second. */
const LIVE_READS = 10;

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ webhooks, access }: Pick<Config, 'webhooks' | 'access'>) {
  return {
    webhookIp: createAddressLimit({
      name: 'webhooks-of-address',
      points: webhooks.perMinutePerAddress,
      message: 'Too many webhooks from this address.',
    }),
    webhookUser: createRateLimit({
      name: 'webhooks-of-account',
      points: webhooks.perMinutePerAccount,
      message: 'Too many webhooks for the owner of this trigger.',
    }),
    pairingIp: createAddressLimit({
      name: 'pairings',
      points: access.pairingsPerMinutePerAddress,
      message: 'Too many pairings from this address.',
    }),
    pairingPollIp: createAddressLimit({
      name: 'pairing-polls',
      points: access.pairingPollsPerMinutePerAddress,
      message: 'Too many requests from this address.',
    }),
    liveReads: createConcurrencyLimit({
      max: LIVE_READS,
      message: `People of an account can read ${LIVE_READS} runs as streams, and its agents together ${LIVE_READS}.`,
    }),
    alertTests: createRateLimit({
      name: 'test-alerts',
      points: ALERT_TESTS_PER_MINUTE,
      message: 'Too many test alerts.',
    }),
    loginIp: createAddressLimit({
      name: 'logins',
      points: access.loginsPerMinutePerAddress,
      message: 'Too many logins from this address.',
    }),
    findToken: limitUnknownTokens(access.unknownTokensPerMinutePerAddress),
  };
}
