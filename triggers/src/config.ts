import { type CrossCheck, DEFAULT_BODY_LIMITS, readSettings } from '@latchkey/http';
import { z } from 'zod';

/** The longest body of any route: every limit leaves room for one. */
const MAX_BODY_BYTES = 1024 * 1024;

const DEFAULT_METRICS_PORT = 9_465;

const integer = (minimum: number, maximum: number, defaultValue: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(defaultValue);
const urlOf = (protocol: RegExp) => z.url({ protocol });
const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Chains of chain-event triggers, by their names on the wire; `service` is the one of AccountConfig. */
export const chainIds = { ethereum: 1, base: 8_453, arbitrum: 42_161, bsc: 56, polygon: 137 } as const;
export type ChainName = keyof typeof chainIds | 'service';

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 8_100),
  /** Where `/metrics` is served; for no strangers. Any free port with PORT 0, when absent. */
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Peers that may name the client's address in X-Forwarded-For: how many hops, or their addresses. */
  TRUST_PROXY: z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .optional(),
  /** Bytes of request bodies of routes that take more than 64 KiB, from one client address and altogether. */
  BODY_BYTES_IN_FLIGHT_PER_ADDRESS: integer(
    MAX_BODY_BYTES,
    2 ** 40,
    DEFAULT_BODY_LIMITS.bytesInFlightPerAddress,
  ),
  BODY_BYTES_IN_FLIGHT: integer(2 * MAX_BODY_BYTES, 2 ** 40, DEFAULT_BODY_LIMITS.bytesInFlight),
  /** Of such bodies to routes that anybody may call, from one address. */
  ANONYMOUS_BODY_BYTES_PER_MINUTE: integer(
    MAX_BODY_BYTES,
    2 ** 40,
    DEFAULT_BODY_LIMITS.anonymousBytesPerMinute,
  ),

  /** How browsers and senders reach this service, without a path; `http://HOST:PORT` when absent. Cookies are Secure under https. */
  PUBLIC_URL: urlOf(/^https?$/).optional(),
  /** The core service, without `/core/v1`. */
  CORE_URL: urlOf(/^https?$/).default('http://127.0.0.1:8000'),

  /** A PostgreSQL database of this service's own. */
  DATABASE_URL: urlOf(/^postgres(ql)?$/).default('postgresql://127.0.0.1:5432/latchkey_triggers'),
  DATABASE_POOL_SIZE: integer(1, 200, 10),
  /** Base64 of 32 bytes each, separated by commas: the first key seals, every key opens. */
  SEALING_KEYS: z
    .string('required: the base64 of 32 random bytes, as "openssl rand -base64 32" prints it')
    .transform((text) => text.split(',').map((key) => key.trim()))
    .pipe(z.array(z.string().regex(KEY, 'expected the base64 of 32 bytes')).min(1)),

  /** Runs at once in this process. */
  MAX_CONCURRENT_RUNS: integer(1, 1_024, 16),
  /** Of the runs of all processes, how many one user may have under way. */
  MAX_CONCURRENT_RUNS_PER_USER: integer(1, 1_024, 12),
  PAIRINGS_PER_MINUTE_PER_IP: integer(1, 1_000_000, 20),
  /** An agent asks again and again whether it was approved. */
  PAIRING_POLLS_PER_MINUTE_PER_IP: integer(1, 1_000_000, 240),
  LOGINS_PER_MINUTE_PER_IP: integer(1, 1_000_000, 20),
  WEBHOOKS_PER_MINUTE_PER_IP: integer(1, 1_000_000, 60),
  WEBHOOKS_PER_MINUTE_PER_USER: integer(1, 1_000_000, 120),
  MAX_TRIGGERS_PER_USER: integer(1, 1_000_000, 1_000),
  /** Of a trigger that names no limits of its own. */
  RUNS_PER_MINUTE_PER_TRIGGER: integer(1, 1_000_000, 60),
  MAX_QUEUED_RUNS: integer(1, 1_000_000, 100),
  RUN_RETENTION_DAYS: integer(1, 3_650, 30),

  SERVICE_RPC_URL: urlOf(/^(https?|wss?)$/).default('http://127.0.0.1:8545'),
  ETHEREUM_RPC_URL: urlOf(/^(https?|wss?)$/).optional(),
  BASE_RPC_URL: urlOf(/^(https?|wss?)$/).optional(),
  ARBITRUM_RPC_URL: urlOf(/^(https?|wss?)$/).optional(),
  BSC_RPC_URL: urlOf(/^(https?|wss?)$/).optional(),
  POLYGON_RPC_URL: urlOf(/^(https?|wss?)$/).optional(),
});
type Environment = z.output<typeof environment>;

