import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import type { Hex } from 'viem';
import type { DatabaseUrls } from './database.ts';
import type { KeyNodeName, KeySettings } from './key-nodes.ts';
import { root } from './root.ts';

/** Settings of the stand-in for Stripe: play money. */
const STRIPE_KEYS = {
  STRIPE_SECRET_KEY: 'sk_test_local',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_local',
};
const STRIPE_WEBHOOK_SECRET = 'whsec_local';
const STARTER_CREDIT_CENTS = '1000';
/** All clients on this machine share one address. */
const NEW_ACCOUNTS_PER_MINUTE = '600';
/** All services share the processors of this machine. */
const BUSY_ACCOUNTS_PER_SECOND = '20';
/** Avoids stripping and compiling the same sources at every start. */
export const NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'node');
/** Settings of the caller that the runner gets. */
const RUNNER_SETTINGS = [
  'NODE_OPTIONS',
  'LOG_LEVEL',
  'RUNTIME_POOL_SIZE',
  'MAX_CONCURRENT_RUNS',
  'MAX_CONCURRENT_RUNS_PER_ACCOUNT',
  'DRAIN_TIMEOUT_SEC',
  'RUNNER_REQUIRE_WALLS',
  'RUN_TIMEOUT_MS',
  'RUN_MEMORY_LIMIT_MB',
  'ACTION_DNS_SERVERS',
  'ACTION_FORBIDDEN_ADDRESSES',
  'IMPORT_CDN_URL',
  'IMPORT_CACHE_MB',
];
/** Returns the settings of traces. */
export const traceSettings = (env: ServiceSettingsOptions['env']): ServiceSettingsOptions['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('OTEL_')));

/** The relayer's default, in seconds. */
const DRAIN_TIMEOUT_SEC = '120';

/** The file in the data directory with the token of the operator's page. */
export const OPERATOR_TOKEN = 'operator-token';

/** In the order of their start. */
export const serviceNames = ['indexer', 'stripe', 'runner', 'relayer', 'triggers'] as const;
export type ServiceName = (typeof serviceNames)[number];

export type Ports = Record<
  | Exclude<ServiceName, 'runner'>
  | 'chain'
  | 'postgres'
  | 'dashboard'
  | 'relayerMetrics'
  | 'triggersMetrics'
  | KeyNodeName,
  number
>;
export type Urls = ReturnType<typeof urlsOf>;

/** Environment of a process that is not a service. The compiler behind forge starts with `env node`. */
export const baseEnv = (): Record<string, string | undefined> => ({
  HOME: process.env.HOME,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
});

/** Returns the URLs of the parts, without a trailing slash. */
export function urlsOf(ports: Ports) {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    chain: at(ports.chain),
    chainWs: `ws://127.0.0.1:${ports.chain}`,
    indexer: at(ports.indexer),
    stripe: at(ports.stripe),
    relayer: at(ports.relayer),
    triggers: at(ports.triggers),
    dashboard: at(ports.dashboard),
    relayerMetrics: `${at(ports.relayerMetrics)}/metrics`,
    triggersMetrics: `${at(ports.triggersMetrics)}/metrics`,
  };
}

/** Returns the relayer's settings for the stand-in for Stripe. */
export const stripeSettings = (urls: Urls): Record<string, string> => ({
  ...STRIPE_KEYS,
  STRIPE_WEBHOOK_SECRETS: STRIPE_WEBHOOK_SECRET,
  STRIPE_API_URL: urls.stripe,
});

export type ServiceSettingsOptions = {
  ports: Ports;
  databaseUrls: DatabaseUrls;
  dataDir: string;
  deploymentsDir: string;
  /** Path of the Unix socket of the runner. */
  runnerSocket: string;
  payerKeys: Hex[];
  /** Absent until the key nodes are ready. */
  keys?: KeySettings;
  /** Key of triggers when `env` has none. */
  sealingKey: string;
  /** Opens the operator's page, unless `env` has the hash of another one. */
  operatorToken: string;
  /** Further settings. They replace the defaults of the stack, not the addresses of its parts. */
  env: Record<string, string | undefined>;
};

export function serviceSettings(
  options: ServiceSettingsOptions,
): Record<ServiceName, Record<string, string | undefined>> {
  const { ports, databaseUrls, dataDir, env } = options;
  const urls = urlsOf(ports);
  const all = (name: Exclude<ServiceName, 'runner'>) => ({
    STARTER_CREDIT_CENTS,
    NEW_ACCOUNTS_PER_MINUTE,
    BUSY_ACCOUNTS_PER_SECOND,
    DRAIN_TIMEOUT_SEC,
    NODE_COMPILE_CACHE,
    ...env,
    ...baseEnv(),
    RPC_URL: urls.chain,
    WS_RPC_URL: urls.chainWs,
    CHAIN_ID: String(LOCAL_CHAIN_ID),
    DEPLOYMENTS_DIR: options.deploymentsDir,
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
  });
  return {
    indexer: { ...all('indexer'), DATABASE_URL: databaseUrls.indexer },
    stripe: {
      ...all('stripe'),
      ...STRIPE_KEYS,
      WEBHOOK_URL: `${urls.relayer}/core/v1/billing/webhook`,
      WEBHOOK_SECRETS: STRIPE_WEBHOOK_SECRET,
      STATE_FILE: join(dataDir, 'stripe', 'state.json'),
    },
    runner: runnerSettings(options),
    relayer: {
      ...all('relayer'),
      DATA_DIR: join(dataDir, 'relayer'),
      METRICS_PORT: String(ports.relayerMetrics),
      DATABASE_URL: databaseUrls.relayer,
      ...(!env.STRIPE_SECRET_KEY && stripeSettings(urls)),
      INDEXER_URLS: urls.indexer,
      RUNNER_URLS: `unix:${options.runnerSocket}`,
      ...options.keys?.relayer,
      PAYER_PRIVATE_KEYS: options.payerKeys.join(','),
      OPERATOR_TOKEN_HASH:
        env.OPERATOR_TOKEN_HASH || createHash('sha256').update(options.operatorToken).digest('hex'),
    },
    triggers: {
      ...all('triggers'),
      METRICS_PORT: String(ports.triggersMetrics),
      RELAYER_URLS: urls.relayer,
      SERVICE_RPC_URL: urls.chainWs,
      DASHBOARD_URL: urls.dashboard,
      DATABASE_URL: databaseUrls.triggers,
      SEALING_KEYS: env.SEALING_KEYS || options.sealingKey,
    },
  };
}

/** All settings of the runner: the process next to hostile code gets no others. */
function runnerSettings({ ports, env, keys, runnerSocket, dataDir }: ServiceSettingsOptions) {
  // Actions can reach the local chain under either name.
  const actionAddresses = [`127.0.0.1:${ports.chain}`, `localhost:${ports.chain}`];
  if (env.ACTION_ALLOWED_ADDRESSES) actionAddresses.push(env.ACTION_ALLOWED_ADDRESSES);
  return {
    ...baseEnv(),
    NODE_COMPILE_CACHE,
    DRAIN_TIMEOUT_SEC,
    // The wallets of a local chain are play money, and a laptop need not have the tools.
    RUNNER_REQUIRE_WALLS: 'none',
    ...Object.fromEntries(RUNNER_SETTINGS.filter((name) => env[name]).map((name) => [name, env[name]])),
    ...traceSettings(env),
    ...keys?.runner,
    RUNNER_LISTEN: runnerSocket,
    IMPORT_CACHE_DIR: join(dataDir, 'runner', 'imports'),
    ACTION_ALLOWED_ADDRESSES: actionAddresses.join(','),
  };
}
