/**
 * A small cluster: three relayers and two trigger processes behind balancers, two runners, three key nodes, PostgreSQL, the chain of the contract
 * and another one. Actions can reach one server, which counts their effects.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '@latchkey/testing/balancer';
import { deploy, startChain } from '@latchkey/testing/chain';
import { startKeyNodes } from '@latchkey/testing/key-nodes';
import { childrenOf } from '@latchkey/testing/process-tree';
import { root, temporaryDirectory } from '@latchkey/testing/processes';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import {
  type RunnerProcess,
  type ServiceProcess,
  spawnService,
  startIndexer,
  startRunnerProcess,
} from '@latchkey/testing/services';
import { freePort, until } from '@latchkey/testing/until';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { present, type Version } from './checkout.ts';
import { startPod } from './pods.ts';
import { startClusterPostgres } from './postgres.ts';
import type { Replica } from './replica.ts';

const RELAYERS = 3;
const TRIGGERS = 2;
const RUNNERS = 2;
const PAYERS = 4;
/** The second chain, on which only wallets send. */
const OTHER_CHAIN_ID = 31_338;
/** Shorter than the long runs of the rows about deploys. */
const DRAIN_TIMEOUT_SEC = '2';

const many = '1000000';
const noLimits = {
  relayer: {
    NEW_ACCOUNTS_PER_MINUTE: many,
    NEW_ACCOUNT_GAS_PER_HOUR: '1000000000000',
    UNKNOWN_KEYS_PER_MINUTE: many,
    STARTER_CREDIT_CENTS: many,
  },
  triggers: {
    WEBHOOKS_PER_MINUTE_PER_ADDRESS: many,
    WEBHOOKS_PER_MINUTE_PER_ACCOUNT: many,
    LOGINS_PER_MINUTE_PER_ADDRESS: many,
  },
};

async function startProcess(
  service: 'relayer' | 'triggers',
  settings: Record<string, string>,
  version: Version,
): Promise<Replica> {
  let started = version;
  const port = String(await freePort());
  const processes: ServiceProcess[] = [];
  const replica: Replica = {
    url: `http://127.0.0.1:${port}`,
    async start(next = started) {
      started = next;
      const process = await spawnService(service, { LOG_LEVEL: 'warn', ...settings, PORT: port }, next);
      processes.push(process);
      await process.ready().catch(async (error: unknown) => {
        // It would keep the port.
        await process.stop('SIGKILL');
        throw error;
      });
    },
    stop: async (signal) => void (await processes.at(-1)?.stop(signal)),
    output: () => processes.map(({ output }) => output()).join(''),
    process() {
      const { child, metricsUrl } = processes.at(-1) as ServiceProcess;
      return { pid: child.pid as number, metricsUrl };
    },
  };
  await replica.start();
  return replica;
}

const metricsUrl = (port: string): string => `http://127.0.0.1:${port}/metrics`;

async function startRunner(settings: Record<string, string>, version: Version): Promise<Replica> {
  let started = version;
  const metricsPort = String(await freePort());
  const own = { ...settings, METRICS_PORT: metricsPort };
  const processes: RunnerProcess[] = [await startRunnerProcess(own, undefined, version)];
  const { url } = processes[0] as RunnerProcess;
  return {
    url,
    process: () => ({ pid: processes.at(-1)?.child.pid as number, metricsUrl: metricsUrl(metricsPort) }),
    async start(next = started) {
      started = next;
      processes.push(await startRunnerProcess(own, url, next));
    },
    async stop(signal) {
      const last = processes.at(-1);
      if (signal === 'SIGTERM') return last?.[Symbol.asyncDispose]();
      if (last?.child.exitCode !== null || last.child.signalCode !== null) return;
      const exited = once(last.child, 'exit');
      last.child.kill('SIGKILL');
      await exited;
    },
    output: () => processes.map(({ output }) => output()).join(''),
  };
}

/** The indexer, which logins and new triggers need. It ends when its database does, and a service manager starts it again. */
async function startIndexerService(settings: Record<string, string>) {
  const metricsPort = String(await freePort());
  const start = (more: Record<string, string> = {}) =>
    startIndexer({ ...settings, METRICS_PORT: metricsPort, ...more });
  let indexer = await start();
  return {
    url: indexer.url,
    // Its supervisor runs it as a child.
    process: () => ({ pid: childrenOf(indexer.pid)[0] ?? indexer.pid, metricsUrl: metricsUrl(metricsPort) }),
    async ensure(): Promise<void> {
      if (await indexer.isHealthy().catch(() => false)) return;
      await indexer[Symbol.asyncDispose]();
      indexer = await start({ PORT: new URL(indexer.url).port });
    },
    [Symbol.asyncDispose]: () => indexer[Symbol.asyncDispose](),
  };
}