const oneUserLeavesRoom: CrossCheck<Environment> = (env) =>
  env.MAX_CONCURRENT_RUNS_PER_USER >= env.MAX_CONCURRENT_RUNS && env.MAX_CONCURRENT_RUNS > 1
    ? 'MAX_CONCURRENT_RUNS_PER_USER: less than MAX_CONCURRENT_RUNS, or one user keeps all others waiting'
    : undefined;
const crossChecks = [oneUserLeavesRoom];

/** The settings of one process, frozen. `secrets` never appear in JSON or logs. */
export type Config = ReturnType<typeof configFrom>;

/** Keys and passphrases, and URLs in which providers and databases put theirs. */
const secretVariables = [
  'DATABASE_URL',
  'SEALING_KEYS',
  'SERVICE_RPC_URL',
  'ETHEREUM_RPC_URL',
  'BASE_RPC_URL',
  'ARBITRUM_RPC_URL',
  'BSC_RPC_URL',
  'POLYGON_RPC_URL',
] as const satisfies readonly (keyof Environment)[];

/** Reads the settings; an empty variable counts as absent. Throws `ConfigError`. */
export const loadConfig = (variables: Record<string, string | undefined> = process.env): Config =>
  configFrom(readSettings(environment, crossChecks, variables));

/**
 * Reads the settings of this process and deletes the secrets among them from its environment: no child process
 * inherits them, and nothing that shows the environment shows them.
 */
export function takeConfig(): Config {
  const config = loadConfig();
  for (const name of secretVariables) delete process.env[name];
  return config;
}

function configFrom(env: Environment) {
  const secrets = {
    database: Object.freeze({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE }),
    sealingKeys: env.SEALING_KEYS.map((key) => Buffer.from(key, 'base64')),
    // URLs of providers hold keys.
    rpcUrls: Object.freeze({
      service: env.SERVICE_RPC_URL,
      ethereum: env.ETHEREUM_RPC_URL,
      base: env.BASE_RPC_URL,
      arbitrum: env.ARBITRUM_RPC_URL,
      bsc: env.BSC_RPC_URL,
      polygon: env.POLYGON_RPC_URL,
    } satisfies Record<ChainName, string | undefined>),
    toJSON: () => '[redacted]',
  };
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    metrics: Object.freeze({
      host: env.METRICS_HOST,
      port: env.METRICS_PORT ?? (env.PORT === 0 ? 0 : DEFAULT_METRICS_PORT),
    }),
    logLevel: env.LOG_LEVEL,
    trustProxy: env.TRUST_PROXY ?? false,
    bodies: Object.freeze({
      bytesInFlightPerAddress: env.BODY_BYTES_IN_FLIGHT_PER_ADDRESS,
      bytesInFlight: env.BODY_BYTES_IN_FLIGHT,
      anonymousBytesPerMinute: env.ANONYMOUS_BODY_BYTES_PER_MINUTE,
    }),
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    coreUrl: env.CORE_URL.replace(/\/+$/, ''),
    maxTriggersPerUser: env.MAX_TRIGGERS_PER_USER,
    runs: Object.freeze({
      maxConcurrent: env.MAX_CONCURRENT_RUNS,
      maxConcurrentPerUser: env.MAX_CONCURRENT_RUNS_PER_USER,
      perMinute: env.RUNS_PER_MINUTE_PER_TRIGGER,
      maxQueued: env.MAX_QUEUED_RUNS,
      retentionDays: env.RUN_RETENTION_DAYS,
    }),
    access: Object.freeze({
      pairingsPerMinutePerIp: env.PAIRINGS_PER_MINUTE_PER_IP,
      pairingPollsPerMinutePerIp: env.PAIRING_POLLS_PER_MINUTE_PER_IP,
      loginsPerMinutePerIp: env.LOGINS_PER_MINUTE_PER_IP,
    }),
    webhooks: Object.freeze({
      perMinutePerIp: env.WEBHOOKS_PER_MINUTE_PER_IP,
      perMinutePerUser: env.WEBHOOKS_PER_MINUTE_PER_USER,
    }),
    secrets: Object.freeze(secrets),
  });
}
