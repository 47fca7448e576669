import { httpConfig, httpSettings } from '@latchkey/http';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import {
  type CrossCheck,
  defineSettings,
  directory,
  hex32,
  httpUrl,
  httpUrls,
  integer,
  list,
  websocketUrls,
} from '@latchkey/service/settings';
import { z } from 'zod';

/** A request for a key, or to sign a message, with its signatures. */
export const MAX_BODY_BYTES = 16 * 1024;
const MIN_APPROVAL_WAIT_SEC = 3_600;

/** 32 bytes each. */
const hexList = z.string().transform(list).pipe(z.array(hex32).min(1));
const keyProvider = z.string().regex(/^[^:]+:[0-9a-f]+$/, 'expected name:id, with the id in hex digits');

/** `.env.example` documents each setting. */
export const environment = z.object({
  ...httpSettings({ port: 8101, maxBodyBytes: MAX_BODY_BYTES }),
  BAD_POSTS_PER_MINUTE: integer(1, 1_000_000, 300),
  RELEASES_PER_KEY_PER_MINUTE: integer(1, 1_000_000_000, 60_000),
  RELEASES_PER_WALLET_PER_MINUTE: integer(1, 1_000_000_000, 60_000),
  RELEASES_PER_RUNNER_PER_MINUTE: integer(1, 1_000_000_000, 600_000),
  RELEASE_LOG_DAYS: integer(1, 36_500, 90),
  KEYNODE_DATA_DIR: directory('.data/keynode'),
  KEYNODE_PASSPHRASE: z.string().min(16, 'expected at least 16 characters').optional(),
  KEYNODE_PREVIOUS_PASSPHRASE: z.string().optional(),
  DSTACK_SOCKET: z.string().optional(),
  ATTESTATION_VERIFIER_URL: httpUrl.optional(),
  ATTESTED_OS_IMAGE_HASHES: hexList.optional(),
  ATTESTED_KEY_PROVIDERS: z.string().transform(list).pipe(z.array(keyProvider).min(1)).optional(),
  PEER_COMPOSE_HASHES: hexList.optional(),
  REQUIRE_ATTESTED_RUNNERS: z.stringbool().default(false),
  RUNNER_COMPOSE_HASHES: hexList.optional(),
  RPC_URL: httpUrls,
  WS_RPC_URL: websocketUrls.default([]),
  CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER, LOCAL_CHAIN_ID),
  MAX_BLOCK_AGE_SEC: integer(0, 3_600, 15),
  MIN_TIMELOCK_DELAY_SEC: integer(3_600, 2_592_000, 86_400),
  APPROVAL_WAIT_SEC: integer(0, 2_592_000, 86_400),
  DEPLOYMENTS_DIR: directory('deployments'),
  RUNNER_KEYS: hexList.optional(),
  RELAYER_KEYS: hexList,
  OPERATOR_KEY: hex32,
});

const isSealed: CrossCheck<z.output<typeof environment>> = (env) =>
  (env.KEYNODE_PASSPHRASE === undefined) === (env.DSTACK_SOCKET === undefined)
    ? 'KEYNODE_PASSPHRASE, DSTACK_SOCKET: set one of them'
    : undefined;

/** A party that knows the previous passphrase could also start the node outside the enclave. */
const isBornInEnclave: CrossCheck<z.output<typeof environment>> = (env) =>
  env.DSTACK_SOCKET !== undefined && env.KEYNODE_PREVIOUS_PASSPHRASE !== undefined
    ? 'KEYNODE_PREVIOUS_PASSPHRASE: a file that a passphrase has sealed does not move into an enclave: start with an empty KEYNODE_DATA_DIR, then "npm run keys -- reshare" replaces the old node'
    : undefined;

const attestation = [
  'ATTESTATION_VERIFIER_URL',
  'ATTESTED_OS_IMAGE_HASHES',
  'ATTESTED_KEY_PROVIDERS',
  'PEER_COMPOSE_HASHES',
] as const;
const attestationIsWhole: CrossCheck<z.output<typeof environment>> = (env) => {
  const set = attestation.filter((name) => env[name] !== undefined).length;
  return set === 0 || set === attestation.length ? undefined : `${attestation.join(', ')}: set all or none`;
};

