/** A relayer for one test in addition to the shared one: the same chain, another database, other settings. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@latchkey/http';
import { stack } from '@latchkey/testing/stack';
import { generatePrivateKey } from 'viem/accounts';
import { createApp } from '../src/app.ts';
import { type Context, openContext } from '../src/context.ts';
import { loadConfig } from '../src/index.ts';
import { createRelayerDatabase } from './database.ts';

/**
 * Starts the relayer. The contract does not know its payer unless the settings name another one. `parts` replace those that its
 * handlers use.
 */
export async function ownRelayer(settings: Record<string, string> = {}, parts: Partial<Context> = {}) {
  const database = await createRelayerDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'relayer-'));
  const { chainId, contractAddress: address } = stack;
  await writeFile(
    join(directory, `${chainId}.json`),
    JSON.stringify({ chainId, address, startBlock: 0, facets: {} }),
  );
  const start = async () => {
    const config = loadConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      RPC_URL: stack.rpcUrl,
      CHAIN_ID: String(chainId),
      DEPLOYMENTS_DIR: directory,
      DATABASE_URL: database.url,
      DATA_DIR: join(directory, 'data'),
      INDEXER_URLS: stack.indexerUrl,
      PAYER_PRIVATE_KEYS: generatePrivateKey(),
      ROOT_SECRET_PASSPHRASE: 'test',
      RUNNER_URLS: stack.runnerUrl,
      ...stack.keyNodeSettings,
      ...stack.stripeSettings,
      PAYMENT_REQUESTS_PER_MINUTE: '100000',
      UNKNOWN_KEYS_PER_MINUTE: '1000000',
      ...settings,
    });
    const opened = await openContext(config);
    Object.assign(opened.context, parts);
    return serve(opened, createApp, config);
  };
  let relayer = await start();
  return {
    databaseUrl: database.url,
    get url() {
      return relayer.url;
    },
    /** Stops the relayer as a signal does. */
    stop: () => relayer.close(),
    /** Starts it again on the same data, after `stop`. */
    async restart() {
      relayer = await start();
    },
    /** Starts another relayer on the same database. */
    async sibling() {
      const other = await start();
      return { url: other.url, [Symbol.asyncDispose]: () => other.close() };
    },
    async [Symbol.asyncDispose]() {
      await relayer.close();
      await database[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
