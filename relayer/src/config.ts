import { resolve } from 'node:path';
import { httpConfig, httpSettings } from '@latchkey/http';
import {
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
  websocketUrl,
} from '@latchkey/service/settings';
import { type Hex, parseGwei } from 'viem';
import { z } from 'zod';
import {
  crossChecks,
  LOCAL_CHAIN_ID,
  LOCAL_IDENTITY,
  LOCAL_PASSPHRASE,
  LOCAL_PAYER,
} from './config-checks.ts';

/** The longest request body of any route. Size limits must not be lower. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const DEFAULT_METRICS_PORT = 9_464;
/** Resolves the path of a Unix socket. */
const runnerUrl = z
  .string()
  .regex(
    /^(?:unix:.+|wss:\/\/[^/\s]+\/?|ws:\/\/(?:127\.[\d.]+|localhost|\[::1\]):\d+\/?)$/,
    'expected unix:<path>, wss://host:port, or ws://host:port on this machine',
  )
  .transform((url) => url.replace(/^unix:(.+)$/, (_, path: string) => `unix:${resolve(repository, path)}`));

export const environment = z.object({
  ...httpSettings({ port: 8_000, maxBodyBytes: MAX_BODY_BYTES }),
  /** The commit that `/version` returns. Default: the commit of the working tree. */
  COMMIT: z.string().optional(),

  RPC_URL: httpUrls.prefault('http://127.0.0.1:8545'),
  /** Gets the signed transactions of payers instead of RPC_URL: a public mempool shows them to strangers before they are mined. */
  PRIVATE_RPC_URL: httpUrl.optional(),
  WS_RPC_URL: websocketUrl.optional(),
  CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER, LOCAL_CHAIN_ID),
  CHAIN_NAME: z.string().default('Local chain'),
  CHAIN_TOKEN: z.string().default('ETH'),
  CHAIN_IS_TESTNET: z.stringbool().default(true),
  POLLING_INTERVAL_MS: integer(20, 60_000, 200),
  DEPLOYMENTS_DIR: directory('deployments'),
  INDEXER_URL: httpUrl.default('http://127.0.0.1:42069'),
  INDEXER_TIMEOUT_MS: integer(100, 120_000, 15_000),

  PAYER_PRIVATE_KEYS: z
    .string()
    .default(LOCAL_PAYER)
    .transform(list)
    .pipe(z.array(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')).min(1))
    .transform((keys) => keys as Hex[]),
  PAYER_MAX_PENDING: integer(1, 1_000, 32),
  /**
   * Writes, and requests without a price, per second that all accounts with many concurrent ones begin together while another account
   * is active.
   */
  BUSY_ACCOUNTS_PER_SECOND: integer(1, 100_000, 50),
  /** Estimated gas above which a write is refused: a usage key whose groups lie far apart costs millions, and its caller one cent. */
  MAX_WRITE_GAS: integer(200_000, 1_000_000_000, 3_000_000),
  /** Highest maximum fee per gas that payers offer, in gwei. While the chain asks for more, writes are 503. Absent: no ceiling. */
  MAX_FEE_PER_GAS_GWEI: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'expected a number of gwei, such as 0.5')
    .transform((gwei) => parseGwei(gwei))
    .optional(),
  TRANSACTION_TIMEOUT_MS: integer(1_000, 600_000, 90_000),
  TRANSACTION_REPRICE_AFTER_MS: integer(1_000, 3_600_000, 30_000),
  CONFIRMATIONS: integer(1, 64, 1),

  ...databaseSettings('latchkey_relayer'),
  /** Directory of the sealed root secret. */
  DATA_DIR: directory('.data/relayer'),
  ROOT_SECRET_PASSPHRASE: z.string().default(LOCAL_PASSPHRASE),

  /** Runners: `unix:<path>`, `wss://host:port`, or `ws://` on this machine. Runs go to the one with the least load. */
  RUNNER_URLS: z.string().default('unix:.data/runner/socket').transform(list).pipe(z.array(runnerUrl).min(1)),
  /** Sent to runners that listen on a port. */
  RUNNER_TOKEN: z.string().optional(),
  /** Comma-separated URLs of the key nodes. */
  KEY_NODES: z.string().default('http://127.0.0.1:8101').transform(list).pipe(z.array(httpUrl).min(1)),
  /** SECRET. Seed of the Ed25519 key by which key nodes know this relayer, 64 hex digits. */
  RELAYER_IDENTITY: hex32.default(LOCAL_IDENTITY),
  /** Maximum number of concurrent runs, each in its own process. Further runs wait. */
  MAX_CONCURRENT_RUNS: integer(1, 1_024, 32),
  MAX_CONCURRENT_RUNS_PER_ACCOUNT: integer(1, 1_024, 8),
  MAX_QUEUED_RUNS: integer(0, 10_000, 128),
  MAX_QUEUED_RUNS_PER_ACCOUNT: integer(0, 10_000, 32),
  /** Seconds that the relayer waits for in-flight runs when it stops. Longer runs are ended and cost nothing. */
  DRAIN_TIMEOUT_SEC: integer(0, 3_600, 120),
  RUN_TIMEOUT_MS: integer(100, 3_600_000, 900_000),
  RUN_MEMORY_LIMIT_MB: integer(16, 4_096, 64),
  RUN_MAX_PARAMS_BYTES: integer(1_024, 4_194_304, 1_048_576),
  /** Days for which the record of a run is kept. */
  RUN_RECORD_DAYS: integer(8, 3_650, 30),
  /** Gateway that serves `<url>/ipfs/<cid>`, for code that this relayer does not have. */
  IPFS_GATEWAY_URL: httpUrl.optional(),

  /** Quota for the code of an account's paid runs. One code always fits. */
  CODE_QUOTA_MB_PER_ACCOUNT: integer(16, 1_048_576, 256),
  /** Days after which unused code is deleted, unless its CID is registered. */
  CODE_RETENTION_DAYS: integer(1, 3_650, 30),

  /** Calls of new_account per address. */
  NEW_ACCOUNTS_PER_MINUTE: integer(1, 1_000_000, 10),
  /** Gas that new accounts can cost the payers per clock hour, counted for all processes. */
  NEW_ACCOUNT_GAS_PER_HOUR: integer(1_000_000, 2 ** 48, 200_000_000),
  /**
   * Rate of new accounts per minute, over all addresses, above which new_account requires a solved challenge. Absent:
   * no challenges.
   */
  NEW_ACCOUNT_CHALLENGE_ABOVE_PER_MINUTE: digits(0, 1_000_000)
    .optional()
    .meta({ minimum: 0, maximum: 1_000_000 }),
  /** Requests with unknown keys and wallets per address. */
  UNKNOWN_KEYS_PER_MINUTE: integer(1, 1_000_000, 300),
  /** Calls of create_wallet_with_signature and add_usage_api_key_with_signature per address and per wallet. */
  SIGNED_MINTS_PER_MINUTE: integer(1, 1_000_000, 120),

  /**
   * Set all three Stripe settings to accept payments, or none. STRIPE_WEBHOOK_SECRETS takes several secrets during a
   * rotation.
   */
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRETS: z
    .string()
    .transform(list)
    .pipe(z.array(z.string().min(1)))
    .optional(),
  /** Default: Stripe's own API. */
  STRIPE_API_URL: httpUrl.optional(),
  /** Interval at which Stripe's payments are compared with the ledger. */
  RECONCILE_INTERVAL_MIN: integer(1, 1_440, 60),
  /** Starter credit of a new managed account. */
  STARTER_CREDIT_CENTS: integer(0, 1_000_000, 0),
  /** Calls of create_payment_intent and confirm_payment per account. Each call makes a request to Stripe. */
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
  'PAYER_PRIVATE_KEYS',
  'DATABASE_URL',
  'ROOT_SECRET_PASSPHRASE',
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
    payerPrivateKeys: env.PAYER_PRIVATE_KEYS,
    rootSecretPassphrase: env.ROOT_SECRET_PASSPHRASE,
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
    wsUrl: env.WS_RPC_URL,
    pollingIntervalMs: env.POLLING_INTERVAL_MS,
  });

