import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Deployment, parseDeployment } from '@latchkey/protocol';
import { z } from 'zod';

const url = (...protocols: string[]) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), 'not a usable URL');

/** An empty variable is an absent one. */
const optional = (schema: z.ZodType<string>) =>
  z.preprocess((value) => value || undefined, schema.optional());

const environment = z.object({
  RPC_URL: url('http:', 'https:'),
  /** Of the same node; without it the head of the chain is polled. */
  WS_RPC_URL: optional(url('ws:', 'wss:')),
  CHAIN_ID: z.coerce.number().int().positive().default(31337),
  DEPLOYMENTS_DIR: z.string().default('deployments'),
  /** A PostgreSQL database of this service's own. */
  DATABASE_URL: url('postgres:', 'postgresql:').default('postgresql://127.0.0.1:5432/latchkey_indexer'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(42069),
});

export type Config = {
  rpcUrl: string;
  wsRpcUrl: string | undefined;
  databaseUrl: string;
  host: string;
  port: number;
  deployment: Deployment;
};

/** A setting or the deployment file is wrong: starting again does not help. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the environment and the deployment file. Throws a ConfigError that lists all mistakes without their values. */
export function loadConfig(env: Record<string, string | undefined>): Readonly<Config> {
  const parsed = environment.safeParse(env);
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error));
  const { data } = parsed;
  const file = resolve(data.DEPLOYMENTS_DIR, join('.', `${data.CHAIN_ID}.json`));
  let deployment: Deployment;
  try {
    deployment = parseDeployment(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new ConfigError(`No deployment in ${file}: ${error instanceof Error ? error.message : error}`);
  }
  if (deployment.chainId !== data.CHAIN_ID) {
    throw new ConfigError(`${file} is of chain ${deployment.chainId}, not of CHAIN_ID ${data.CHAIN_ID}.`);
  }
  return Object.freeze({
    rpcUrl: data.RPC_URL,
    wsRpcUrl: data.WS_RPC_URL,
    databaseUrl: data.DATABASE_URL,
    host: data.HOST,
    port: data.PORT,
    deployment,
  });
}
