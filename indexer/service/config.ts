import type { Deployment } from '@latchkey/protocol';
import { readDeployment } from '@latchkey/service/deployment';
import {
  databaseSettings,
  defineSettings,
  digits,
  directory,
  httpUrl,
  integer,
  logLevel,
  tracingSettings,
  websocketUrl,
} from '@latchkey/service/settings';
import { z } from 'zod';

/** `.env.example` says what each setting means. */
export const environment = z.object({
  RPC_URL: httpUrl,
  WS_RPC_URL: websocketUrl.optional(),
  CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER, 31_337),
  DEPLOYMENTS_DIR: directory('deployments'),
  ...databaseSettings('latchkey_indexer'),
  DATABASE_POOL_SIZE: integer(6, 200, 30),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 42_069),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: digits(0, 65_535).optional().meta({ minimum: 0, maximum: 65_535 }),
  LOG_LEVEL: logLevel,
  ...tracingSettings,
});

export type Config = {
  rpcUrl: string;
  wsRpcUrl: string | undefined;
  databaseUrl: string;
  databasePoolSize: number;
  host: string;
  port: number;
  metrics: { host: string; port: number | undefined };
  logLevel: string;
  deployment: Deployment;
};

/** URLs that can contain credentials. */
export const secretVariables = [
  'RPC_URL',
  'WS_RPC_URL',
  'DATABASE_URL',
] as const satisfies readonly (keyof z.output<typeof environment>)[];

/** Reads the environment and the deployment file. Throws `ConfigError`. */
export const { load: loadConfig } = defineSettings({
  schema: environment,
  secrets: secretVariables,
  configFrom,
});

function configFrom(data: z.output<typeof environment>): Readonly<Config> {
  const deployment = readDeployment(data.DEPLOYMENTS_DIR, data.CHAIN_ID);
  return Object.freeze({
    rpcUrl: data.RPC_URL,
    wsRpcUrl: data.WS_RPC_URL,
    databaseUrl: data.DATABASE_URL,
    databasePoolSize: data.DATABASE_POOL_SIZE,
    host: data.HOST,
    port: data.PORT,
    metrics: { host: data.METRICS_HOST, port: data.METRICS_PORT },
    logLevel: data.LOG_LEVEL,
    deployment,
  });
}
