/**
 * Runs the whole service on this machine as real processes: PostgreSQL, anvil, the contract, indexer, runner, relayer,
 * triggers, and a stand-in for Stripe.
 */
import { dirname, join } from 'node:path';
import { bundle, serviceOptions } from '@latchkey/bundle';
import { serveDashboard } from '@latchkey/dashboard-server';
import { type Deployment, LOCAL_CHAIN_ID } from '@latchkey/protocol';
import type { Address, Hex } from 'viem';
import { devAccount } from './accounts.ts';
import { type Chain, startChain } from './chain.ts';
import { checkSettings } from './check-settings.ts';
import { buildDashboard, distDir } from './dashboard.ts';
import { deleteData } from './data-dir.ts';
import { type DatabaseUrls, loadSecret, type Postgres, startDatabase } from './database.ts';
import { ensureDeployed } from './deploy.ts';
import { answersHealthy } from './healthy.ts';
import { keepRunning } from './keep-running.ts';
import { type KeyNodeName, type KeySettings, keyNodeScript, startKeyNodes } from './key-nodes.ts';
import { choosePorts } from './ports.ts';
import { publishReceiptSigner } from './receipt-signer.ts';
import { sourceFolders, startReloading } from './reload.ts';
import type { StackError } from './root.ts';
import {
  NODE_COMPILE_CACHE,
  OPERATOR_TOKEN,
  type Ports,
  type ServiceName,
  type ServiceSettingsOptions,
  serviceNames,
  serviceSettings,
  stripeSettings,
  traceSettings,
  urlsOf,
} from './service-settings.ts';
import { beginStart, type StackOptions, type Start } from './start.ts';
import { timed } from './timed.ts';

