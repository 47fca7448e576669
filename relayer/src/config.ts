import { resolve } from 'node:path';
import { httpConfig, httpSettings } from '@latchkey/http';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import {
  addresses,
  databaseSettings,
  defineSettings,
  digits,
  directory,
  hex32,
  httpUrl,
  httpUrls,
  integer,
  list,
  repository,
  websocketUrls,
} from '@latchkey/service/settings';
import { type Hex, parseEther, parseGwei } from 'viem';
import { z } from 'zod';
import { chainsSetting } from './chains-setting.ts';
import { crossChecks, LOCAL_IDENTITY, LOCAL_PASSPHRASE, payerKeysOf, refillOf } from './config-checks.ts';

/** The longest request body of any route. Size limits must not be lower. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const DEFAULT_METRICS_PORT = 9_464;
/** Resolves the path of a Unix socket. */
const runnerUrl = z
  .string()
  .regex(
    /^(?:unix:.+|wss:\/\/[^/\s]+\/?|dns\+wss:\/\/[\w.-]+(?::\d{1,5})?\/?|ws:\/\/(?:127\.[\d.]+|localhost|\[::1\]):\d+\/?)$/,
    'expected unix:<path>, wss://host:port, dns+wss://name:port, or ws://host:port on this machine',
  )
  .refine((url) => url.startsWith('unix:') || URL.canParse(url), 'expected a port up to 65535')
  .transform((url) => url.replace(/^unix:(.+)$/, (_, path: string) => `unix:${resolve(repository, path)}`));

const ether = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'expected an amount, such as 0.5')
  .transform((amount) => parseEther(amount));

