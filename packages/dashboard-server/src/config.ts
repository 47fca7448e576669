import { defineSettings, directory, httpUrl, integer } from '@latchkey/service/settings';
import { z } from 'zod';
import type { DashboardConfig } from './headers.ts';

/** `.env.example` says what each setting means. */
export const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 8200),
  DASHBOARD_DIR: directory('dashboard/dist'),
  RELAYER_URL: httpUrl,
  TRIGGERS_URL: httpUrl,
  INDEXER_URL: httpUrl.optional(),
  RPC_URL: httpUrl.optional(),
  CONTRACT_ADDRESS: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'expected 0x and 40 hex digits')
    .optional(),
  STRIPE_JS_URL: httpUrl.optional(),
});

export type DashboardOptions = {
  host: string;
  /** 0 for any free one. */
  port: number;
  /** Directory of the built files. */
  directory: string;
  /** Sent to the page as `config.json`. */
  dashboard: DashboardConfig;
};

/** Reads the environment. Throws `ConfigError`. */
export const { load: loadConfig } = defineSettings({ schema: environment, configFrom });

function configFrom(env: z.output<typeof environment>): DashboardOptions {
  return {
    host: env.HOST,
    port: env.PORT,
    directory: env.DASHBOARD_DIR,
    dashboard: {
      relayerUrl: env.RELAYER_URL,
      triggersUrl: env.TRIGGERS_URL,
      indexerUrl: env.INDEXER_URL,
      rpcUrl: env.RPC_URL,
      contractAddress: env.CONTRACT_ADDRESS,
      stripeJsUrl: env.STRIPE_JS_URL,
    },
  };
}