/** Counts the requests of actions by path: a path is one unit of traffic. */
async function startEffects() {
  const counts = new Map<string, number>();
  const server = createServer((req, res) => {
    const unit = decodeURIComponent(req.url?.slice(1) ?? '');
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
    res.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    counts,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Settings of relayers and runners that connect by a port, and of relayers without a directory. */
const inPods = { RUNNER_TOKEN: 'a token of the runners of this test' };
const rootInPods = { ROOT_SECRET: '07'.repeat(32) };

/**
 * @param version Of all processes but PostgreSQL, chain, key nodes and indexer; or `pods`: relayers, trigger services and runners are pods of
 *   podman, from the images.
 */
export async function startCluster(version: Version | 'pods' = present) {
  await using started = new AsyncDisposableStack();
  const [postgres, chain] = await Promise.all([startClusterPostgres(), startChain()]);
  started.use(postgres);
  started.use(chain);
  const otherChain = started.use(await startChain(undefined, OTHER_CHAIN_ID));
  const deployments = started.use(temporaryDirectory()).path;
  const dataDir = started.use(temporaryDirectory()).path;
  /** Outside the repository: a path of a socket is short. */
  const runnerFiles = started.use(temporaryDirectory(tmpdir())).path;
  const payerKeys = Array.from({ length: PAYERS }, generatePrivateKey);
  const payers = payerKeys.map((key) => privateKeyToAddress(key));
  for (const address of payers) await chain.client.setBalance({ address, value: 10n ** 24n });
  const contract = await deploy(chain, deployments, payers);
  const keyNodes = started.use(await startKeyNodes(chain, contract));
  const effects = started.use(await startEffects());
  /** Two nodes of the relayers' chain, that of the other chain, and that of the trigger service. */
  const [firstNode, secondNode, otherNode, triggersNode] = [
    started.use(await rpcProxy(chain.url)),
    started.use(await rpcProxy(chain.url)),
    started.use(await rpcProxy(otherChain.url)),
    started.use(await rpcProxy(chain.url)),
  ];

  const indexer = started.use(
    await startIndexerService({
      RPC_URL: chain.url,
      WS_RPC_URL: chain.wsUrl,
      DEPLOYMENTS_DIR: join(root, deployments),
      DATABASE_URL: postgres.url('indexer'),
    }),
  );
  const keep = (replica: Replica): Replica => {
    started.defer(() => replica.stop('SIGKILL'));
    return replica;
  };
  const all = async (count: number, start: () => Promise<Replica>) =>
    (await Promise.all(Array.from({ length: count }, start))).map(keep);
  const startService = (service: 'relayer' | 'triggers', settings: Record<string, string>) =>
    version === 'pods'
      ? startPod(service, settings, join(root, deployments))
      : startProcess(service, settings, version);
  const ofRunners = {
    ...keyNodes.runner,
    ACTION_ALLOWED_ADDRESSES: effects.address,
    RUNTIME_POOL_SIZE: '2',
  };
  const runners = await all(RUNNERS, () =>
    version === 'pods'
      ? startPod('runner', { ...ofRunners, ...inPods }, join(root, deployments))
      : startRunner({ ...ofRunners, TMPDIR: runnerFiles }, version),
  );
  const ofRelayers = {
    ...noLimits.relayer,
    ...keyNodes.relayer,
    RPC_URL: [firstNode.url, secondNode.url].join(','),
    CHAINS: JSON.stringify([{ id: OTHER_CHAIN_ID, name: 'Other', rpc_urls: [otherNode.url] }]),
    DATABASE_URL: postgres.url('relayer'),
    PAYER_PRIVATE_KEYS: payerKeys.join(','),
    RUNNER_URLS: runners.map(({ url }) => url).join(','),
    INDEXER_URLS: indexer.url,
    // Of the versions before.
    INDEXER_URL: indexer.url,
    DRAIN_TIMEOUT_SEC,
    ...(version === 'pods'
      ? { ...inPods, ...rootInPods }
      : {
          DEPLOYMENTS_DIR: join(root, deployments),
          DATA_DIR: join(root, dataDir),
          ROOT_SECRET_PASSPHRASE: 'chaos',
        }),
  };
  const startRelayer = () => startService('relayer', ofRelayers);
  // The first creates the tables and the root secret.
  const relayers = [keep(await startRelayer()), ...(await all(RELAYERS - 1, startRelayer))];
  const balancer = started.use(await startBalancer(relayers.map(({ url }) => url)));
  const ofTriggers = {
    ...noLimits.triggers,
    DATABASE_URL: postgres.url('triggers'),
    SEALING_KEYS: randomBytes(32).toString('base64'),
    RELAYER_URLS: balancer.url,
    SERVICE_RPC_URL: triggersNode.url,
  };
  const triggers = await all(TRIGGERS, () => startService('triggers', ofTriggers));
  const triggersBalancer: Balancer = started.use(await startBalancer(triggers.map(({ url }) => url)));
  for (const { url } of [balancer, triggersBalancer])
    await until('a balancer knows a process', async () => (await fetch(`${url}/ready`)).ok);
  const kept = started.move();
  return {
    ...{
      postgres,
      chain,
      otherChain,
      indexer,
      contract,
      payers,
      payerKeys,
      keyNodes,
      effects,
      relayers,
      triggers,
      runners,
    },
    /** Absolute paths of files that the services make. */
    directories: { relayers: join(root, dataDir), runners: runnerFiles },
    nodes: { first: firstNode, second: secondNode, other: otherNode, triggers: triggersNode },
    version: version === 'pods' ? present : version,
    /** URLs of the balancers. */
    relayerUrl: balancer.url,
    triggersUrl: triggersBalancer.url,
    output: () =>
      Object.entries({ relayer: relayers, trigger: triggers, runner: runners })
        .flatMap(([name, replicas]) =>
          replicas.map(({ output }, index) => `== ${name} ${index}\n${output()}`),
        )
        .join('\n'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