const scripts: Record<ServiceName, string> = {
  indexer: 'indexer/src/main.ts',
  stripe: 'packages/stripe-stand-in/src/main.ts',
  runner: 'runner/src/main.ts',
  relayer: 'relayer/src/main.ts',
  triggers: 'triggers/src/main.ts',
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
  operatorToken: string;
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

const anyPorts: Ports = {
  relayer: 0,
  indexer: 0,
  chain: 0,
  stripe: 0,
  triggers: 0,
  postgres: 0,
  dashboard: 0,
  relayerMetrics: 0,
  triggersMetrics: 0,
  keynode1: 0,
  keynode2: 0,
  keynode3: 0,
};

const owner = devAccount(0);
const payers = [devAccount(1), devAccount(2)];
const payerKeys = payers.map(({ privateKey }) => privateKey);

/**
 * Starts with the data in `dataDir`, or from nothing. Resolves when every part is healthy. Throws a StackError that
 * names the failed part, after stopping everything that was started.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  await using started = new AsyncDisposableStack();
  const start = await beginStart(options, started);
  const { dataDir, unlessBroken } = start;
  const ports = await choosePorts({ ...anyPorts, ...options.ports });
  const urls = urlsOf(ports);
  if (options.isFresh) await deleteData(start, start.log);
  // Runs while the services start: it takes some seconds when the sources have changed.
  const built = buildDashboard(start.over);
  built.catch(() => {});
  void Promise.allSettled([bundle(keyNodeScript), ...serviceNames.map((name) => programOf(name, options))]);

  const base = await startBase(start, options, ports);
  const { deployment } = base;
  const keys = await startServices(start, options, base);
  await timed('dashboard built', start.log, () => unlessBroken(built));
  const dashboard = started.use(
    await serveDashboard({
      directory: distDir,
      host: '127.0.0.1',
      port: ports.dashboard,
      dashboard: {
        ...{ relayerUrl: urls.relayer, triggersUrl: urls.triggers, indexerUrl: urls.indexer },
        ...{ rpcUrl: urls.chain, contractAddress: deployment.address },
        ...(!options.env?.STRIPE_SECRET_KEY && { stripeJsUrl: `${urls.stripe}/v3/` }),
      },
    }),
  );
  await publishReceiptSigner({
    relayerUrl: urls.relayer,
    rpcUrl: urls.chain,
    contract: deployment.address,
    ownerKey: owner.privateKey,
  });
  start.finish();
  return {
    ...runningStack(start, started.move()),
    ...describe(base, keys),
    dashboardUrl: dashboard.url,
    dataDir,
  };
}

function runningStack({ broken, pids }: Start, running: AsyncDisposableStack) {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= running.disposeAsync();
    return closing;
  };
  const failed = broken.catch(async (error: StackError) => {
    await close();
    return error;
  });
  return { pids: pids as Stack['pids'], failed, close, [Symbol.asyncDispose]: close };
}

function describe({ settings, postgres, deployment }: Base, keys: KeySettings) {
  const urls = urlsOf(settings.ports);
  return {
    url: urls.relayer,
    baseUrl: `${urls.relayer}/core/v1`,
    rpcUrl: urls.chain,
    wsUrl: urls.chainWs,
    indexerUrl: urls.indexer,
    triggersUrl: urls.triggers,
    databaseUrls: postgres.urls,
    metricsUrl: urls.relayerMetrics,
    runnerUrl: `unix:${settings.runnerSocket}`,
    keyNodeSettings: keys.relayer,
    runnerKeySettings: keys.runner,
    triggersMetricsUrl: urls.triggersMetrics,
    stripeUrl: urls.stripe,
    stripeSettings: stripeSettings(urls),
    chainId: LOCAL_CHAIN_ID,
    contractAddress: deployment.address,
    deployment,
    ownerKey: owner.privateKey,
    payerKeys,
    operatorToken: settings.operatorToken,
  };
}

/** Returns the program of a service: its sources for `npm run dev`, otherwise a bundle. */
const programOf = async (name: ServiceName, { isReloading }: StackOptions): Promise<string> =>
  isReloading ? scripts[name] : bundle(scripts[name]);

type Base = { settings: ServiceSettingsOptions; postgres: Postgres; chain: Chain; deployment: Deployment };

/** Starts PostgreSQL and the chain with the contract. */
async function startBase(start: Start, options: StackOptions, ports: Ports): Promise<Base> {
  const { dataDir, deploymentsDir, env, log, parts } = start;
  const postgres = await startDatabase(parts, {
    directory: join(dataDir, 'postgres'),
    port: ports.postgres,
    env,
  });
  start.keep(postgres.part);
  const settings = {
    ports,
    dataDir,
    deploymentsDir,
    payerKeys,
    databaseUrls: postgres.urls,
    runnerSocket: join(dataDir, 'runner', 'socket'),
    sealingKey: await loadSecret(join(dataDir, 'triggers', 'sealing-key')),
    operatorToken: await loadSecret(join(dataDir, OPERATOR_TOKEN)),
    env: options.env ?? {},
  };
  // Runs while the chain and PostgreSQL start: it takes a second.
  const checked = checkSettings(settings);
  checked.catch(() => {});
  const chain = await startChain(parts, {
    directory: join(dataDir, 'chain'),
    port: ports.chain,
    env,
    isTemporary: options.isTemporary ?? false,
  });
  start.keep(chain.part, chain.stop);
  await timed('PostgreSQL and chain started', log, async () => {
    await start.becomesHealthy('chain', () => chain.client.getBlockNumber());
    await start.becomesHealthy('postgres', postgres.createDatabases);
    await checked;
  });
  const rpcUrl = urlsOf(ports).chain;
  const deployment = await start.unlessBroken(
    ensureDeployed(parts, { chain, rpcUrl, deploymentsDir, dataDir, owner, payers, env, log }),
  );
  return { settings, postgres, chain, deployment };
}

/** Starts the key nodes and the services. Resolves when all are healthy. */
async function startServices(start: Start, options: StackOptions, base: Base): Promise<KeySettings> {
  const { log, parts } = start;
  const urls = urlsOf(base.settings.ports);
  const keyNodes = await startKeyNodes(parts, {
    chain: base.chain,
    rpcUrl: urls.chain,
    wsUrl: urls.chainWs,
    contract: base.deployment.address,
    ownerKey: owner.privateKey,
    deploymentsDir: start.deploymentsDir,
    directory: join(start.dataDir, 'keynodes'),
    ports: base.settings.ports,
    env: {
      ...start.env,
      ...traceSettings(options.env ?? {}),
      NODE_COMPILE_CACHE,
      LOG_LEVEL: options.env?.LOG_LEVEL,
    },
    log,
  });
  for (const part of keyNodes.parts) start.keep(part);
  let isUp = false;
  keyNodes.tooFew.catch((error: unknown) => isUp || start.fail(error));
  const ready = keyNodes.ready();
  ready.catch(() => {});
  await timed('services started', log, async () => {
    for (const name of serviceNames) {
      // The parts before it start while the key is generated.
      const needsKeys = serviceNames.indexOf(name) >= serviceNames.indexOf('runner');
      const keys = needsKeys ? { keys: await start.unlessBroken(ready) } : {};
      await startService(start, name, options, serviceSettings({ ...base.settings, ...keys }));
    }
    // The relayer is healthy when it is connected to the runner.
    for (const name of serviceNames.filter((name) => name !== 'runner'))
      await start.becomesHealthy(name, () => answersHealthy(`${urls[name]}/health`));
  });
  isUp = true;
  return ready;
}

async function startService(
  { parts, log, keep, unlessBroken }: Start,
  name: ServiceName,
  options: StackOptions,
  settings: ReturnType<typeof serviceSettings>,
): Promise<void> {
  const path = await unlessBroken(programOf(name, options));
  const drainMs =
    name === 'relayer' || name === 'runner' ? Number(settings.relayer.DRAIN_TIMEOUT_SEC) * 1_000 : 0;
  const start = () =>
    parts.start(name, process.execPath, [...serviceOptions, path], { env: settings[name], drainMs });
  const folders = () => sourceFolders(dirname(dirname(scripts[name])));
  if (options.isReloading) keep(await startReloading({ start, folders: folders(), log }));
  else keep(await (name === 'runner' ? keepRunning({ start, log }) : start()));
}