/** Resolves the path of a key file. */
const payerUri = z
  .string()
  .regex(
    /^(?:keystore:.+|web3signer:https?:\/\/[^#\s]+#0x[0-9a-fA-F]{40}|aws-kms:[\w-]+\/\S+|gcp-kms:projects\/\S+\/cryptoKeyVersions\/\d+)$/,
    'expected keystore:<path>, web3signer:<URL>#<address>, aws-kms:<region>/<key id> or gcp-kms:projects/…/cryptoKeyVersions/<n>',
  )
  .transform((uri) =>
    uri.replace(/^keystore:(.+)$/, (_, path: string) => `keystore:${resolve(repository, path)}`),
  );

/** `.env.example` says what each setting means. */
export const environment = z.object({
  ...httpSettings({ port: 8_000, maxBodyBytes: MAX_BODY_BYTES }),
  COMMIT: z.string().optional(),

  RPC_URL: httpUrls.prefault('http://127.0.0.1:8545'),
  PRIVATE_RPC_URL: httpUrl.optional(),
  WS_RPC_URL: websocketUrls.default([]),
  CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER, LOCAL_CHAIN_ID),
  CHAIN_NAME: z.string().default('Local chain'),
  CHAIN_TOKEN: z.string().default('ETH'),
  CHAIN_IS_TESTNET: z.stringbool().default(true),
  POLLING_INTERVAL_MS: integer(20, 60_000, 200),
  DEPLOYMENTS_DIR: directory('deployments'),
  INDEXER_URLS: httpUrls.prefault('http://127.0.0.1:42069'),
  INDEXER_TIMEOUT_MS: integer(100, 120_000, 15_000),

  PAYER_PRIVATE_KEYS: z
    .string()
    .transform(list)
    .pipe(z.array(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')).min(1))
    .transform((keys) => keys as Hex[])
    .optional(),
  PAYERS: z.string().transform(list).pipe(z.array(payerUri)).optional(),
  PAYER_KEYSTORE_PASSPHRASE: z.string().optional(),
  PAYER_MAX_PENDING: integer(1, 1_000, 32),
  BUSY_ACCOUNTS_PER_SECOND: integer(1, 100_000, 50),
  MAX_WRITE_GAS: integer(200_000, 1_000_000_000, 3_000_000),
  MAX_FEE_PER_GAS_GWEI: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'expected a number of gwei, such as 0.5')
    .transform((gwei) => parseGwei(gwei))
    .optional(),
  PAYER_REFILL_BELOW_ETHER: ether.optional(),
  PAYER_REFILL_UP_TO_ETHER: ether.optional(),
  PAYER_REFILL_ETHER_PER_DAY: ether.optional(),
  TRANSACTION_TIMEOUT_MS: integer(1_000, 600_000, 90_000),
  TRANSACTION_REPRICE_AFTER_MS: integer(1_000, 3_600_000, 30_000),
  CONFIRMATIONS: integer(1, 64, 1),
  CHAINS: chainsSetting,
  WALLET_MAX_PENDING: integer(1, 1_000, 32),
  WALLET_MAX_PENDING_PER_ACCOUNT: integer(1, 10_000, 128),

  ...databaseSettings('latchkey_relayer'),
  DATA_DIR: directory('.data/relayer'),
  ROOT_SECRET_PASSPHRASE: z.string().default(LOCAL_PASSPHRASE),
  ROOT_SECRET: hex32.optional(),

  RUNNER_URLS: z.string().default('unix:.data/runner/socket').transform(list).pipe(z.array(runnerUrl).min(1)),
  RUNNER_TOKEN: z.string().optional(),
  KEY_NODES: z.string().default('http://127.0.0.1:8101').transform(list).pipe(z.array(httpUrl).min(1)),
  RELAYER_IDENTITY: hex32.default(LOCAL_IDENTITY),
  MAX_CONCURRENT_RUNS: integer(1, 1_024, 32),
  MAX_CONCURRENT_RUNS_PER_ACCOUNT: integer(1, 1_024, 8),
  MAX_QUEUED_RUNS: integer(0, 10_000, 128),
  MAX_QUEUED_RUNS_PER_ACCOUNT: integer(0, 10_000, 32),
  DRAIN_TIMEOUT_SEC: integer(0, 3_600, 120),
  RUN_TIMEOUT_MS: integer(100, 3_600_000, 900_000),
  RUN_MEMORY_LIMIT_MB: integer(16, 4_096, 64),
  RUN_MAX_PARAMS_BYTES: integer(1_024, 4_194_304, 1_048_576),
  RUN_RECORD_DAYS: integer(8, 3_650, 30),
  IPFS_GATEWAY_URL: httpUrl.optional(),

  WEBHOOK_CONFIRMATIONS: digits(0, 128).optional().meta({ minimum: 0, maximum: 128 }),
  WEBHOOK_ALLOWED_ADDRESSES: addresses.optional(),

  CODE_QUOTA_MB_PER_ACCOUNT: integer(16, 1_048_576, 256),
  CODE_RETENTION_DAYS: integer(1, 3_650, 30),

  NEW_ACCOUNTS_PER_MINUTE: integer(1, 1_000_000, 10),
  NEW_ACCOUNT_GAS_PER_HOUR: integer(1_000_000, 2 ** 48, 200_000_000),
  NEW_ACCOUNT_CHALLENGE_ABOVE_PER_MINUTE: digits(0, 1_000_000)
    .optional()
    .meta({ minimum: 0, maximum: 1_000_000 }),
  UNKNOWN_KEYS_PER_MINUTE: integer(1, 1_000_000, 300),
  SIGNED_MINTS_PER_MINUTE: integer(1, 1_000_000, 120),
  APPROVAL_DECISIONS_PER_MINUTE: integer(1, 1_000_000, 60),
  OPERATOR_TOKEN_HASH: hex32.optional(),

  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRETS: z
    .string()
    .transform(list)
    .pipe(z.array(z.string().min(1)))
    .optional(),
  STRIPE_API_URL: httpUrl.optional(),
  RECONCILE_INTERVAL_MIN: integer(1, 1_440, 60),
  STARTER_CREDIT_CENTS: integer(0, 1_000_000, 0),
  PAYMENT_REQUESTS_PER_MINUTE: integer(1, 1_000_000, 60),
});
type Environment = z.output<typeof environment>;

/** The settings of one relayer, frozen. `secrets` never appear in JSON or logs. */
export type Config = ReturnType<typeof configFrom>;

/** Keys and passphrases, and URLs that can contain credentials. */
export const secretVariables = [
  'RPC_URL',
  'PRIVATE_RPC_URL',
  'WS_RPC_URL',
  'CHAINS',
  'PAYER_PRIVATE_KEYS',
  'PAYERS',
  'PAYER_KEYSTORE_PASSPHRASE',
  'DATABASE_URL',
  'ROOT_SECRET_PASSPHRASE',
  'ROOT_SECRET',
  'RUNNER_TOKEN',
  'RELAYER_IDENTITY',
  'IPFS_GATEWAY_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRETS',
] as const satisfies readonly (keyof Environment)[];

export const { load: loadConfig, take: takeConfig } = defineSettings({
  schema: environment,
  crossChecks,
  secrets: secretVariables,
  configFrom,
});

const secretsOf = (env: Environment) =>
  Object.freeze({
    database: Object.freeze({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE }),
    payerPrivateKeys: payerKeysOf(env),
    payers: env.PAYERS ?? [],
    keystorePassphrase: env.PAYER_KEYSTORE_PASSPHRASE ?? '',
    rootSecretPassphrase: env.ROOT_SECRET_PASSPHRASE,
    rootSecret: env.ROOT_SECRET,
    runnerToken: env.RUNNER_TOKEN,
    identity: env.RELAYER_IDENTITY,
    stripeSecretKey: env.STRIPE_SECRET_KEY,
    stripeWebhookSecrets: env.STRIPE_WEBHOOK_SECRETS ?? [],
    toJSON: () => '[redacted]',
  });

const chainOf = (env: Environment) =>
  Object.freeze({
    chainId: env.CHAIN_ID,
    name: env.CHAIN_NAME,
    token: env.CHAIN_TOKEN,
    testnet: env.CHAIN_IS_TESTNET,
    rpcUrls: env.RPC_URL,
    privateRpcUrl: env.PRIVATE_RPC_URL,
    wsUrls: env.WS_RPC_URL,
    pollingIntervalMs: env.POLLING_INTERVAL_MS,
  });

const walletsOf = (env: Environment) =>
  Object.freeze({
    chains: env.CHAINS,
    maxPendingPerWallet: env.WALLET_MAX_PENDING,
    maxPendingPerAccount: env.WALLET_MAX_PENDING_PER_ACCOUNT,
  });

const billingOf = (env: Environment) =>
  Object.freeze({
    stripePublishableKey: env.STRIPE_PUBLISHABLE_KEY,
    stripeApiUrl: env.STRIPE_API_URL,
    reconcileIntervalMin: env.RECONCILE_INTERVAL_MIN,
    starterCreditCents: env.STARTER_CREDIT_CENTS,
    paymentRequestsPerMinute: env.PAYMENT_REQUESTS_PER_MINUTE,
  });

function configFrom(env: Environment) {
  return Object.freeze({
    ...httpConfig(env, { metricsPort: DEFAULT_METRICS_PORT }),
    commit: env.COMMIT,
    chain: chainOf(env),
    deploymentsDir: env.DEPLOYMENTS_DIR,
    indexer: Object.freeze({ urls: env.INDEXER_URLS, timeoutMs: env.INDEXER_TIMEOUT_MS }),
    payers: Object.freeze({
      maxPending: env.PAYER_MAX_PENDING,
      maxWriteGas: env.MAX_WRITE_GAS,
      feeCeiling: env.MAX_FEE_PER_GAS_GWEI,
      refill: refillOf(env),
      manyPerSecond: env.BUSY_ACCOUNTS_PER_SECOND,
      timeoutMs: env.TRANSACTION_TIMEOUT_MS,
      repriceAfterMs: env.TRANSACTION_REPRICE_AFTER_MS,
      confirmations: env.CONFIRMATIONS,
    }),
    wallets: walletsOf(env),
    dataDir: env.DATA_DIR,
    drainTimeoutMs: env.DRAIN_TIMEOUT_SEC * 1_000,
    runners: Object.freeze({ urls: env.RUNNER_URLS }),
    keyNodes: env.KEY_NODES,
    runs: Object.freeze({
      maxConcurrentRuns: env.MAX_CONCURRENT_RUNS,
      maxConcurrentRunsPerAccount: env.MAX_CONCURRENT_RUNS_PER_ACCOUNT,
      maxQueuedRuns: env.MAX_QUEUED_RUNS,
      maxQueuedRunsPerAccount: env.MAX_QUEUED_RUNS_PER_ACCOUNT,
      limits: Object.freeze({
        timeoutMs: env.RUN_TIMEOUT_MS,
        memoryLimitMb: env.RUN_MEMORY_LIMIT_MB,
        maxParamsBytes: env.RUN_MAX_PARAMS_BYTES,
      }),
    }),
    runRecordDays: env.RUN_RECORD_DAYS,
    ipfsGatewayUrl: env.IPFS_GATEWAY_URL,
    webhooks: Object.freeze({
      confirmations: env.WEBHOOK_CONFIRMATIONS,
      allowedAddresses: env.WEBHOOK_ALLOWED_ADDRESSES ?? [],
    }),
    codes: Object.freeze({
      quotaBytesPerAccount: env.CODE_QUOTA_MB_PER_ACCOUNT * 1024 * 1024,
      retentionDays: env.CODE_RETENTION_DAYS,
    }),
    newAccounts: Object.freeze({
      perMinutePerAddress: env.NEW_ACCOUNTS_PER_MINUTE,
      gasPerHour: env.NEW_ACCOUNT_GAS_PER_HOUR,
      challengeAbovePerMinute: env.NEW_ACCOUNT_CHALLENGE_ABOVE_PER_MINUTE,
    }),
    unknownKeysPerMinute: env.UNKNOWN_KEYS_PER_MINUTE,
    signedMintsPerMinute: env.SIGNED_MINTS_PER_MINUTE,
    approvalDecisionsPerMinute: env.APPROVAL_DECISIONS_PER_MINUTE,
    operatorTokenHash: env.OPERATOR_TOKEN_HASH,
    billing: billingOf(env),
    secrets: secretsOf(env),
  });
}