const runnersAreKnown: CrossCheck<z.output<typeof environment>> = (env) => {
  if (!env.REQUIRE_ATTESTED_RUNNERS)
    return env.RUNNER_KEYS ? undefined : 'RUNNER_KEYS: required without REQUIRE_ATTESTED_RUNNERS';
  if (env.RUNNER_KEYS)
    return 'RUNNER_KEYS: not used with REQUIRE_ATTESTED_RUNNERS, which needs RUNNER_COMPOSE_HASHES';
  return env.RUNNER_COMPOSE_HASHES && env.ATTESTATION_VERIFIER_URL
    ? undefined
    : 'REQUIRE_ATTESTED_RUNNERS: needs RUNNER_COMPOSE_HASHES and ATTESTATION_VERIFIER_URL';
};

const isBounded: CrossCheck<z.output<typeof environment>> = (env) =>
  env.MAX_BLOCK_AGE_SEC === 0 && env.CHAIN_ID !== LOCAL_CHAIN_ID
    ? `MAX_BLOCK_AGE_SEC: 0 is for chain ${LOCAL_CHAIN_ID} only`
    : undefined;

const waits: CrossCheck<z.output<typeof environment>> = (env) =>
  env.APPROVAL_WAIT_SEC < MIN_APPROVAL_WAIT_SEC && env.CHAIN_ID !== LOCAL_CHAIN_ID
    ? `APPROVAL_WAIT_SEC: below ${MIN_APPROVAL_WAIT_SEC} is for chain ${LOCAL_CHAIN_ID} only`
    : undefined;

/** The settings of one key node, frozen. `secrets` never appear in JSON or logs. */
export type Config = ReturnType<typeof configFrom>;

/** Passphrases, and URLs in which providers put their keys. */
export const secretVariables = [
  'KEYNODE_PASSPHRASE',
  'KEYNODE_PREVIOUS_PASSPHRASE',
  'RPC_URL',
  'WS_RPC_URL',
] as const satisfies readonly (keyof z.output<typeof environment>)[];

export const { load: loadConfig, take: takeConfig } = defineSettings({
  schema: environment,
  crossChecks: [isSealed, isBornInEnclave, attestationIsWhole, runnersAreKnown, isBounded, waits],
  secrets: secretVariables,
  configFrom,
});

function configFrom(env: z.output<typeof environment>) {
  return Object.freeze({
    ...httpConfig(env, { metricsPort: 9101 }),
    badPostsPerMinute: env.BAD_POSTS_PER_MINUTE,
    releaseLogDays: env.RELEASE_LOG_DAYS,
    releaseLimits: Object.freeze({
      perKey: env.RELEASES_PER_KEY_PER_MINUTE,
      perWallet: env.RELEASES_PER_WALLET_PER_MINUTE,
      perRunner: env.RELEASES_PER_RUNNER_PER_MINUTE,
    }),
    dataDir: env.KEYNODE_DATA_DIR,
    chainId: env.CHAIN_ID,
    minTimelockDelaySec: env.MIN_TIMELOCK_DELAY_SEC,
    approvalWaitSec: env.APPROVAL_WAIT_SEC,
    maxBlockAgeSec: env.MAX_BLOCK_AGE_SEC,
    deploymentsDir: env.DEPLOYMENTS_DIR,
    runnerKeys: env.RUNNER_KEYS ?? [],
    relayerKeys: env.RELAYER_KEYS,
    operatorKey: env.OPERATOR_KEY,
    dstackSocket: env.DSTACK_SOCKET,
    attestation: attestationFrom(env),
    secrets: Object.freeze({
      passphrase: env.KEYNODE_PASSPHRASE,
      previousPassphrase: env.KEYNODE_PREVIOUS_PASSPHRASE,
      rpcUrls: env.RPC_URL,
      wsUrls: env.WS_RPC_URL,
      toJSON: () => '[redacted]',
    }),
  });
}

function attestationFrom(env: z.output<typeof environment>) {
  const { ATTESTATION_VERIFIER_URL: verifierUrl, ATTESTED_OS_IMAGE_HASHES: osImageHashes } = env;
  const { ATTESTED_KEY_PROVIDERS: keyProviders, PEER_COMPOSE_HASHES: peerComposeHashes } = env;
  if (!verifierUrl || !osImageHashes || !keyProviders || !peerComposeHashes) return undefined;
  const runnerComposeHashes = env.REQUIRE_ATTESTED_RUNNERS ? env.RUNNER_COMPOSE_HASHES : undefined;
  return { verifierUrl, osImageHashes, keyProviders, peerComposeHashes, runnerComposeHashes };
}
