/** The usage key of a run. */
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { LatchkeyError } from './errors.ts';

/**
 * A ChainSecured client needs a usage key here, because a wallet is not one. An API client uses its own key by default.
 */
export type UsageKey<client extends BareClient, Key> = client extends ChainSecuredBareClient
  ? { usageKey: Key }
  : { usageKey?: Key | undefined };

/** Returns the key, by default the client's. Throws without one. */
export function requireKey<Key extends string | bigint>(
  client: BareClient,
  usageKey: Key | undefined,
  call: 'runAction' | 'continueRun' | 'sendTransaction' | 'explainExecution',
): Key | string {
  const key = usageKey ?? client.internals.apiKey();
  if (key === undefined)
    throw new LatchkeyError('configuration', `${call} requires a usage key`, {
      fix:
        client.mode === 'api'
          ? 'Pass the text of the key as usageKey, or create the client with it as apiKey.'
          : 'Pass usageKey.',
    });
  return key;
}
