import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import {
  addresses,
  type CrossCheck,
  defineSettings,
  digits,
  directory,
  hex32,
  httpUrl,
  integer,
  list,
  logLevel,
  repository,
  tracingSettings,
} from '@latchkey/service/settings';
import { z } from 'zod';
import { wallNames } from './processes/walls.ts';

const areDnsServers = (servers: string[]): boolean => {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
};

/** Returns undefined when one is malformed. */
const blockListOf = (networks: string[]): BlockList | undefined => {
  const blocked = new BlockList();
  try {
    for (const network of networks) {
      const [, address = '', prefix] = /^([^/]*)(?:\/(\d+))?$/.exec(network) ?? [];
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (prefix === undefined) blocked.addAddress(address, family);
      else blocked.addSubnet(address, Number(prefix), family);
    }
    return blocked;
  } catch {
    return undefined;
  }
};

/** `.env.example` documents each setting. */
export const environment = z.object({
  RUNNER_LISTEN: z.string().default('.data/runner/socket'),
  RUNNER_TOKEN: z.string().min(32, 'expected at least 32 characters').optional(),
  RUNNER_TLS_CERT_FILE: z.string().optional(),
  RUNNER_TLS_KEY_FILE: z.string().optional(),
  KEY_GROUP: z
    .string()
    .transform(list)
    .pipe(
      z.tuple(
        [hex32, hex32, z.string().regex(/^0[23][0-9a-f]{64}$/, 'expected 66 hex digits')],
        'expected three public keys: npm run keys -- status prints them',
      ),
    )
    .optional(),
  RUNNER_IDENTITY: hex32.optional(),
  DSTACK_SOCKET: z.string().optional(),
  LOG_LEVEL: logLevel,
  ...tracingSettings,
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: digits(0, 65_535).optional().meta({ minimum: 0, maximum: 65_535 }),
  RUNTIME_POOL_SIZE: integer(1, 256, 4),
  MAX_CONCURRENT_RUNS: integer(1, 1_024, 32),
  MAX_CONCURRENT_RUNS_PER_ACCOUNT: integer(1, 1_024, 8),
  DRAIN_TIMEOUT_SEC: integer(0, 3_600, 120),
  RUNNER_REQUIRE_WALLS: z
    .string()
    .default('files')
    .transform((text) => (text === 'none' ? [] : list(text)))
    .pipe(z.array(z.enum(wallNames, `expected none, or a list of ${wallNames.join(', ')}`))),
  RUN_TIMEOUT_MS: integer(100, 3_600_000, 900_000),
  RUN_MEMORY_LIMIT_MB: integer(16, 4_096, 64),
  IMPORT_CDN_URL: httpUrl.default('https://cdn.jsdelivr.net/npm'),
  IMPORT_CACHE_DIR: directory('.data/runner/imports'),
  IMPORT_CACHE_MB: integer(16, 1_048_576, 1_024),
  ACTION_DNS_SERVERS: z
    .string()
    .transform(list)
    .refine(areDnsServers, 'expected IP addresses, each with an optional port: 192.0.2.1, [2001:db8::1]:53')
    .optional(),
  ACTION_ALLOWED_ADDRESSES: addresses.optional(),
  ACTION_FORBIDDEN_ADDRESSES: z
    .string()
    .transform(list)
    .transform((networks, context) => {
      const blocked = blockListOf(networks);
      if (!blocked) context.addIssue('expected IP addresses and networks: 198.51.100.7, 2001:db8::/32');
      return blocked ?? z.NEVER;
    })
    .optional(),
});
type Environment = z.output<typeof environment>;

/** Returns the host and port of `host:port`; undefined for a path. */
function portOf(listen: string): { host: string; port: number } | undefined {
  const [, host, port] = /^\[?([^/]*?)\]?:(\d{1,5})$/.exec(listen) ?? [];
  return host && port ? { host, port: Number(port) } : undefined;
}
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

const portHasToken: CrossCheck<Environment> = (env) =>
  portOf(env.RUNNER_LISTEN) && env.RUNNER_TOKEN === undefined
    ? 'RUNNER_TOKEN: required when RUNNER_LISTEN is a port'
    : undefined;
