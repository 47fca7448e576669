/**
 * Runs the whole service on this machine as real processes: PostgreSQL, anvil, the contract, indexer, runner, relayer,
 * triggers, and a stand-in for Stripe.
 */
import { rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundle, serviceOptions } from '@latchkey/bundle';
import type { Deployment } from '@latchkey/protocol';
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import type { Address, Hex } from 'viem';
import { devAccount } from './accounts.ts';
import { CHAIN_ID, startChain } from './chain.ts';
import { checkSettings } from './check-settings.ts';
import { buildDashboard, serveDashboard } from './dashboard.ts';
import { checkDataDir, markDataDir } from './data-dir.ts';
import { type DatabaseUrls, loadSealingKey, startDatabase } from './database.ts';
import { ensureDeployed } from './deploy.ts';
import { keepRunning } from './keep-running.ts';
import { type KeyNodeName, type KeySettings, keyNodeScript, startKeyNodes } from './key-nodes.ts';
import type { OutputLine, PartName } from './output.ts';
import { openParts, type Part } from './parts.ts';
import { choosePorts } from './ports.ts';
import { publishReceiptSigner } from './receipt-signer.ts';
import { sourceFolders, startReloading } from './reload.ts';
import { root, StackError } from './root.ts';
import {
  baseEnv,
  NODE_COMPILE_CACHE,
  type ServiceName,
  serviceNames,
  serviceSettings,
  stripeSettings,
  urlsOf,
} from './service-settings.ts';

const scripts: Record<ServiceName, string> = {
  indexer: 'indexer/src/main.ts',
  stripe: 'packages/stripe-stand-in/src/main.ts',
  runner: 'runner/src/main.ts',
  relayer: 'relayer/src/main.ts',
  triggers: 'triggers/src/main.ts',
};
const HEALTHY_DEADLINE_MS = 90_000;
const HEALTH_POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 5_000;

