/**
 * Runs the whole service on this machine as real processes: PostgreSQL, anvil, the contract, indexer, relayer,
 * triggers, and a stand-in for Stripe.
 */
import { rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '@latchkey/protocol';
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import type { Address, Hex } from 'viem';
import { devAccount } from './accounts.ts';
import { CHAIN_ID, startChain } from './chain.ts';
import { type DatabaseUrls, loadSealingKey, startDatabase } from './database.ts';
import { ensureDeployed } from './deploy.ts';
import type { OutputLine, PartName } from './output.ts';
import { openParts, type Part } from './parts.ts';
import { choosePorts } from './ports.ts';
import { sourceFolders, startReloading } from './reload.ts';
import { root, StackError } from './root.ts';

/** Settings of the stand-in for Stripe: play money. */
const STRIPE_SETTINGS = {
  STRIPE_SECRET_KEY: 'sk_test_local',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_local',
};
const STRIPE_WEBHOOK_SECRET = 'whsec_local';
const STARTER_CREDIT_CENTS = '1000';
/** All clients on this machine share one address. */
const NEW_ACCOUNTS_PER_MINUTE = '600';
const HEALTHY_DEADLINE_MS = 90_000;
const HEALTH_POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 5_000;

export type StackOptions = {
  /** Directory of the kept data: blocks, databases, root secret. Relative to the repository. */
  dataDir: string;
  /** Directory of `<chainId>.json` (default: `deployments` in `dataDir`). Relative to the repository. */
  deploymentsDir?: string;
  /** Default 0: any free port. */
  ports?: {
    relayer?: number;
    indexer?: number;
    chain?: number;
    stripe?: number;
    triggers?: number;
    postgres?: number;
  };
  /**
   * Further settings of indexer, relayer and triggers; the stack's own settings take precedence. With STRIPE_SECRET_KEY
   * the relayer uses Stripe instead of the stand-in.
   */
  env?: Record<string, string | undefined>;
  /** Deletes the data of earlier starts, databases in `dataDir` included. */
  isFresh?: boolean;
  /** Restarts indexer, relayer, triggers and the stand-in for Stripe when their sources change. */
  isReloading?: boolean;
  onOutput?: (output: OutputLine) => void;
  /** Aborts the start. */
  signal?: AbortSignal;
};

export type Stack = {
  /** URL of the relayer: `http://host:port`. */
  url: string;
  /** URL of the HTTP API: `url` and its prefix. */
  baseUrl: string;
  rpcUrl: string;
  wsUrl: string;
  indexerUrl: string;
  /** URL of the trigger service: `http://host:port`. */
  triggersUrl: string;
  /** Database URLs of the services, with their passwords. */
  databaseUrls: DatabaseUrls;
  /** URL of the relayer's metrics. */
  metricsUrl: string;
  triggersMetricsUrl: string;
  /** URL of the stand-in for Stripe, and the relayer's settings for it. */
  stripeUrl: string;
  stripeSettings: Record<string, string>;
  chainId: number;
  contractAddress: Address;
  deployment: Deployment;
  /** Key of the owner and deployer: the chain's account 0. */
  ownerKey: Hex;
  /** Keys of the relayer's payers: accounts 1 and 2. */
  payerKeys: Hex[];
  /** Absolute path. */
  dataDir: string;
  /** Process ids of the parts; each leads its process group. */
  pids: Record<'postgres' | 'chain' | 'indexer' | 'stripe' | 'relayer' | 'triggers', number>;
  /** Resolves when a part ended by itself, after all others were stopped too. */
  failed: Promise<StackError>;
  /** Stops the parts in reverse order; resolves when all are gone. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * Starts with the data in `dataDir`, or from nothing. Resolves when every part is healthy. Throws a StackError that
 * names the failed part, after stopping everything that was started.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { onOutput = () => {}, signal } = options;
  const dataDir = resolve(root, options.dataDir);
  const deploymentsDir = resolve(root, options.deploymentsDir ?? join(dataDir, 'deployments'));
  const log = (line: string) => onOutput({ part: 'stack', line });
  // The compiler behind forge starts with `env node`.
  const env = { HOME: process.env.HOME, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

  // Before this promise has a listener, a part that ends must not be an unhandled rejection.
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const abort = () => broken.reject(new StackError('The start was interrupted.'));
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  const unlessBroken = <T>(work: Promise<T>): Promise<T> => Promise.race([work, broken.promise]);

  const watch = (part: Part): void => {
    void part.exited.then((exit) => {
      if (part.isStopping()) return;
      const lines = part.tail();
      broken.reject(new StackError(`The ${part.name} ended with ${exit}.${lines && `\n${lines}`}`));
    });
  };

  // All parts inherit the umask.
  openPrivateDirectory(dataDir, (message, { count, example }) =>
    log(`${message}: ${count}, ${example} first`),
  );
  await using started = new AsyncDisposableStack();
  const over = new AbortController();
  started.defer(() => over.abort());
  const parts = started.use(await openParts(dataDir, onOutput));
  const ports = await choosePorts({
    relayer: options.ports?.relayer ?? 0,
    indexer: options.ports?.indexer ?? 0,
    chain: options.ports?.chain ?? 0,
    stripe: options.ports?.stripe ?? 0,
    triggers: options.ports?.triggers ?? 0,
    postgres: options.ports?.postgres ?? 0,
    relayerMetrics: 0,
    triggersMetrics: 0,
  });
  if (options.isFresh) {
    log(`deleting the blocks, databases and keys in ${relative(root, dataDir)}`);
    const kept = ['chain', 'postgres', 'stripe', 'relayer', 'triggers', 'broadcast'].map((name) =>
      join(dataDir, name),
    );
    for (const path of [...kept, join(deploymentsDir, `${CHAIN_ID}.json`)]) {
      await rm(path, { recursive: true, force: true });
    }
  }
  const urlAt = (port: number) => `http://127.0.0.1:${port}`;
  const [rpcUrl, indexerUrl, url] = [urlAt(ports.chain), urlAt(ports.indexer), urlAt(ports.relayer)];
  const [stripeUrl, triggersUrl] = [urlAt(ports.stripe), urlAt(ports.triggers)];
  const baseUrl = `${url}/core/v1`;
  const wsUrl = `ws://127.0.0.1:${ports.chain}`;

  const postgres = await startDatabase(parts, {
    directory: join(dataDir, 'postgres'),
    port: ports.postgres,
    env,
  });
  started.defer(postgres.part.stop);
  watch(postgres.part);
  const chain = await startChain(parts, { directory: join(dataDir, 'chain'), port: ports.chain, env });
  started.defer(chain.stop);
  watch(chain.part);
  await unlessBroken(becomesHealthy('chain', () => chain.client.getBlockNumber(), over.signal));
  await unlessBroken(becomesHealthy('postgres', postgres.createDatabases, over.signal));

  const owner = devAccount(0);
  const payers = [devAccount(1), devAccount(2)];
  const deployment = await unlessBroken(
    ensureDeployed(parts, { chain, rpcUrl, deploymentsDir, dataDir, owner, payers, env, log }),
  );

  const services = {
    STARTER_CREDIT_CENTS,
    NEW_ACCOUNTS_PER_MINUTE,
    // Avoids stripping and compiling the same sources at every start.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...options.env,
    ...env,
    RPC_URL: rpcUrl,
    WS_RPC_URL: wsUrl,
    CHAIN_ID: String(CHAIN_ID),
    DEPLOYMENTS_DIR: deploymentsDir,
    HOST: '127.0.0.1',
  };
  const service = async (
    name: 'indexer' | 'stripe' | 'relayer' | 'triggers',
    settings: Record<string, string>,
    script = `${name}/src/main.ts`,
  ): Promise<Part> => {
    const start = () =>
      parts.start(name, process.execPath, [script], {
        env: { ...services, DATA_DIR: join(dataDir, name), ...settings },
      });
    const part = options.isReloading
      ? await startReloading({ start, folders: sourceFolders(dirname(dirname(script))), log })
      : await start();
    started.defer(part.stop);
    watch(part);
    return part;
  };
  const indexer = await service('indexer', {
    PORT: String(ports.indexer),
    DATABASE_URL: postgres.urls.indexer,
  });
  const stripe = await service(
    'stripe',
    {
      PORT: String(ports.stripe),
      ...STRIPE_SETTINGS,
      WEBHOOK_URL: `${baseUrl}/billing/webhook`,
      WEBHOOK_SECRETS: STRIPE_WEBHOOK_SECRET,
      STATE_FILE: join(dataDir, 'stripe', 'state.json'),
    },
    'packages/stripe-stand-in/src/main.ts',
  );
  const stripeSettings = {
    ...STRIPE_SETTINGS,
    STRIPE_WEBHOOK_SECRETS: STRIPE_WEBHOOK_SECRET,
    STRIPE_API_URL: stripeUrl,
  };
  // Actions can reach the local chain under either name.
  const actionAddresses = [`127.0.0.1:${ports.chain}`, `localhost:${ports.chain}`];
  if (options.env?.ACTION_ALLOWED_ADDRESSES) actionAddresses.push(options.env.ACTION_ALLOWED_ADDRESSES);
  const usesStandIn = !options.env?.STRIPE_SECRET_KEY;
  const relayer = await service('relayer', {
    PORT: String(ports.relayer),
    METRICS_PORT: String(ports.relayerMetrics),
    DATABASE_URL: postgres.urls.relayer,
    ...(usesStandIn && stripeSettings),
    INDEXER_URL: indexerUrl,
    ACTION_ALLOWED_ADDRESSES: actionAddresses.join(','),
    PAYER_PRIVATE_KEYS: payers.map(({ privateKey }) => privateKey).join(','),
  });
  const triggers = await service('triggers', {
    PORT: String(ports.triggers),
    METRICS_PORT: String(ports.triggersMetrics),
    RELAYER_URL: url,
    SERVICE_RPC_URL: wsUrl,
    DATABASE_URL: postgres.urls.triggers,
    SEALING_KEYS:
      options.env?.SEALING_KEYS || (await loadSealingKey(join(dataDir, 'triggers', 'sealing-key'))),
  });
  for (const [name, address] of [
    ['indexer', indexerUrl],
    ['stripe', stripeUrl],
    ['relayer', url],
    ['triggers', triggersUrl],
  ] as const) {
    await unlessBroken(becomesHealthy(name, () => answersHealthy(`${address}/health`), over.signal));
    log(`${name} is healthy`);
  }

  const running = started.move();
  signal?.removeEventListener('abort', abort);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= running.disposeAsync();
    return closing;
  };
  const failed = broken.promise.catch(async (error: StackError) => {
    await close();
    return error;
  });
  return {
    url,
    baseUrl,
    rpcUrl,
    wsUrl,
    indexerUrl,
    triggersUrl,
    databaseUrls: postgres.urls,
    metricsUrl: `${urlAt(ports.relayerMetrics)}/metrics`,
    triggersMetricsUrl: `${urlAt(ports.triggersMetrics)}/metrics`,
    stripeUrl,
    stripeSettings,
    chainId: CHAIN_ID,
    contractAddress: deployment.address,
    deployment,
    ownerKey: owner.privateKey,
    payerKeys: payers.map(({ privateKey }) => privateKey),
    dataDir,
    pids: {
      postgres: postgres.part.pid,
      chain: chain.part.pid,
      indexer: indexer.pid,
      stripe: stripe.pid,
      relayer: relayer.pid,
      triggers: triggers.pid,
    },
    failed,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Polls until `check` resolves. Throws a StackError with the last error after a deadline or when aborted. */
async function becomesHealthy(
  name: PartName,
  check: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + HEALTHY_DEADLINE_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (cause) {
      if (Date.now() > deadline) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new StackError(`The ${name} did not become healthy: ${reason}`, { cause });
      }
    }
    await delay(HEALTH_POLL_MS, undefined, { signal });
  }
}

async function answersHealthy(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
  if (!response.ok)
    throw new Error(`${url} returned ${response.status} ${(await response.text()).slice(0, 500)}`);
  await response.body?.cancel();
}