const tlsIsWhole: CrossCheck<Environment> = (env) =>
  (env.RUNNER_TLS_CERT_FILE === undefined) === (env.RUNNER_TLS_KEY_FILE === undefined)
    ? undefined
    : 'RUNNER_TLS_CERT_FILE, RUNNER_TLS_KEY_FILE: set both or none';
const otherHostsUseTls: CrossCheck<Environment> = (env) => {
  const address = portOf(env.RUNNER_LISTEN);
  return address && !isLoopback(address.host) && env.RUNNER_TLS_CERT_FILE === undefined
    ? 'RUNNER_TLS_CERT_FILE: required when RUNNER_LISTEN is not on this machine'
    : undefined;
};

const keysAreWhole: CrossCheck<Environment> = (env) => {
  if (env.RUNNER_IDENTITY !== undefined && env.DSTACK_SOCKET !== undefined)
    return 'RUNNER_IDENTITY: not used with DSTACK_SOCKET, which makes an identity that only the enclave knows';
  return env.KEY_GROUP !== undefined && env.RUNNER_IDENTITY === undefined && env.DSTACK_SOCKET === undefined
    ? 'KEY_GROUP: needs RUNNER_IDENTITY or DSTACK_SOCKET'
    : undefined;
};

/** The settings of one runner, frozen. `secrets` never appear in JSON or logs. */
export type Config = ReturnType<typeof configFrom>;

export const secretVariables = [
  'RUNNER_TOKEN',
  'RUNNER_IDENTITY',
] as const satisfies readonly (keyof Environment)[];

export const { load: loadConfig, take: takeConfig } = defineSettings({
  schema: environment,
  crossChecks: [portHasToken, tlsIsWhole, otherHostsUseTls, keysAreWhole],
  secrets: secretVariables,
  configFrom,
});

function configFrom(env: Environment) {
  const tls =
    env.RUNNER_TLS_CERT_FILE !== undefined && env.RUNNER_TLS_KEY_FILE !== undefined
      ? { certFile: env.RUNNER_TLS_CERT_FILE, keyFile: env.RUNNER_TLS_KEY_FILE }
      : undefined;
  return Object.freeze({
    listen: portOf(env.RUNNER_LISTEN) ?? { path: resolve(repository, env.RUNNER_LISTEN) },
    readTls: () =>
      tls && { cert: readFileSync(tls.certFile, 'utf8'), key: readFileSync(tls.keyFile, 'utf8') },
    keyGroup: env.KEY_GROUP && {
      evaluations: env.KEY_GROUP[0],
      signing: { ed25519: env.KEY_GROUP[1], secp256k1: env.KEY_GROUP[2] },
    },
    dstackSocket: env.DSTACK_SOCKET,
    logLevel: env.LOG_LEVEL,
    metrics: Object.freeze({ host: env.METRICS_HOST, port: env.METRICS_PORT }),
    requiredWalls: env.RUNNER_REQUIRE_WALLS,
    imports: Object.freeze({
      cdnUrl: env.IMPORT_CDN_URL,
      directory: env.IMPORT_CACHE_DIR,
      maxBytes: env.IMPORT_CACHE_MB * 2 ** 20,
    }),
    drainTimeoutMs: env.DRAIN_TIMEOUT_SEC * 1_000,
    runtime: Object.freeze({
      poolSize: env.RUNTIME_POOL_SIZE,
      maxConcurrentRuns: env.MAX_CONCURRENT_RUNS,
      maxConcurrentRunsPerAccount: env.MAX_CONCURRENT_RUNS_PER_ACCOUNT,
      timeoutMs: env.RUN_TIMEOUT_MS,
      memoryLimitMb: env.RUN_MEMORY_LIMIT_MB,
      fetch: Object.freeze({
        dnsServers: env.ACTION_DNS_SERVERS,
        allowedAddresses: env.ACTION_ALLOWED_ADDRESSES ?? [],
        forbiddenAddresses: env.ACTION_FORBIDDEN_ADDRESSES ?? new BlockList(),
      }),
    }),
    secrets: Object.freeze({
      token: env.RUNNER_TOKEN,
      identity: env.RUNNER_IDENTITY,
      toJSON: () => '[redacted]',
    }),
  });
}
