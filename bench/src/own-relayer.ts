import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase } from '@latchkey/postgres';
import type { Stack } from '@latchkey/stack';
import { spawnService } from '@latchkey/testing/services';
import type { Hex } from 'viem';

export type OwnRelayer = AsyncDisposable & { baseUrl: string; metricsUrl: string };

type OwnRelayerOptions = {
  rpcUrl?: string;
  databasePort?: number;
  runnerUrl?: string;
};

/** Starts one more relayer beside the stack's, with its own payers and its own database on the same server. */
export async function startOwnRelayer(
  stack: Stack,
  payerKeys: readonly Hex[],
  { rpcUrl = stack.rpcUrl, databasePort, runnerUrl = stack.runnerUrl }: OwnRelayerOptions = {},
): Promise<OwnRelayer> {
  const name = `bench_${randomUUID()}`;
  const database = (path: string, changes: object = {}) =>
    Object.assign(new URL(stack.databaseUrls.relayer), { pathname: `/${path}`, ...changes }).href;
  await createDatabase(database('postgres'), name);
  const dataDir = join(stack.dataDir, name);
  const relayer = await spawnService('relayer', {
    RPC_URL: rpcUrl,
    WS_RPC_URL: stack.wsUrl,
    CHAIN_ID: String(stack.chainId),
    DEPLOYMENTS_DIR: join(stack.dataDir, 'deployments'),
    INDEXER_URLS: stack.indexerUrl,
    RUNNER_URLS: runnerUrl,
    ...stack.keyNodeSettings,
    PAYER_PRIVATE_KEYS: payerKeys.join(','),
    DATABASE_URL: database(name, databasePort === undefined ? {} : { port: String(databasePort) }),
    DATA_DIR: dataDir,
    STARTER_CREDIT_CENTS: '1000000',
    NEW_ACCOUNTS_PER_MINUTE: '600',
  });
  await relayer.ready();
  const onExit = () => console.error(`the second relayer ended\n${relayer.output()}`);
  relayer.child.once('exit', onExit);
  return {
    baseUrl: `${relayer.url}/core/v1`,
    metricsUrl: relayer.metricsUrl,
    async [Symbol.asyncDispose]() {
      relayer.child.off('exit', onExit);
      await relayer.stop('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