function configFrom(env: Environment) {
  return Object.freeze({
    ...httpConfig(env, { metricsPort: DEFAULT_METRICS_PORT }),
    commit: env.COMMIT,
    chain: chainOf(env),
    deploymentsDir: env.DEPLOYMENTS_DIR,
    indexer: Object.freeze({ url: env.INDEXER_URL, timeoutMs: env.INDEXER_TIMEOUT_MS }),
    payers: Object.freeze({
      maxPending: env.PAYER_MAX_PENDING,
      maxWriteGas: env.MAX_WRITE_GAS,
      feeCeiling: env.MAX_FEE_PER_GAS_GWEI,
      manyPerSecond: env.BUSY_ACCOUNTS_PER_SECOND,
      timeoutMs: env.TRANSACTION_TIMEOUT_MS,
      repriceAfterMs: env.TRANSACTION_REPRICE_AFTER_MS,
      confirmations: env.CONFIRMATIONS,
    }),
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
    billing: Object.freeze({
      stripePublishableKey: env.STRIPE_PUBLISHABLE_KEY,
      stripeApiUrl: env.STRIPE_API_URL,
      reconcileIntervalMin: env.RECONCILE_INTERVAL_MIN,
      starterCreditCents: env.STARTER_CREDIT_CENTS,
      paymentRequestsPerMinute: env.PAYMENT_REQUESTS_PER_MINUTE,
    }),
    secrets: secretsOf(env),
  });
}
