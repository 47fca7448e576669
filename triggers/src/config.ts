import { httpConfig, httpSettings } from '@latchkey/http';
import { sealingKey } from '@latchkey/service/sealer';
import {
  addresses,
  type CrossCheck,
  databaseSettings,
  defineSettings,
  httpUrl,
  integer,
  list,
} from '@latchkey/service/settings';
import { z } from 'zod';

/** The longest body of any route: every limit leaves room for one. */
const MAX_BODY_BYTES = 1024 * 1024;

const DEFAULT_METRICS_PORT = 9_465;

/** URLs of nodes of one chain, separated by commas. */
const nodeUrls = z
  .string()
  .transform(list)
  .pipe(z.array(z.url({ protocol: /^(https?|wss?)$/ })).max(10));
const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Chains of chain-event triggers, by their names on the wire; `service` is the one of AccountConfig. */
export const chainIds = { ethereum: 1, base: 8_453, arbitrum: 42_161, bsc: 56, polygon: 137 } as const;
/** The name of another chain is its id. */
export type ChainName = keyof typeof chainIds | 'service' | `${number}`;
/** URLs of the nodes of each chain that this deployment follows. The first is asked first. */
export type RpcUrls = Readonly<Partial<Record<ChainName, readonly string[] | undefined>>>;

/** Returns the id of a chain; undefined for the chain of the service, whose node knows it. */
export function chainIdOf(name: ChainName): number | undefined {
  if (name === 'service') return undefined;
  return name in chainIds ? chainIds[name as keyof typeof chainIds] : Number(name);
}

/** The entries of `10=https://a.example,https://b.example;59144=wss://c.example`. */
const entriesOf = (text: string): [string, string][] =>
  text.split(';').map((entry) => {
    const [id = '', ...urls] = entry.split('=');
    return [id.trim(), urls.join('=')];
  });
const namedIds = new Set(Object.values(chainIds).map(String));
const otherChains = z
  .string()
  .transform(entriesOf)
  .refine((entries) => new Set(entries.map(([id]) => id)).size === entries.length, 'a chain is listed twice')
  .refine((entries) => !entries.some(([id]) => namedIds.has(id)), 'a chain has a setting of its own')
  .transform((entries) => Object.fromEntries(entries))
  .pipe(z.record(z.string().regex(/^[1-9]\d{0,15}$/, 'expected <chain id>=<URL>'), nodeUrls));

/** `.env.example` says what each setting means. */
export const environment = z.object({
  ...httpSettings({ port: 8_100, maxBodyBytes: MAX_BODY_BYTES }),

  PUBLIC_URL: httpUrl.optional(),
  DASHBOARD_URL: httpUrl.optional(),
  RELAYER_URLS: z
    .string()
    .prefault('http://127.0.0.1:8000')
    .transform(list)
    .pipe(z.tuple([httpUrl], httpUrl)),

  ...databaseSettings('latchkey_triggers'),
  SEALING_KEYS: z
    .string('required: the base64 of 32 random bytes, as "openssl rand -base64 32" prints it')
    .transform(list)
    .pipe(z.array(z.string().regex(KEY, 'expected the base64 of 32 bytes')).min(1)),

  MAX_CONCURRENT_REQUESTS: integer(1, 1_024, 16),
  MAX_CONCURRENT_REQUESTS_PER_ACCOUNT: integer(1, 1_024, 12),
  PAIRINGS_PER_MINUTE_PER_ADDRESS: integer(1, 1_000_000, 20),
  PAIRING_POLLS_PER_MINUTE_PER_ADDRESS: integer(1, 1_000_000, 240),
  LOGINS_PER_MINUTE_PER_ADDRESS: integer(1, 1_000_000, 20),
  UNKNOWN_TOKENS_PER_MINUTE_PER_ADDRESS: integer(1, 1_000_000, 300),
  WEBHOOKS_PER_MINUTE_PER_ADDRESS: integer(1, 1_000_000, 60),
  WEBHOOKS_PER_MINUTE_PER_ACCOUNT: integer(1, 1_000_000, 120),
  MAX_TRIGGERS_PER_ACCOUNT: integer(1, 1_000_000, 1_000),
  BUSY_ACCOUNTS_PER_SECOND: integer(1, 100_000, 50),
  RUNS_PER_MINUTE_PER_TRIGGER: integer(1, 1_000_000, 60),
  QUEUED_RUNS_PER_TRIGGER: integer(1, 1_000_000, 100),
  MAX_WAITING_INPUT_MIB_PER_ACCOUNT: integer(1, 1_000_000, 256),
  RUN_RETENTION_DAYS: integer(1, 3_650, 30),

  ALERT_ALLOWED_ADDRESSES: addresses.optional(),

  SERVICE_RPC_URL: nodeUrls.prefault('http://127.0.0.1:8545'),
  ETHEREUM_RPC_URL: nodeUrls.optional(),
  BASE_RPC_URL: nodeUrls.optional(),
  ARBITRUM_RPC_URL: nodeUrls.optional(),
  BSC_RPC_URL: nodeUrls.optional(),
  POLYGON_RPC_URL: nodeUrls.optional(),
  OTHER_RPC_URLS: otherChains.optional(),
});
type Environment = z.output<typeof environment>;