export type StackOptions = {
  /**
   * Directory of the kept data: blocks, databases, root secret. Relative to the repository. Must be missing, empty, or of an earlier
   * stack.
   */
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
    dashboard?: number;
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
  /** A killed chain loses its blocks. Without this it is written while it runs, and answers nothing meanwhile. */
  isTemporary?: boolean;
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
  /** URL of the dashboard: `http://host:port`. */
  dashboardUrl: string;
  /** Database URLs of the services, with their passwords. */
  databaseUrls: DatabaseUrls;
  /** URL of the relayer's metrics. */
  metricsUrl: string;
  /** The runner, as in the relayer's RUNNER_URLS. */
  runnerUrl: string;
  /** The relayer's settings for the key nodes. */
  keyNodeSettings: Record<string, string>;
  /** The runner's settings for the key nodes. */
  runnerKeySettings: Record<string, string>;
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
  pids: Record<'postgres' | 'chain' | KeyNodeName | ServiceName, number>;
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
  const env = baseEnv();

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

  checkDataDir(dataDir);
  // All parts inherit the umask.
  openPrivateDirectory(dataDir, (message, { count, example }) =>
    log(`${message}: ${count}, ${example} first`),
  );
  markDataDir(dataDir);
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
    dashboard: options.ports?.dashboard ?? 0,
    relayerMetrics: 0,
    triggersMetrics: 0,
    keynode1: 0,
    keynode2: 0,
    keynode3: 0,
  });
  if (options.isFresh) {
    log(`deleting the blocks, databases and keys in ${relative(root, dataDir)}`);
    const kept = [
      'chain',
      'postgres',
      'stripe',
      'keynodes',
      'runner',
      'relayer',
      'triggers',
      'broadcast',
    ].map((name) => join(dataDir, name));
    for (const path of [...kept, join(deploymentsDir, `${CHAIN_ID}.json`)]) {
      await rm(path, { recursive: true, force: true });
    }
  }
  const urls = urlsOf(ports);
  // Takes some seconds when its sources have changed: the services start meanwhile.
  const built = buildDashboard(over.signal);
  built.catch(() => {});
  // `npm run dev` starts what has just changed.
  const program = async (name: ServiceName): Promise<string> =>
    options.isReloading ? scripts[name] : bundle(scripts[name]);
  void Promise.allSettled([bundle(keyNodeScript), ...serviceNames.map(program)]);

  const postgres = await startDatabase(parts, {
    directory: join(dataDir, 'postgres'),
    port: ports.postgres,
    env,
  });
  started.defer(postgres.part.stop);
  watch(postgres.part);
  const owner = devAccount(0);
  const payers = [devAccount(1), devAccount(2)];
  const payerKeys = payers.map(({ privateKey }) => privateKey);
  const runnerSocket = join(dataDir, 'runner', 'socket');
  const settingsOptions = {
    ports,
    runnerSocket,
    databaseUrls: postgres.urls,
    dataDir,
    deploymentsDir,
    payerKeys,
    sealingKey: await loadSealingKey(join(dataDir, 'triggers', 'sealing-key')),
    env: options.env ?? {},
  };
  // Takes a second: the chain and PostgreSQL start meanwhile.
  const checked = checkSettings(settingsOptions);
  checked.catch(() => {});
  const chain = await startChain(parts, {
    directory: join(dataDir, 'chain'),
    port: ports.chain,
    env,
    isTemporary: options.isTemporary ?? false,
  });
  started.defer(chain.stop);
  watch(chain.part);
  const pids: Partial<Record<PartName, number>> = { postgres: postgres.part.pid, chain: chain.part.pid };
  await unlessBroken(becomesHealthy('chain', () => chain.client.getBlockNumber(), over.signal));
  await unlessBroken(becomesHealthy('postgres', postgres.createDatabases, over.signal));

  await checked;

  const deployment = await unlessBroken(
    ensureDeployed(parts, { chain, rpcUrl: urls.chain, deploymentsDir, dataDir, owner, payers, env, log }),
  );

  const keyNodes = await startKeyNodes(parts, {
    chain,
    rpcUrl: urls.chain,
    wsUrl: urls.chainWs,
    contract: deployment.address,
    ownerKey: owner.privateKey,
    deploymentsDir,
    directory: join(dataDir, 'keynodes'),
    ports,
    env: { ...env, NODE_COMPILE_CACHE, LOG_LEVEL: options.env?.LOG_LEVEL },
    log,
  });
  for (const part of keyNodes.parts) {
    started.defer(part.stop);
    watch(part);
    pids[part.name] = part.pid;
  }
  let settings = serviceSettings(settingsOptions);
  let isUp = false;
  keyNodes.tooFew.catch((error: unknown) => isUp || broken.reject(error));
  const keysReady = keyNodes.ready();
  keysReady.catch(() => {});
  let keys: KeySettings | undefined;
  for (const name of serviceNames) {
    // The parts before it start while the key is generated.
    if (name === 'runner') {
      keys = await unlessBroken(keysReady);
      settings = serviceSettings({ ...settingsOptions, keys });
    }
    const script = scripts[name];
    const path = await unlessBroken(program(name));
    const drainMs =
      name === 'relayer' || name === 'runner' ? Number(settings.relayer.DRAIN_TIMEOUT_SEC) * 1_000 : 0;
    const start = () =>
      parts.start(name, process.execPath, [...serviceOptions, path], { env: settings[name], drainMs });
    const part = await (options.isReloading
      ? startReloading({ start, folders: sourceFolders(dirname(dirname(script))), log })
      : name === 'runner'
        ? keepRunning({ start, log })
        : start());
    started.defer(part.stop);
    watch(part);
    pids[name] = part.pid;
  }
  // The relayer is healthy when it is connected to the runner.
  for (const name of serviceNames.filter((name) => name !== 'runner')) {
    await unlessBroken(becomesHealthy(name, () => answersHealthy(`${urls[name]}/health`), over.signal));
    log(`${name} is healthy`);
  }
  await unlessBroken(built);
  const dashboard = started.use(
    await serveDashboard(
      {
        relayerUrl: urls.relayer,
        triggersUrl: urls.triggers,
        indexerUrl: urls.indexer,
        rpcUrl: urls.chain,
        contractAddress: deployment.address,
        ...(!options.env?.STRIPE_SECRET_KEY && { stripeJsUrl: `${urls.stripe}/v3/` }),
      },
      ports.dashboard,
    ),
  );
  await publishReceiptSigner({
    relayerUrl: urls.relayer,
    rpcUrl: urls.chain,
    contract: deployment.address,
    ownerKey: owner.privateKey,
  });

  isUp = true;
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
    url: urls.relayer,
    baseUrl: `${urls.relayer}/core/v1`,
    rpcUrl: urls.chain,
    wsUrl: urls.chainWs,
    indexerUrl: urls.indexer,
    triggersUrl: urls.triggers,
    dashboardUrl: dashboard.url,
    databaseUrls: postgres.urls,
    metricsUrl: urls.relayerMetrics,
    runnerUrl: `unix:${runnerSocket}`,
    keyNodeSettings: keys?.relayer ?? {},
    runnerKeySettings: keys?.runner ?? {},
    triggersMetricsUrl: urls.triggersMetrics,
    stripeUrl: urls.stripe,
    stripeSettings: stripeSettings(urls),
    chainId: CHAIN_ID,
    contractAddress: deployment.address,
    deployment,
    ownerKey: owner.privateKey,
    payerKeys,
    dataDir,
    pids: pids as Stack['pids'],
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
