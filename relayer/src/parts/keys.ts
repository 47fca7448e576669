/** The root secret of this relayer, and the key nodes, where keys of wallets, actions and accounts come from. */
import { createIdentity, GROUP_CONFIGURATION } from '@latchkey/key-protocol';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Config } from '../config.ts';
import { createKeyNodes, type KeyNodes } from '../keys/key-nodes.ts';
import { createKeyReleases, type KeyReleases } from '../keys/key-releases.ts';
import { openRootSecrets, type RootSecrets } from '../keys/root-secrets.ts';
import { createRunnerAttestations } from '../keys/runner-attestations.ts';
import { createKeyNodeCounter } from '../metrics.ts';
import type { Runners } from '../runners/runners.ts';
import type { Every } from './timers.ts';

/** A restarted key node has no quotes, so its shares are missing for at most this long. */
const RUNNER_ATTESTATION_MS = 5_000;

export type Keys = {
  rootSecrets: RootSecrets;
  keyNodes: KeyNodes;
  keyReleases: KeyReleases;
  attestRunners: (runners: Runners) => void;
};

export async function openKeys(
  config: Config,
  views: Pick<AccountConfig, 'read'>,
  metrics: Registry,
  log: Logger,
  every: Every,
): Promise<Keys> {
  const { keyNodes: urls, secrets } = config;
  const rootSecrets = await openRootSecrets(config);
  const identity = createIdentity(secrets.identity);
  log.info({ public_key: identity.publicKey, nodes: urls.length }, 'keys come from key nodes');
  const readParameters = () => views.read('nodeConfigurationValue', [GROUP_CONFIGURATION]);
  return {
    rootSecrets,
    keyNodes: createKeyNodes({ urls, identity, readParameters, count: createKeyNodeCounter(metrics), log }),
    keyReleases: createKeyReleases({ urls, identity, log }),
    attestRunners(runners) {
      const attest = createRunnerAttestations({ urls, identity, runners, log });
      every(RUNNER_ATTESTATION_MS, 'attest runners', attest, true);
    },
  };
}