const oneUserLeavesRoom: CrossCheck<Environment> = (env) =>
  env.MAX_CONCURRENT_REQUESTS_PER_ACCOUNT >= env.MAX_CONCURRENT_REQUESTS && env.MAX_CONCURRENT_REQUESTS > 1
    ? 'MAX_CONCURRENT_REQUESTS_PER_ACCOUNT: less than MAX_CONCURRENT_REQUESTS, or one account keeps all others waiting'
    : undefined;

/** The settings of one process, frozen. `secrets` never appear in JSON or logs. */
export type Config = ReturnType<typeof configFrom>;

/** Keys, and URLs that can contain credentials. */
export const secretVariables = [
  'DATABASE_URL',
  'SEALING_KEYS',
  'SERVICE_RPC_URL',
  'ETHEREUM_RPC_URL',
  'BASE_RPC_URL',
  'ARBITRUM_RPC_URL',
  'BSC_RPC_URL',
  'POLYGON_RPC_URL',
  'OTHER_RPC_URLS',
] as const satisfies readonly (keyof Environment)[];

export const { load: loadConfig, take: takeConfig } = defineSettings({
  schema: environment,
  crossChecks: [oneUserLeavesRoom],
  secrets: secretVariables,
  configFrom,
});

function configFrom(env: Environment) {
  const secrets = {
    database: Object.freeze({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE }),
    sealingKeys: env.SEALING_KEYS.map((key) => sealingKey(Buffer.from(key, 'base64'))),
    // URLs of providers hold keys.
    rpcUrls: Object.freeze({
      ...(env.OTHER_RPC_URLS as Record<`${number}`, string[]> | undefined),
      service: env.SERVICE_RPC_URL,
      ethereum: env.ETHEREUM_RPC_URL,
      base: env.BASE_RPC_URL,
      arbitrum: env.ARBITRUM_RPC_URL,
      bsc: env.BSC_RPC_URL,
      polygon: env.POLYGON_RPC_URL,
    } satisfies RpcUrls),
    toJSON: () => '[redacted]',
  };
  return Object.freeze({
    ...httpConfig(env, { metricsPort: DEFAULT_METRICS_PORT }),
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    dashboardUrl: env.DASHBOARD_URL,
    relayerUrls: env.RELAYER_URLS.map((url) => url.replace(/\/+$/, '')) as [string, ...string[]],
    alertAllowedAddresses: env.ALERT_ALLOWED_ADDRESSES ?? [],
    maxTriggersPerAccount: env.MAX_TRIGGERS_PER_ACCOUNT,
    busyAccountsPerSecond: env.BUSY_ACCOUNTS_PER_SECOND,
    runs: Object.freeze({
      maxConcurrent: env.MAX_CONCURRENT_REQUESTS,
      maxConcurrentPerAccount: env.MAX_CONCURRENT_REQUESTS_PER_ACCOUNT,
      perMinute: env.RUNS_PER_MINUTE_PER_TRIGGER,
      maxQueued: env.QUEUED_RUNS_PER_TRIGGER,
      maxWaitingInputBytes: env.MAX_WAITING_INPUT_MIB_PER_ACCOUNT * 1024 * 1024,
      retentionDays: env.RUN_RETENTION_DAYS,
    }),
    access: Object.freeze({
      pairingsPerMinutePerAddress: env.PAIRINGS_PER_MINUTE_PER_ADDRESS,
      pairingPollsPerMinutePerAddress: env.PAIRING_POLLS_PER_MINUTE_PER_ADDRESS,
      loginsPerMinutePerAddress: env.LOGINS_PER_MINUTE_PER_ADDRESS,
      unknownTokensPerMinutePerAddress: env.UNKNOWN_TOKENS_PER_MINUTE_PER_ADDRESS,
    }),
    webhooks: Object.freeze({
      perMinutePerAddress: env.WEBHOOKS_PER_MINUTE_PER_ADDRESS,
      perMinutePerAccount: env.WEBHOOKS_PER_MINUTE_PER_ACCOUNT,
    }),
    secrets: Object.freeze(secrets),
  });
}
